/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a tracepoint's format file. */
#include "tests/fuzz/fuzz.h"
#include "parser/base/arena.h"
#include "runtime/kernel/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	const struct tp_format *format = NULL;
	int err = tracefs_format_parse(a, "sched", "switch", (const char *)data, size, &format);

	for (uint32_t i = 0; !err && i < format->n_fields; i++)
		fprintf(fuzz_sink(), "%s %s %u\n", format->fields[i].type_text,
			format->fields[i].name, format->fields[i].elem_size);
	arena_free(a);
	return 0;
}
