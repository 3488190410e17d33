/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of -l: list.c (patterns, order, output), list_args.c,
 * list_user_args.c and list_usdt_args.c (-lv), list_types.c (types).
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/lang/probe.h"
#include "runtime/list/list.h"

struct list_line {
	const char *text;
	const struct attach_point *point; /* NULL: the line is a type */
	uint64_t offset;		  /* of a function of a program, in its file */
	bool has_jump;			  /* of such a function: as in struct attach_target */
};

struct listing {
	struct kernel *kernel;
	struct arena *arena;
	struct diags diags;
	struct attach_point *points; /* of all patterns */
	uint32_t n_points;
	const char **types; /* "struct list_head" */
	uint32_t n_types;
	struct list_line *lines;
	uint32_t n_lines;
	const struct list_line *line; /* whose fields are being printed */
	/* the current pattern: its number, which serves as the location of its errors, and the
	 * counts before it */
	struct span span;
	uint32_t first_point, first_type;
	bool is_missed;		  /* the current pattern matched nothing, which is reported */
	bool is_quiet;		  /* nothing is reported */
	bool is_scope_reported;	  /* that -p does not apply to kernel probes */
	bool is_untyped_reported; /* that a file has no debug information */
};

/* The fields hooks of probes.def: print the arguments or fields of the attach point `name` (the
 * text after "TYPE:"), one a line. l->line is its line. */
typedef void fld_fn(struct listing *l, const char *name, FILE *out);
#define PROBE(id, name, alias, form, context, traits, parse, expand, span, listing, capability, \
	      fields, ...)                                                                      \
	fld_fn fields;
#include "parser/lang/probes.def"

/* Resolve the patterns, or all of the traced process (NULL), to sorted lines. */
void list_take_all(struct listing *l, const char *patterns);
/* Print fields that resolving has already found, else those that the hook finds. */
void list_fields(struct listing *l, const struct list_line *line, FILE *out);
/* Print a field or parameter as it is declared, or else its type and `name`, which may be "". */
void list_field(const struct tp_field *f, const char *name, FILE *out);

/* Is it a type: "struct NAME", "union NAME" or "enum NAME"? */
bool list_is_type(const char *word);
/* Append the types that the word matches to l->types; NAME may be a pattern. */
void list_type_names(struct listing *l, const char *word);
/* Remove the current pattern's types that `pattern` matches, with or without the word `struct`. */
void list_exclude_types(struct listing *l, const char *pattern);
/* Print the definition of a type. */
void list_type_definition(struct listing *l, const char *line, FILE *out);
