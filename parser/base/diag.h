/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics: collected while the front end runs, printed once, in order of location.
 *
 *	open.bt:3:8-13: error: unknown function 'cuont' [unknown-function]
 *	  @a = cuont();
 *	       ~~~~~
 *	hint: did you mean 'count'?
 */
#pragma once
#include "parser/base/source.h"

enum diag_level { DIAG_ERROR, DIAG_WARNING };

struct diag {
	enum diag_level level;
	bool is_advice;
	bool is_unmatched;   /* a pattern of an attach point matches nothing */
	const char *instead; /* an event does not exist: the one that happens in its place */
	const char *tag;     /* stable, kebab-case; each has a golden test (tests/golden/errors) */
	struct span span;
	const char *msg;
	struct span note_span; /* second location, if note is set */
	const char *note;
	const char *hint;
};

struct diags {
	struct arena *arena;
	const struct source *source;
	struct diag *items;
	uint32_t n;
	uint32_t n_errors;
	bool no_warnings;     /* warnings are dropped */
	bool is_advice;	      /* warnings that are added now are dropped if an error comes */
	bool is_last_dropped; /* the last one was a duplicate: drop its note and hint as well */
};

/* Add an error, or a warning. A second message for the same span is dropped, so that one mistake
 * gets one message, except a warning after a different one. diag_error() always returns -1, for
 * `return diag_error(...)`; with `d` NULL it, diag_note() and diag_hint() do nothing else. */
int diag_error(struct diags *d, struct span span, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
void diag_warning(struct diags *d, struct span span, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
/* True once so many are stored that a further one is only counted. */
bool diags_are_full(const struct diags *d);
/* Add a second location, or a hint, to the last diagnostic, unless that was dropped as a duplicate.
 * They return -1, for `return diag_hint(...)`. */
int diag_note(struct diags *d, struct span span, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
int diag_hint(struct diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
/* The hint that is printed: its own ("": none), else that of the tag of an error (tag_hints.def), or
 * NULL. */
const char *diag_shown_hint(const struct diag *d);
/* The event that happens in place of one which does not exist, for the last diagnostic likewise. */
void diag_instead(struct diags *d, const char *event);
/* Print the calls of macros that a span was expanded from, the innermost first. */
void diag_print_calls(const struct source *s, struct span span, FILE *out);
/* Print the line of a span, underlined, and then these calls. */
void diag_print_lines(const struct source *s, struct span span, FILE *out);
/* All of them in the order of their places: d->n pointers, in the arena. */
const struct diag **diags_sorted(const struct diags *d);
/* Print all, sorted by place, at most LIMIT_ERRORS, with source lines; colour for terminals. */
void diags_print(const struct diags *d, FILE *out, bool colour);
