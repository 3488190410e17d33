/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library "names": from addresses of processes, of the kernel and of files to names and source
 * lines, and from names to addresses and arguments. README.md has the functions to begin with.
 * Link sonde_names.
 */
#pragma once
#include "runtime/dwarf/dwarf_types.h"
#include "runtime/dwarf/srcframe.h"
#include "runtime/dwarf/srcline.h"
#include "runtime/elf/elfsym.h"
#include "runtime/symbols/ksym.h"
#include "runtime/symbols/usym.h"
