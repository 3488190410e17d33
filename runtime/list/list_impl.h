/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of -l share: list.c (patterns, order, output), list_args.c, list_module.c,
 * list_user_args.c and list_usdt_args.c (what -lv prints below a name), list_types.c (types).
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/lang/probe.h"
#include "runtime/list/list.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct btf_text;
struct list_module;

struct list_line {
	const char *text;
	const struct attach_point *point; /* NULL: the line is a type */
	uint64_t offset;		  /* of a function of a program, in its file */
};

struct listing {
	struct kernel *kernel;
	struct arena *arena;
	struct diags diags;
	struct attach_point *points; /* what the patterns stand for */
	uint32_t n_points;
	const char **types; /* "struct list_head" */
	uint32_t n_types;
	struct list_line *lines;
	uint32_t n_lines;
	/* the pattern under way: its number, as the place of what is wrong with it, and what was
	 * found before it */
	struct span span;
	uint32_t first_point, first_type;
	bool is_missed;		     /* it matched nothing, which is reported */
	bool is_scope_reported;	     /* that -p has no say in the kernel's probes */
	bool is_untyped_reported;    /* that a file has no types */
	struct btf_text *btf;	     /* list_btf() */
	struct list_module *modules; /* list_module.c */
	bool has_modules, has_btf;
};

/* The fields hooks of probes.def: print what the attach point `name` (behind "TYPE:") is given, a
 * line each. `offset`: of a function of a program, in its file. */
typedef void fld_fn(struct listing *l, const char *name, uint64_t offset, FILE *out);
#define PROBE(id, name, alias, form, context, traits, parse, expand, span, listing, capability, \
	      fields, ...)                                                                      \
	fld_fn fields;
#include "parser/lang/probes.def"
#undef PROBE

/* A field or parameter: as it is declared, or its type and `name`, "" for none. */
void list_field(const struct tp_field *f, const char *name, FILE *out);

/* A function of the kernel or a module: its types and id there; id 0: BTF does not have it. */
struct list_function {
	struct btf_text *types;
	uint32_t id;
};

/* Of "name" or "module:name". */
struct list_function list_function(struct listing *l, const char *name);
void list_modules_free(struct listing *l);
/* vmlinux's types, or NULL. */
struct btf_text *list_btf(struct listing *l);

/* "struct NAME", "union NAME", "enum NAME": a type, not a probe. */
bool list_is_type(const char *word);
/* Append those that such a word matches to l->types; NAME may be a pattern. */
void list_type_names(struct listing *l, const char *word);
/* Leave those out that `pattern` matches, with or without the word. */
void list_exclude_types(struct listing *l, const char *pattern);
/* Print the definition of one of them. */
void list_type_definition(struct listing *l, const char *line, FILE *out);
