/* SPDX-License-Identifier: Apache-2.0 */
/* The text of one attach point, patterns included. */
#include "tests/fuzz/fuzz.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct source *source = source_from_text(a, "fuzz", (const char *)data, size);
	struct diags d = {.arena = a, .source = source};
	struct probe_reader r = {.arena = a, .diags = &d, .kernel = fuzz_kernel()};
	struct attach_point *points = NULL;
	struct attach_text text;
	uint32_t n = 0;

	if (source && !memchr(data, 0, size)) {
		text = (struct attach_text){.text = source->text, .span = {0, source->len}};
		if (!probe_resolve_all(&r, &text, &points, &n))
			for (uint32_t i = 0; i < n; i++)
				fprintf(fuzz_sink(), "%s", points[i].name);
		diags_print(&d, fuzz_sink(), false);
	}
	arena_free(a);
	return 0;
}
