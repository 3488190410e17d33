/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a `param` or `option` item, as the grammar reads it: param_form.c.
 */
#pragma once
#include "parser/lang/ast.h"

/* The form with one more word: `stack | process`. */
struct param_form param_form_add(struct arena *a, struct param_form form, const char *word);
/* A list of what the form says. `word` has to be "list"; anything else is reported. */
struct param_form param_form_list(struct diags *d, struct span at, const char *word,
				  struct param_form form);
