/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of source lines, by the line tables of DWARF. The library that reads them (libdw) is
 * loaded at the first question.
 */
#pragma once
#include <stdint.h>

/* The address where a row of the wanted line begins, in the order of the tables. */
typedef void srcline_fn(uint64_t address, void *ctx);

/* Call fn with each place where code of a line of `source` (a path, or its last parts) begins.
 * 0, -ENOENT (no such source file), -ESRCH (the line has no code; *near_line is the next that has,
 * 0: none), -ENODATA (no debug information), -ENOSYS (no libdw). */
int srcline_each(int fd, const char *source, uint32_t line, srcline_fn *fn, void *ctx,
		 uint32_t *near_line);
