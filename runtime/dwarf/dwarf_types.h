/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of a program from its DWARF debug information, read with libdw: parameters, their
 * types, and their locations at the first instruction.
 */
#pragma once
#include "parser/base/prototype.h"

struct arena;
struct dwarf_types;

/* Open the debug information of the file behind fd. Takes ownership of fd: it is closed with the
 * debug information, or at once on failure. `machine` is e_machine of the file. NULL with *err:
 * -ENODATA (no debug information), -ENOSYS (no libdw), -ENOMEM. */
struct dwarf_types *dwarf_types_open(int fd, uint16_t machine, int *err);
void dwarf_types_close(struct dwarf_types *t);
/* Find the function that begins at `address` (as linked); it is allocated in `a`. Returns 0,
 * -ESRCH, -ENOLINK (its description is in a .dwo or .dwp file that is missing or cannot be read),
 * -ENOPKG (in a .dwp file, for which libdw is too old), or -ENOMEM. */
int dwarf_types_find(struct dwarf_types *t, uint64_t address, struct arena *a,
		     const struct typed_function **out);
