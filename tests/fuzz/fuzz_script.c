/* SPDX-License-Identifier: Apache-2.0 */
/* A script: source, lexer, filter, parser, checks, plan, all dumps and messages. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_script f;

	fuzz_walk(&f, data, size);
	arena_free(f.arena);
	return 0;
}
