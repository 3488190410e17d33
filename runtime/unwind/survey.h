/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A survey lists the files that running processes have mapped, the most used first, so that their
 * tables can be made before any of these processes is traced. Processes of one program map the same
 * files, apart from plugins: of each program only a few processes are read. Not thread-safe.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

struct unwind_binary;
struct unwind_files;

/* A file, and one place where it is mapped. Also a program, for which only key and n are used. */
struct survey_file {
	struct unwind_file_key key; /* as /proc/PID/maps shows them: device is that of makedev() */
	uint32_t n;		    /* processes that were read and have it mapped */
	uint32_t tgid;		    /* the last one of them */
	uint64_t start, end, file_offset;
	uint64_t bytes; /* of executable mappings */
	char *path;
};

HASH_TABLE(survey_table, struct survey_file);

/* All zeros is an empty one. */
struct unwind_survey {
	struct survey_table files;
	VEC(struct survey_file) order; /* of files, those with the most use for their size first */
	size_t next;
	VEC(struct unwind_binary *) binaries; /* the compiled files */
};

/* Look at all processes, or at those that have mapped the file at `path`. */
void unwind_survey_read(struct unwind_survey *s, const char *path);
/* How many words the tables of the files that are not compiled yet will need, roughly. */
uint64_t unwind_survey_words(const struct unwind_survey *s);
/* Compile the next file, which is then held until unwind_survey_end(). False: there are no more. */
bool unwind_survey_compile(struct unwind_survey *s, struct unwind_files *files);
void unwind_survey_end(struct unwind_survey *s, struct unwind_files *files);
