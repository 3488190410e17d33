/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lessons: text files of a form that docs/lessons.md describes, and where they are.
 */
#pragma once
#include "cli/learn/lesson_condition.h"
#include <stddef.h>

/* A typical wrong answer. */
struct mistake {
	struct condition when;
	const char *say;
	const char **tries; /* programs that make the mistake */
	uint32_t n_tries;
	uint32_t line;
};

struct lesson {
	const char *name, *path; /* name: the file's name without number and suffix */
	const char *title, *goal, *text, *workload, *options, *needs, *found;
	const char **hints, **solutions;
	struct condition *expects;
	struct mistake *mistakes;
	uint32_t n_hints, n_solutions, n_expects, n_mistakes;
};

struct lesson_list {
	const char **paths; /* in the order of the files' names */
	uint32_t n;
};

/* Find the bundled lessons, or those in the folder $SONDE_LESSONS. Returns 0, or -1 after a
 * message. */
int lesson_find_all(struct arena *a, struct lesson_list *out);
/* The path of the lesson with that name or number in the list; a word with a slash or a dot is a
 * path itself. NULL after a message. */
const char *lesson_find(struct arena *a, const char *word);
/* The name of a lesson in a file of that path. */
const char *lesson_name(struct arena *a, const char *path);
/* The path of its translation into the user's language (LC_ALL, LC_MESSAGES, LANG). NULL if there
 * is none. */
const char *lesson_translation(struct arena *a, const char *path);
/* Read a lesson, with the texts of its translation, if there is one. Returns 0, or -1 after a
 * message. */
int lesson_read(struct arena *a, const char *path, struct lesson *out);
/* The command of the workload. If its program is one of examples/, the path of that is filled
 * in. */
const char *lesson_workload(struct arena *a, const struct lesson *l);
/* lesson_show.c: print a text, its paragraphs filled; lines that begin with a blank stay as they
 * are. `first` is printed before the text, and counts for the width. */
void lesson_print(const char *first, const char *text);
/* The text with the values of its measures in place of $(…). NULL: one is wrong, and *error says
 * why. */
const char *lesson_fill(struct arena *a, const char *text, const struct shown *shown,
			const char *program, const char **error);
