/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of values: a byte buffer that its owner empties or enlarges when it is full, the default
 * text of a view, and printf's conversions. Used by every writer that shows text (also the ones
 * that quote it afterwards); none of these functions can fail.
 */
#pragma once
#include "runtime/output/view.h"
#include <stddef.h>
#include <string.h>

/* Bytes on their way out. */
struct text {
	char *bytes;
	size_t n, capacity;
	/* Called when the buffer is full; afterwards n < capacity. What went wrong (a write, no
	 * memory) its owner remembers; the bytes are then thrown away. */
	void (*make_room)(struct text *t);
};

/* Append bytes that may be more than fit at once. */
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

void text_unsigned(struct text *t, uint64_t x);
void text_signed(struct text *t, int64_t x);
/* "0x" and lower hex. */
void text_hex(struct text *t, uint64_t x);

/* A value as %s, print() and map keys show it. Stacks begin with a newline and end with one. */
void format_view(struct text *t, const struct view *v);
/* The parts of a tuple, comma between them. */
void format_parts(struct text *t, const struct view *v);
/* The text of an aggregation's value (format_agg.c). */
void format_agg(struct text *t, const struct view *v);
/* Is such a value lines of its own, after the line with its name? */
bool format_is_block(const struct type *t);
/* What a printf call prints; `fields` are views of the event's fields, in their order. */
void format_printf(struct text *t, const struct plan_event *e, const struct view *fields);
