/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of `param` and `option` items: param_type.c.
 */
#pragma once
#include "parser/lang/ast.h"

struct param_type {
	const char *name;
	const char *what;	/* in messages: it must be … */
	const char *shown;	/* in usage lines */
	const char *example;	/* of a default */
	enum expr_kind literal; /* the kind of a default */
	const char *empty;	/* the word that stands for no value */
	/* The value of a word, and its text in attach points; NULL when the word is none. */
	struct expr *(*read)(struct arena *a, const struct param_item *item, const char *word,
			     const char **text);
	bool is_signed;
};

/* The row of the type; NULL when there is none. */
const struct param_type *param_type_of(const struct param_form *form);
/* True for a length of time. */
bool param_type_is_duration(const struct param_type *t);
/* True for the traced command, the words after "--". */
bool param_type_is_command(const struct param_type *t);
/* True for a flag, which may be given without a value. */
bool param_type_is_bool(const struct param_type *t);
/* What a value must be: "a number", "one of a, b". */
const char *param_type_wants(struct arena *a, const struct param_item *item);
/* What help shows for a value: N, TEXT, a|b, N[,N…]. */
const char *param_type_shown(struct arena *a, const struct param_item *item);
