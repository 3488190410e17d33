/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of source lines, from the DWARF line tables. libdw, which reads them, is loaded at the
 * first call.
 */
#pragma once
#include "parser/base/prototype.h"
#include <stdint.h>

/* Called with the address at which code of the line begins, in the order of the tables. */
typedef void srcline_fn(uint64_t address, void *ctx);

/* Call fn with each address at which code of the place begins. Returns 0, -ENOENT (no such source
 * file), -ESRCH (the line has no code; *near is the next line that has some, 0: none), -ERANGE (the
 * line has code, but none at that column; *near is the nearest column), -ENODATA (no debug
 * information), -ENOSYS (no libdw). */
int srcline_each(int fd, const struct source_place *place, srcline_fn *fn, void *ctx,
		 uint32_t *near);
