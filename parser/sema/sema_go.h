/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is not known of a function of Go. Each function returns false if it has reported an error;
 * for functions of other languages they return true.
 */
#pragma once
#include "parser/sema/sema.h"

/* Check that `e`, an argument by number, can be read at p. */
bool sema_go_argument(struct sema *s, const struct expr *e, const struct attach_point *p);
/* Check that `e`, the result, can be read at p. */
bool sema_go_result(struct sema *s, const struct expr *e, const struct attach_point *p);
/* Check that a call can be measured, or matched with its start, at p. `e` is the builtin `word`. */
bool sema_go_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		  const char *word);
/* The same for functions of C whose program switches stacks. is_nested: the word says which calls
 * are inside others. */
bool sema_switch_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		      const char *word, bool is_nested);
