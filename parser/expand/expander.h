/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to this folder: the state of the expansion, and what each file offers.
 *
 *   expand.c        the order of the steps
 *   import.c        imported files
 *   define.c        checks of definitions
 *   match.c         which definition a call means
 *   copy.c          copies trees with parameters replaced
 *   call.c          the body in place of a call
 *   standard.c      macros of the standard library
 */
#pragma once
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/expand/expand.h"
#include <string.h>

struct expander {
	struct arena *arena;
	struct diags *diags;
	struct program *program;
	uint32_t n_marks; /* expansions so far */
	uint32_t n_nodes; /* expressions that expansions have made, up to LIMIT_EXPANDED */
	uint32_t depth;	  /* nested copies */
	bool is_full;	  /* a limit was reached and reported */
};

/* The body of a macro or function that is being copied. */
struct frame {
	const struct function *of; /* NULL: a probe */
	const struct frame *outer; /* where its call is */
	struct expr **args;	   /* expanded, as many as parameters */
	uint32_t mark;		   /* distinguishes its variables from all others */
	uint32_t shift;		   /* from spans of the definition to those of the copy */
	bool is_clone;		   /* of a tree that was expanded: nothing is replaced */
	const char *result;	   /* of a fn: the variable of its result; NULL: none */
};

/* ---- copy.c */
struct expr *copy_expr(struct expander *x, const struct frame *f, const struct expr *e);
struct block copy_block(struct expander *x, const struct frame *f, const struct block *b);
/* A type's name with what the parameters stand for. */
const struct type_name *copy_type(struct expander *x, const struct frame *f,
				  const struct type_name *t);

/* ---- match.c */
/* The macro or function that a call in `f` means; NULL when it is a builtin or unknown, also after
 * a report. `args` are expanded. */
struct function *match_call(struct expander *x, const struct frame *f, struct span call,
			    const char *name, struct expr **args, uint32_t n_args);
/* Parameter of the macro being copied, or -1. */
int match_param(const struct frame *f, enum expr_kind kind, const char *name);
/* The name of a parameter, with its $ or @. */
const char *match_param_name(const struct expr *param);
/* True if two definitions take the same arguments. */
bool match_is_same(const struct function *a, const struct function *b);

/* ---- call.c */
/* What stands for the call of `callee`. */
struct expr *call_expand(struct expander *x, const struct frame *f, struct function *callee,
			 struct span call, struct expr **args);

/* ---- standard.c */
/* Add the standard macros of that name to the program, once. False when there are none. */
bool standard_add(struct expander *x, const char *name);

/* ---- define.c */
/* Report what is wrong with a definition. */
void define_check(struct expander *x, uint32_t index);

/* ---- import.c */
void import_all(struct expander *x);
