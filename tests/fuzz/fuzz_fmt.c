/* SPDX-License-Identifier: Apache-2.0 */
/* A script that can be parsed: its canonical form is the same script, and stays as it is. */
#include "tests/fuzz/fuzz.h"
#include "parser/syntax/fmt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diags d = {.arena = arena_new()};
	struct program *p = NULL;
	size_t len;

	d.source = source_from_text(d.arena, "fuzz", (const char *)data, size);
	if (d.source)
		p = parse(d.arena, d.source, &d);
	if (p && !d.n_errors) {
		char *text = fmt_checked(d.arena, p, d.source, &len);

		if (!text)
			abort();
		free(text);
	}
	arena_free(d.arena);
	return 0;
}
