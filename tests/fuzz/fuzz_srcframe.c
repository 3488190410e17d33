/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzz target: source lines and inlined functions of a file, of which nothing may be trusted.
 */
#include "fuzz.h"
#include "runtime/elf/elfsym.h"
#include "runtime/dwarf/srcframe.h"
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct srcframe frames[SRCFRAMES_MAX];
	struct srcframes *s;
	size_t bytes = 0;
	int err;

	s = srcframes_open(fuzz_file(data, size), &err);
	if (!s)
		return 0;
	for (uint64_t at = 0x1000; at < 0x1200; at += 5) {
		size_t n = srcframes_at(s, at, frames);

		if (n > SRCFRAMES_MAX)
			abort();
		for (size_t i = 0; i < n; i++) {
			if (!frames[i].function != (i + 1 == n))
				abort();
			bytes += frames[i].function ? strlen(frames[i].function) : 0;
			bytes += frames[i].file ? strlen(frames[i].file) : 0;
		}
	}
	srcframes_close(s);
	return bytes == SIZE_MAX;
}
