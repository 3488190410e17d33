/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of merge.h share.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/base/text_buffer.h"
#include "runtime/base/vec.h"
#include "runtime/recording/merge.h"

HASH_TABLE(merged_index, uint32_t); /* row + 1, by its keys */

struct merged_map {
	struct view_map view;	   /* of the map when it is shown */
	const struct type **types; /* of the keys, the value's last */
	uint32_t n_apart;	   /* this many first keys tell the runs apart */
	bool has_whole;		   /* text shows shares */
	VEC(struct view_row) rows;
	struct merged_index index;
};

struct merged_stack {
	uint64_t hash;
	const struct view_stack *stack;
};

HASH_TABLE(merged_stacks, struct merged_stack);

/* Of --by. */
struct merged_name {
	const char *text;
	uint32_t n_with;     /* runs that have it */
	const char *without; /* the host of the first that has not; or NULL */
};

/* Which run it is: no other has this host, boot, moment of its begin, words and labels. */
struct merged_run {
	uint64_t id; /* a hash of these */
	const char *path;
};

/* A type that outlives the run it is of. */
struct merged_type {
	const char *json;
	const struct type *type;
};

struct merge {
	struct out collect, pass; /* collect is first */
	struct out *to;		  /* of pass */
	const struct merge_form *form;
	struct arena *arena;
	struct plan plan;
	struct view_run run;	 /* what is shown as one */
	const char *host;	 /* of the run that is shown */
	const char **by;	 /* its values of the names */
	struct text_grown hosts; /* names of all */
	uint32_t n_runs;
	struct merged_name *names;
	uint32_t n_apart;	   /* names that tell runs apart: those of --by, or host */
	VEC(const char **) values; /* different ones of the names */
	VEC(const char *) labels;  /* names of all */
	VEC(struct merged_run) runs;
	VEC(struct merged_map *) maps;
	VEC(struct view_loss) losses;
	VEC(struct merged_type) types; /* of values of spans */
	struct merged_stacks stacks;
	struct text_grown text; /* of an event */
	bool is_in_line;	/* the last one did not end its line */
	int error;
};

/* merge_outliers.c: the rows of a map that is kept apart become those that differ most. */
void merge_outliers(struct merge *m, struct merged_map *map);
/* merge_pass.c */
void merge_pass_init(struct merge *m);
/* merge_runs.c */
void merge_runs_init(struct merge *m);
void merge_add_run(struct merge *m, const struct view_run *r);
/* Give what is shown as one the ids of all runs. */
void merge_name_parts(struct merge *m);
