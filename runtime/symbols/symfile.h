/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbols of files that processes have mapped: found as long as the file can be had from
 * anywhere, a bounded number of them open at a time. Used by usym.c.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct elfsym;
struct mapping;
struct procmap;
struct symfile;

enum { SYMFILE_SLOTS = 256 };

struct symfiles {
	struct procmap *maps;
	struct symfile *slots[SYMFILE_SLOTS]; /* by device and inode */
	size_t n_open;
	uint64_t clock; /* counts uses */
};

/* Hold the files of a process that a stack was noted of: it may be gone when names are wanted. */
void symfiles_pin(struct symfiles *all, uint32_t tgid, uint32_t exec_id);
/* The symbols of what process `tgid` has mapped there, NULL when they cannot be had. They may be
 * closed by the next call. */
struct elfsym *symfiles_of(struct symfiles *all, uint32_t tgid, const struct mapping *mapping);
/* Close all; the processes' mappings may be gone already. */
void symfiles_free(struct symfiles *all);
