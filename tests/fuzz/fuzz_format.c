/* SPDX-License-Identifier: Apache-2.0 */
/* A printf format, taken apart. */
#include "tests/fuzz/fuzz.h"
#include "parser/lang/format_spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	char *text = arena_strndup(a, (const char *)data, size);
	struct format_spec spec;

	format_parse(a, text, (uint32_t)size, &spec);
	for (uint32_t i = 0; i < spec.n_pieces; i++)
		fprintf(fuzz_sink(), "%.*s%c", (int)spec.pieces[i].text_len, spec.pieces[i].text,
			spec.pieces[i].conv ? spec.pieces[i].conv : ' ');
	arena_free(a);
	return 0;
}
