/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See word_options.h.
 */
#include "cli/options/word_options.h"
#include "cli/base/help_columns.h"
#include "cli/options/option_rows.h"
#include "cli/options/options.h"
#include "cli/options/unknown_option.h"
#include "parser/base/nearest.h"
#include "runtime/base/log.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_spelled(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && memcmp(name, word, len) == 0;
}

static const struct word_option *find(const struct word_options *w, const char *word, size_t len)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (is_spelled(w->rows[i].name, word, len) ||
		    is_spelled(w->rows[i].other, word, len))
			return &w->rows[i];
	return NULL;
}

static int unknown(const struct word_options *w, const char *word)
{
	struct nearest near;

	nearest_init(&near, word);
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->rows[i].name)
			nearest_offer(&near, w->rows[i].name);
		if (w->rows[i].other)
			nearest_offer(&near, w->rows[i].other);
	}
	log_error("unknown option '%s' of 'sonde %s'", word, w->word);
	if (option_hint_other(w->word, word, strcspn(word, "=")))
		return -1;
	if (near.best)
		fprintf(stderr, "hint: did you mean '%s'?\n", near.best);
	else
		fprintf(stderr, "hint: 'sonde %s --help' lists the options\n", w->word);
	return -1;
}

int word_options_read(const struct word_options *w, const struct options *o, uint32_t *i,
		      const char **arg)
{
	const char *word = o->params[*i], *equals = strchr(word, '=');
	size_t len = word[1] == '-' && equals ? (size_t)(equals - word) : strlen(word);
	const struct word_option *row = find(w, word, len);

	*arg = len < strlen(word) ? equals + 1 : NULL;
	if (!row && word[1] != '-' && len > 2) { /* -fjson */
		row = find(w, word, 2);
		*arg = word + 2;
	}
	if (!row)
		return unknown(w, word);
	if (!row->arg && *arg)
		return option_error("option '%s' takes no value", row->name ?: row->other);
	if (row->arg && !*arg && *i + 1 >= o->n_params)
		return option_error("option '%s' requires a value", row->name ?: row->other);
	if (row->arg && !*arg)
		*arg = o->params[++*i];
	return (int)(row - w->rows);
}

void word_options_print(const struct word_options *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		const struct word_option *row = &w->rows[i];
		char left[64];

		snprintf(left, sizeof(left), "%s%s%s%s%s", row->name ?: "",
			 row->name && row->other ? ", " : "", row->other ?: "", row->arg ? " " : "",
			 row->arg ?: "");
		help_columns(left, w->width, row->help);
	}
}
