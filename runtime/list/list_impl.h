/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of -l share: list.c (patterns, order, output), list_kernel.c and list_user.c (the
 * names of each type), list_args.c (what -lv writes below a name).
 */
#pragma once
#include "runtime/list/list.h"
#include "parser/lang/capability.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct btf_text;
struct kernel;
struct list_module;
struct list_row;
struct user_symbol;

struct listing {
	struct kernel *kernel;
	const struct list_row *row; /* the type under way */
	const char *type;	    /* its name, as probes.def has it, */
	uint32_t probe;		    /* and its enum probe_id */
	/* What is asked for, whole attach points: any of the patterns; both NULL: all. */
	const char *pattern, *other;
	const char *last; /* a pattern of the last part alone; NULL: none */
	const char *rest; /* what the user wrote behind "type:"; NULL: no type was named */
	char **names;	  /* what was found */
	size_t n, capacity;
	struct btf_text *types;	     /* list_types() */
	struct list_module *modules; /* list_module.c */
	bool has_modules;
	char **functions; /* functions_of() */
	size_t n_functions;
	bool has_functions, has_types;
	const char *word;	/* one pattern as it was written */
	struct list_near *near; /* names are not taken, but compared */
	size_t first; /* of the names of the pattern under way, which exclusions are about */
	bool is_pattern_missed;
	uint64_t missed;	  /* patterns that matched nothing, a bit each */
	bool is_scope_reported;	  /* that -p has no say in the kernel's probes */
	bool is_untyped_reported; /* that a file has no types */
	int status; /* the exit status so far: 2, the kernel or a file does not tell */
};

/* Offer each name of the row's type. */
typedef void lst_fn(struct listing *l);
/* Write what the attach point `name` (behind "type:") is given, a line each. */
typedef void fld_fn(struct listing *l, const char *name, FILE *out);

enum {
	LIST_ANY = 1 << 0,	 /* is listed when no type is named, or a pattern of types */
	LIST_TWO_PARTS = 1 << 1, /* type:A:B; A or B alone finds it too */
	LIST_FILES = 1 << 2,	 /* of the file that is named */
	LIST_FORM = 1 << 3,	 /* how it is written, when no type is named */
	LIST_MODULES = 1 << 4,	 /* type:MODULE:NAME */
	LIST_FUNCTIONS = 1 << 5, /* of programs: list_keep_function() */
};

struct list_row {
	const char *type;
	lst_fn *names;
	fld_fn *fields;
	uint32_t flags;
	enum capability_id capability;
};

lst_fn lst_tracepoints, lst_functions, lst_typed_functions, lst_raw_tracepoints, lst_iterators;
lst_fn lst_symbols, lst_times, lst_events, lst_usdt;
fld_fn fld_tracepoint, fld_kprobe, fld_result, fld_function, fld_function_result;
fld_fn fld_raw_tracepoint, fld_iterator, fld_symbol, fld_symbol_result, fld_usdt;

/* Is `name` (what stands behind "type:") asked for? */
bool list_is_requested(const struct listing *l, const char *name);
/* Take it when it is. */
void list_offer(struct listing *l, const char *name);
/* Take a line, to be free()d; NULL: out of memory. */
void list_keep(struct listing *l, char *line);
/* Take a function of a program: its line, behind which the place follows that -lv asks for, and the
 * symbol, each after a NUL. `shown`: how people write the name, NULL: as the symbol. */
void list_keep_function(struct listing *l, const struct user_symbol *f, const char *shown);
/* Call fn for each file that process -p, or any process, has mapped; what is in the way is said. */
void list_mapped_files(struct listing *l, void (*fn)(const char *path, void *ctx), void *ctx);
/* The row of a line's type; NULL: it has none. */
const struct list_row *list_row_of(const char *line);
/* This type cannot be listed: said when the user named it. */
void list_refuse(struct listing *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A function of the kernel or a module: its types and id there; id 0: BTF does not have it. */
struct list_function {
	struct btf_text *types;
	uint32_t id;
};

/* Of "name" or "module:name". */
struct list_function list_function(struct listing *l, const char *name);
/* Offer "MODULE:REST" for each name of that BTF kind in modules, which is the prefix and REST. */
void list_modules_names(struct listing *l, uint32_t kind, const char *prefix);
void list_modules_free(struct listing *l);

/* The kernel lacks what the row's type, which the user named, needs. */
void list_lacking(struct listing *l, const char *type);
typedef void list_again_fn(struct listing *l, const char *word);
/* Nothing matched `word`: say so, and what is near of the names that `again` offers once more. */
void list_say_none(struct listing *l, const char *word, bool is_error, list_again_fn *again);
/* With l->near: compare what the user wrote behind the type with `name`, part by part. */
void list_near_name(struct listing *l, const char *name);
/* The same of names behind `before`; `is_split`: at ':', else they are one part. */
void list_near_compare(struct listing *l, const char *before, const char *wanted, const char *name,
		       bool is_split);

/* Leave out what `word`, an exclusion with its '!', matches of the names from `first` on; is_first:
 * there is no pattern before it. */
void list_exclude(struct listing *l, const char *word, size_t first, bool is_first);

/* vmlinux's types, or NULL. */
struct btf_text *list_types(struct listing *l);
/* "struct NAME", "union NAME", "enum NAME": a type, not a probe. */
bool list_is_type(const char *line);
/* Take those that such a word matches, NAME being a pattern. */
void list_type_names(struct listing *l, const char *word);
/* The definition of one that was taken. */
void list_type_definition(struct listing *l, const char *line, FILE *out);
