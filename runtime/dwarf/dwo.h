/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Object files with debug information (.dwo, made by `-gsplit-dwarf`) of which libdw reads only a
 * part.
 */
#pragma once
#include "runtime/dwarf/libdw.h"

/* Set *out to the unit whose skeleton that is. False: libdw can read its file, or there is none. */
bool dwo_unit(struct libdw *l, Dwarf *main, Dwarf_Die *skeleton, uint64_t id, Dwarf_Die *out);
void dwo_close_all(struct libdw *l);
