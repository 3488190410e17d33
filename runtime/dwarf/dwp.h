/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF packages: the units that `-gsplit-dwarf` moves out of a program, collected in one file
 * beside it (PROGRAM.dwp). Only newer versions of libdw can read them, so a unit is taken out of
 * the package and given to libdw as a file of its own, in memory. An object file is a package of
 * one unit.
 */
#pragma once
#include "runtime/dwarf/libdw.h"

struct dwp;

/* Open the package of the file at `path`, or of the program whose debug file that is
 * (PROGRAM.debug). NULL: there is no package. */
struct dwp *dwp_open(const char *path);
/* Open an object file (.dwo) of which libdw reads only a part, since it has a section several
 * times: gcc writes one for each type (-fdebug-types-section). NULL: it is not such a file. */
struct dwp *dwp_open_object(const char *path);
void dwp_close(const struct libdw *l, struct dwp *p);
/* Set *out to the unit whose skeleton in `main` has that ID. Returns false if the package does not
 * have the unit, or is damaged. */
bool dwp_unit(const struct libdw *l, struct dwp *p, Dwarf *main, Dwarf_Die *skeleton, uint64_t id,
	      Dwarf_Die *out);
