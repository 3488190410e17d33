/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of values: a byte buffer that its owner flushes or enlarges when it is full, the default
 * text of a view, and the conversions of printf. All writers use it, also those that quote the
 * text afterwards. None of these functions can fail. Text that the script did not choose is escaped
 * (parser/base/escape.h), except strings that printf gets from str().
 */
#pragma once
#include "parser/base/escape.h"
#include "runtime/view/view.h"
#include <stddef.h>
#include <string.h>

/* A buffer of output bytes. */
struct text {
	char *bytes;
	size_t n, capacity;
	/* Called when the buffer is full; afterwards n < capacity. If a write or an allocation
	 * fails, the owner records the error and discards the bytes. */
	void (*make_room)(struct text *t);
	uint64_t time_unit; /* of values of maps that are times: a word of the setting */
	bool is_quoted;	    /* the bytes are quoted afterwards (JSON): nothing is escaped here */
	bool is_terminal;   /* they go to a terminal */
};

/* Append bytes, which may exceed the capacity. */
void text_put_slow(struct text *t, const char *bytes, size_t n);
/* Append `n` times `c`. */
void text_fill(struct text *t, char c, size_t n);

static inline void text_put(struct text *t, const char *bytes, size_t n)
{
	if (n > t->capacity - t->n) {
		text_put_slow(t, bytes, n);
		return;
	}
	if (n > 0)
		memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

static inline void text_char(struct text *t, char c)
{
	text_put(t, &c, 1);
}

static inline void text_string(struct text *t, const char *s)
{
	text_put(t, s, strlen(s));
}

/* Append text that was chosen outside of the script, escaped. */
void text_escaped(struct text *t, enum escape_set set, const char *bytes, size_t n);
/* Append the name of a process, file, symbol or the like, escaped. */
void text_name(struct text *t, const char *s);
/* Append text for XML: escape_xml(). */
void text_xml(struct text *t, const char *bytes, size_t n);

void text_unsigned(struct text *t, uint64_t x);
void text_signed(struct text *t, int64_t x);
/* "0x" and lower hex. */
void text_hex(struct text *t, uint64_t x);

/* A value as %s, print() and map keys show it. Stacks begin with a newline and end with one. */
void format_view(struct text *t, const struct view *v);
/* The comma between two parts of a key or a tuple (format_stack.c). */
void format_comma(struct text *t, const struct type *before, const struct type *next);
/* The parts of a tuple, separated by commas. */
void format_parts(struct text *t, const struct view *v);
/* An integer; with a time_unit, a time (format_agg.c). */
void format_number(struct text *t, uint64_t x, bool is_signed);
/* The share that a value has of its map's total (format_agg.c). */
void format_share(struct text *t, const struct view *v, uint64_t whole);
/* The text of an aggregation's value (format_agg.c). */
void format_agg(struct text *t, const struct view *v);
/* The text of a stack (format_stack.c). */
void format_stack(struct text *t, const struct view_stack *s, enum stack_form form);
/* A buffer (format_bytes.c). `form` is that of struct format_piece, `width` 0 for none. */
void format_bytes(struct text *t, const struct view *v, char form, int32_t width, bool left);
/* True if a value of this type is printed as lines after the line with its name. */
bool format_is_block(const struct type *t);
/* The output of a printf call; `fields` are views of the event's fields, in order. */
void format_printf(struct text *t, const struct plan_event *e, const struct view *fields);
