/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output formats by name.
 */
#pragma once
#include "runtime/view/view.h"

enum out_format {
#define OUT_FORMAT(id, ...) OUT_##id,
#include "runtime/output/formats.def"
	OUT_FORMAT_COUNT,
};

enum out_format_trait {
	OUT_LINES = 1,	 /* user stacks have source lines, as by the setting show_debug_info */
	OUT_RESETS = 2,	 /* --interval prints what is of that interval, as with --reset */
	OUT_FILES = 4,	 /* --interval writes a file for each interval */
	OUT_METRICS = 8, /* each text replaces the file of -o; --listen serves it */
};

struct out_format_row {
	const char *name, *word; /* word: what may follow the name and a colon, or NULL */
	enum {
		OUT_NEEDS_NOTHING,
		OUT_NEEDS_STACKS,
		OUT_NEEDS_SPANS,
		OUT_NEEDS_HISTOGRAM,
	} needs;
	const char *file;	   /* an example of its name, if no terminal shows it; or NULL */
	const char *ending;	   /* of names of its files; or NULL */
	const char *doc, *example; /* example: words for the command line */
	unsigned int traits;	   /* enum out_format_trait */
};
extern const struct out_format_row out_formats[OUT_FORMAT_COUNT];
/* The format of that name, or NAME:WORD; OUT_FORMAT_COUNT if there is none, or if it takes no word.
 * *word: the word, or NULL. */
enum out_format out_format_find(const char *name, const char **word);
/* The format that the name of a file ends in, as "out.svg"; OUT_FORMAT_COUNT: none. */
enum out_format out_format_of_file(const char *path);
/* Has the script what the format shows? NULL, or what the script lacks: "span()". */
const char *out_format_lacks(enum out_format format, const struct plan *plan);
/* Does the script use span()? */
bool out_format_has_spans(const struct plan *plan);
/* How many trees of calls it has: maps with a stack in their keys, and all spans together. */
uint32_t out_format_n_trees(const struct plan *plan);
/* A writer to `f` of the maps of `plan`: see out_new_fn (out.h). `word` is kept. */
struct out *out_format_new(enum out_format format, FILE *f, const struct plan *plan,
			   const char *word);
