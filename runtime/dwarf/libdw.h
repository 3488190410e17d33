/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of libdw that are used here. The library is loaded with dlopen() when it is needed:
 * that takes a millisecond, and few scripts need it.
 */
#pragma once
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <stdbool.h>
#include "runtime/base/vec.h"

#define LIBDW_FUNCTIONS(X)              \
	X(dwarf_begin)                  \
	X(dwarf_end)                    \
	X(dwarf_getelf)                 \
	X(dwarf_setalt)                 \
	X(dwelf_dwarf_gnu_debugaltlink) \
	X(dwelf_elf_gnu_build_id)       \
	X(dwarf_nextcu)                 \
	X(dwarf_offdie)                 \
	X(dwarf_getsrclines)            \
	X(dwarf_onesrcline)             \
	X(dwarf_lineaddr)               \
	X(dwarf_lineno)                 \
	X(dwarf_linecol)                \
	X(dwarf_linesrc)                \
	X(dwarf_linebeginstatement)     \
	X(dwarf_lineendsequence)        \
	X(dwarf_get_units)              \
	X(dwarf_cu_info)                \
	X(dwarf_cu_getdwarf)            \
	X(dwarf_addrdie)                \
	X(dwarf_diecu)                  \
	X(dwarf_child)                  \
	X(dwarf_siblingof)              \
	X(dwarf_tag)                    \
	X(dwarf_diename)                \
	X(dwarf_dieoffset)              \
	X(dwarf_entrypc)                \
	X(dwarf_ranges)                 \
	X(dwarf_srclang)                \
	X(dwarf_attr)                   \
	X(dwarf_attr_integrate)         \
	X(dwarf_hasattr)                \
	X(dwarf_whatform)               \
	X(dwarf_formref_die)            \
	X(dwarf_formudata)              \
	X(dwarf_formsdata)              \
	X(dwarf_formflag)               \
	X(dwarf_formstring)             \
	X(dwarf_getlocation)            \
	X(dwarf_getlocation_addr)       \
	X(dwarf_getlocation_attr)       \
	X(dwarf_getsrc_die)             \
	X(dwarf_getsrcfiles)            \
	X(dwarf_filesrc)                \
	X(dwarf_haspc)                  \
	X(dwarf_getcfi_elf)             \
	X(dwarf_cfi_end)                \
	X(dwarf_cfi_addrframe)          \
	X(dwarf_frame_cfa)

struct libdw {
#define MEMBER(name) __typeof__(&(name)) name;
	LIBDW_FUNCTIONS(MEMBER)
#undef MEMBER
	Dwarf *alt; /* the file to which dwz moved common data; NULL: none */
	int alt_fd;
	bool reads_packages; /* it is 0.191 or later */
};

/* Addresses of a unit or of a function. */
struct libdw_range {
	uint64_t start, end;
	uint64_t at; /* what has them: a number of the caller's */
};

struct libdw_ranges {
	VEC(struct libdw_range); /* sorted by the caller */
};

/* Load the library. Returns 0, or -ENOSYS: it is not installed or lacks one of the functions. */
int libdw_load(struct libdw *l);
/* Load the library and open the debug information of the file behind fd. Returns 0; -ENOSYS: as
 * above; -ENODATA: the file has no debug information; -EFBIG: its compressed sections claim more
 * than 64 MiB and more than 32 times the size of the file. */
int libdw_open(struct libdw *l, int fd, Dwarf **out);
/* Close the debug information; `d` may be NULL. */
void libdw_close(struct libdw *l, Dwarf *d);
/* Set *out to the DIE of the split unit of a skeleton, which is in a package (.dwp) or an object
 * file (.dwo). False: the unit is not split, or libdw cannot find or read that file. */
bool libdw_split(const struct libdw *l, Dwarf_Die *skeleton, Dwarf_Die *out);
/* Does the file behind fd have a package (PROGRAM.dwp) that this version of libdw cannot read? */
bool libdw_lacks_packages(const struct libdw *l, int fd);
/* Is the unit a skeleton, whose DIEs are in another file? */
bool libdw_is_skeleton(const struct libdw *l, Dwarf_Die *unit);
/* Add the ranges of a DIE. False: there are too many, or no memory, or the monotonic clock is past
 * `deadline_ns`. */
bool libdw_add_ranges(const struct libdw *l, Dwarf_Die *die, uint64_t at, uint64_t deadline_ns,
		      struct libdw_ranges *out);
/* The range that contains vaddr; of several, the one that begins last. */
const struct libdw_range *libdw_range_at(const struct libdw_ranges *r, uint64_t vaddr);
/* The size in bytes of the line program at offset `at` of .debug_line; UINT64_MAX if there is
 * none. */
uint64_t libdw_line_program_bytes(const struct libdw *l, Dwarf *d, uint64_t at);
