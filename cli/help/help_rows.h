/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of all tables that `sonde help` knows, in one form.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;

enum help_table {
#define HELP_TABLE(topic, ...) HELP_##topic,
#include "cli/help/help_tables.def"
	HELP_TABLE_COUNT,
};

struct help_row {
	enum help_table table;
	const char *name;	/* what is looked up: "hist", "--top", "kprobe" */
	const char *other;	/* other names, separated by blanks, or NULL */
	const char *form;	/* how it is written: "uint32 cpu", "-f, --format FORMAT" */
	const char *doc, *note; /* note: where it exists, its default …; NULL for none */
	const char *options;	/* of a first word: names of options to show; NULL: its own */
	uint32_t bit;		/* ... its bit in enum option_words */
	const char *example;	/* a program, or words that begin with '-' or a word of sonde */
};

struct help_rows {
	struct arena *arena;
	struct help_row *items;
	uint32_t n;
};

struct help_topic {
	const char *name, *wider, *kind, *what, *title, *intro; /* columns of help_tables.def */
};
extern const struct help_topic help_topics[HELP_TABLE_COUNT];

/* The rows of all tables, in the tables' order. They live in the arena. */
void help_rows_collect(struct arena *a, struct help_rows *out);
/* The command line of an example: "sonde -e 'PROGRAM'". */
const char *help_command(struct arena *a, const struct help_row *row);
