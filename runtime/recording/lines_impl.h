/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of lines.h share.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/base/json_read.h"
#include "runtime/base/vec.h"
#include "runtime/recording/lines.h"

enum { LINE_MOST = 256 << 20, LINES_VERSION = 2, BAD_SHOWN = 60 };

struct kept_line {
	const char *name; /* of a map; NULL: another line */
	char *text;
	size_t len;
};

struct line_run {
	const char *id; /* the host, and the labels as JSON */
	struct view_run run;
	VEC(struct kept_line) kept;
	bool has_begun, has_ended;
	bool has_lines;	  /* other than losses; a merged result has lines of losses for each host */
	bool is_repeated; /* it was there before, and is left out */
	uint32_t n_copies; /* which came before it had ended: their lines are among its lines */
};

/* A line of a run that came several times. */
struct copied_line {
	uint64_t hash;
	uint32_t n, n_read;
};

HASH_TABLE(copied_lines, struct copied_line);

struct lines {
	struct arena *arena; /* of facts of runs */
	struct merge *merge;
	const char *path;
	FILE *events; /* lines that are shown later */
	VEC(struct line_run *) runs;
	size_t n, n_bad, first_bad;
	const char *bad_text;
	bool is_old, is_refused;
	bool has_copies;
	struct copied_lines copied;
};

static inline const char *line_text(const json_t *line, const char *name)
{
	return json_string_value(json_object_get(line, name));
}

static inline uint64_t line_number(const json_t *line, const char *name)
{
	uint64_t x = 0;

	json_number(json_object_get(line, name), &x);
	return x;
}

/* The last run of that host with those labels. */
struct line_run *line_run_of(struct lines *l, struct arena *a, const json_t *line);
/* lines_copies.c: note a line of a run that has copies. */
void lines_count_copy(struct lines *l, const struct line_run *run, const char *text, size_t len);
/* True for as many of the equal lines as came from copies of the run. All lines have been noted. */
bool lines_is_copy(struct lines *l, const struct line_run *run, const char *text, size_t len);
/* lines_events.c: keep an event until the writer is there. 0 or -1. */
int lines_keep_event(struct lines *l, struct arena *a, const json_t *line, const char *text,
		     size_t len);
