/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C declarators: see decl.h.
 */
#include "runtime/base/decl.h"
#include <stdio.h>
#include <string.h>

enum { QUALIFIERS_KEPT = 20 }; /* bytes of "const volatile" */

void decl_append(struct decl *d, const char *s)
{
	size_t n = strlen(s);

	if (d->to + n >= DECL_BYTES) {
		d->is_full = true;
		return;
	}
	memcpy(d->text + d->to, s, n + 1);
	d->to += (uint32_t)n;
}

void decl_prepend(struct decl *d, const char *s)
{
	size_t n = strlen(s);

	if (n > d->from) {
		d->is_full = true;
		return;
	}
	d->from -= (uint32_t)n;
	memcpy(d->text + d->from, s, n);
}

void decl_begin(struct decl *d, const char *name)
{
	d->from = d->to = DECL_MIDDLE;
	d->text[d->to] = d->qualifiers[0] = '\0';
	d->is_full = false;
	decl_append(d, name);
}

void decl_bracket(struct decl *d, bool *is_pointer)
{
	if (*is_pointer) {
		decl_prepend(d, "(");
		decl_append(d, ")");
	}
	*is_pointer = false;
}

void decl_qualify(struct decl *d, const char *word, bool is_pointer_below)
{
	char before[sizeof(d->qualifiers)];

	if (!is_pointer_below) {
		memcpy(before, d->qualifiers, sizeof(before));
		snprintf(d->qualifiers, sizeof(d->qualifiers), "%s %.*s", word, QUALIFIERS_KEPT,
			 before);
		return;
	}
	if (d->text[d->from] && d->text[d->from] != ' ')
		decl_prepend(d, " ");
	decl_prepend(d, word);
	decl_prepend(d, " ");
}

const char *decl_text(struct decl *d)
{
	char first = d->text[d->from];

	if (d->is_full)
		return " /* a type too long to be shown */";
	if (first && first != ' ' && d->from) /* there is room before the text */
		d->text[--d->from] = ' ';
	return d->text + d->from;
}
