/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a USDT note, which come from a file, for both architectures. */
#include "tests/fuzz/fuzz.h"
#include "parser/lang/usdt_operand.h"
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	char *text = arena_strndup(a, (const char *)data, size);
	struct usdt_format f, again;

	for (enum usdt_machine m = USDT_X86; m <= USDT_ARM64; m++) {
		usdt_format_parse(a, text, m, &f);
		usdt_format_parse(a, text, m, &again);
		assert(usdt_format_same(&f, &again));
		assert(f.n <= f.n_noted && f.n <= USDT_ARGS);
		for (uint32_t i = 0; i < f.n; i++)
			assert(f.args[i].size && strstr(text, f.args[i].text));
	}
	arena_free(a);
	return 0;
}
