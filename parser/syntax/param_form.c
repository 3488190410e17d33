/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The type of a `param` or `option` item: `uint64`, `list uint64`, `stack | process`.
 */
#include "parser/syntax/param_form.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include <string.h>

struct param_form param_form_add(struct arena *a, struct param_form form, const char *word)
{
	arena_push(a, form.words, form.n_words, word);
	return form;
}

struct param_form param_form_list(struct diags *d, struct span at, const char *word,
				  struct param_form form)
{
	form.is_list = true;
	if (strcmp(word, "list") == 0)
		return form;
	diag_error(d, at, "syntax", "unexpected '%s' before the type of a parameter", word);
	diag_hint(d, "several values are a list: param $tid: list uint64 = none \"…\";");
	return form;
}
