/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a tracepoint's format file. */
#include "tests/fuzz/fuzz.h"
#include "runtime/kernel/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_format *format = NULL;

	if (tracefs_format_parse("sched", "switch", (const char *)data, size, &format))
		return 0;
	for (uint32_t i = 0; i < format->n_fields; i++)
		fprintf(fuzz_sink(), "%s %s %u\n", format->fields[i].type_text,
			format->fields[i].name, format->fields[i].elem_size);
	free(format);
	return 0;
}
