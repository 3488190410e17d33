/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that are made before a walk needs them: of programs that will be executed or were just
 * executed, and of the files of running processes. Not thread-safe: only the worker uses them.
 */
#pragma once
#include "runtime/unwind/survey.h"

struct unwind_store;

struct unwind_ahead {
	struct unwind_store *store;
	struct unwind_files *files;
	uint64_t most_words;		     /* of files of running processes */
	VEC(struct unwind_binary *) awaited; /* files of programs that will be executed */
	struct unwind_survey survey;
	uint32_t n_surveyed; /* calls of unwind_ahead_used() whose files are not all compiled */
};

/* Compile and publish a program that will be executed, and the libraries that it needs. */
void unwind_ahead_program(struct unwind_ahead *a, const char *path);
/* The same for the program that process `tgid` has begun. */
void unwind_ahead_exec(struct unwind_ahead *a, uint32_t tgid);
/* List the files of running processes, or of those that have mapped the file at `path`, for
 * unwind_ahead_work(). */
void unwind_ahead_used(struct unwind_ahead *a, const char *path);
/* Compile a file of those that are listed, if any. Returns the number of unwind_ahead_used() that
 * are done by that. */
uint32_t unwind_ahead_work(struct unwind_ahead *a);
void unwind_ahead_free(struct unwind_ahead *a);
