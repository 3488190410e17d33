/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording that is read. The file is input, which anybody may have made: it is opened only for
 * reading, its tables must be those that sonde makes, and every value is checked.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/recording/schema.h"
#include "runtime/recording/value_json.h"
#include <sqlite3.h>

struct known_stack {
	uint64_t number;
	const struct view_stack *stack;
};

HASH_TABLE(known_stacks, struct known_stack);

struct recording {
	struct stack_lookup lookup; /* first */
	const char *path;
	int fd;
	sqlite3 *db;
	struct arena *arena; /* for as long as it is open */
	const struct type **types;
	uint32_t n_types;
	struct plan plan; /* its events are the calls; its maps those that were printed */
	uint32_t n_calls;
	struct view_run run;
	struct known_stacks stacks;
	sqlite3_stmt *stack, *frames;
	const char **builds; /* build IDs, by number - 1 */
	uint32_t n_builds;
	uint32_t form;	/* the version whose tables it has */
	bool is_old;	/* averages have no counts, histograms no sums */
	bool is_merged; /* frames without a name get one by which they are found on other hosts */
};

/* Does the file begin as a recording does? */
bool recording_is(const char *path);
/* A file whose run has not begun. */
bool recording_is_empty(const char *path);
/* Report that the file cannot be read, as errno says. -1. */
int recording_unread(const char *path);
/* Open the file and check that it is a recording. 0, or -1 after a message. */
int recording_open(struct recording *r, const char *path);
/* Read types, calls and facts, which those who show its contents need. 0, or -1 likewise. */
int recording_load(struct recording *r);
void recording_close(struct recording *r);

/* Says why the last call of SQLite failed. Returns -1. */
int recording_failed(struct recording *r);
/* A statement; NULL after a message. */
sqlite3_stmt *recording_prepare(struct recording *r, const char *sql);
/* The next row: 1; none: 0; -1 after a message. */
int recording_step(struct recording *r, sqlite3_stmt *s);
/* Column 0 of *s is a fact of the run: 1; there is none: 0; -1 after a message. */
int recording_fact(struct recording *r, const char *name, sqlite3_stmt **s);
/* Frames of a stack without a name get that of their place in their file. */
void recording_name_frames(struct arena *a, struct view_stack *s);
/* Says that row `id` of a table is not valid. Returns -1. */
int recording_damaged(struct recording *r, enum recording_table table, int64_t id);
/* The lookup of a recording that is loaded: recording_stacks.c. */
bool recording_find_stack(struct stack_lookup *lookup, uint64_t number, struct view_stack *out);
/* The text of a column for as long as the recording is open; or NULL. */
const char *recording_kept(struct recording *r, sqlite3_stmt *s, int column);
/* The text of a column; NULL if it is no text. */
const char *recording_text(sqlite3_stmt *s, int column);
/* The JSON of a column, which may be an integer; NULL if it is none. */
const json_t *recording_json(struct arena *a, sqlite3_stmt *s, int column);
/* The types whose numbers are in a list. NULL if they are not valid. */
const struct type **recording_types(struct recording *r, struct arena *a, const json_t *list);
/* The type of that number, or NULL. */
const struct type *recording_type(const struct recording *r, uint64_t number);
