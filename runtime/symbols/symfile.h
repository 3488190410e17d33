/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of the files that processes have mapped, as long as the file can be opened in some way.
 * The number of files open at a time is limited. Used by usym.c.
 */
#pragma once
#include "runtime/base/hash.h"

struct elfsym;
struct srcframe;
struct mapping;
struct procmap;
struct symfile;

HASH_TABLE(symfile_table, struct symfile *);

struct symfiles {
	struct procmap *maps;
	struct symfile_table table; /* by device and inode */
	size_t sweep_at;	    /* number of entries at which a sweep is done */
	size_t n_open;
	uint64_t clock; /* counts uses */
	bool has_warned_lines;
};

/* Hold open the files of a process that has a stack: the process may have ended when the stack is
 * printed. */
void symfiles_pin(struct symfiles *all, uint32_t tgid, uint32_t exec_id);
/* The symbols of the file in a mapping of process `tgid`; NULL if the file cannot be opened. The
 * next call may close them. */
struct elfsym *symfiles_of(struct symfiles *all, uint32_t tgid, const struct mapping *mapping);
/* The source lines and inlined functions of an address in that file (srcframe.h). Returns their
 * number, 0 if there is no debug information. The strings live until the next call. */
size_t symfiles_lines(struct symfiles *all, uint32_t tgid, const struct mapping *mapping,
		      uint64_t vaddr, struct srcframe *out);
/* Close all files. The mappings may have been freed before. */
void symfiles_free(struct symfiles *all);
/* How many files are known. */
size_t symfiles_count(const struct symfiles *all);
