/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of source lines, from the DWARF line tables. libdw, which reads them, is loaded at the
 * first call.
 */
#pragma once
#include <stdint.h>

/* Called with the address at which code of the line begins, in the order of the tables. */
typedef void srcline_fn(uint64_t address, void *ctx);

/* Call fn with each address at which code of a line of `source` (a path, or its last components)
 * begins. 0, -ENOENT (no such source file), -ESRCH (the line has no code; *near_line is the next
 * line that has some, 0: none), -ENODATA (no debug information), -ENOSYS (no libdw). */
int srcline_each(int fd, const char *source, uint32_t line, srcline_fn *fn, void *ctx,
		 uint32_t *near_line);
