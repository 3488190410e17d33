/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer of output bytes, which its owner flushes or enlarges when it is full. None of these
 * functions can fail.
 */
#pragma once
#include "parser/base/escape.h"
#include <stdint.h>
#include <string.h>

struct text {
	char *bytes;
	size_t n, capacity;
	/* Called when the buffer is full; afterwards n < capacity. If a write or an allocation
	 * fails, the owner records the error and discards the bytes. */
	void (*make_room)(struct text *t);
	uint64_t time_unit; /* of numbers that are times (view/format.h); 0: they are none */
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

/* Append at most 511 bytes. Not for what runs once per event. */
void text_printf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append text that was chosen outside of the script, escaped. */
void text_escaped(struct text *t, enum escape_set set, const char *bytes, size_t n);
/* Append the name of a process, file, symbol or the like, escaped. */
void text_name(struct text *t, const char *s);
/* Append text for XML: escape_xml(). */
void text_xml(struct text *t, const char *bytes, size_t n);

void text_unsigned(struct text *t, uint64_t x);
void text_signed(struct text *t, int64_t x);
/* "1,234,567" */
void text_thousands(struct text *t, uint64_t x);
/* "0x" and lower hex. */
void text_hex(struct text *t, uint64_t x);

enum { TEXT_DIGITS = 24 }; /* 2^64 in octal has 22 */
/* Digits are written from right to left. Both return the first one; `end` is one past the last.
 * Zero has one digit. */
char *text_decimal_digits(char *end, uint64_t x);
char *text_hex_digits(char *end, uint64_t x, const char *digits);
/* text_put() as a callback. */
void text_put_to(void *text, const char *bytes, size_t n);

/* A text in an array of `size` bytes: what does not fit is dropped. */
struct text text_in_array(char *bytes, size_t size);
/* End it with a NUL. */
void text_terminate(struct text *t);

/* A text in memory, of at most 1 GiB. Without memory its bytes are discarded. */
struct text_grown {
	struct text text; /* first */
	int error;	  /* 0 or -ENOMEM */
	char spare[64];	  /* takes what there is no memory for */
};
void text_grown_init(struct text_grown *g);
void text_grown_free(struct text_grown *g);

/* A text that is written to a file. */
struct text_file {
	struct text text; /* first */
	FILE *f;
	char bytes[1024];
};
void text_file_init(struct text_file *t, FILE *f);
void text_file_flush(struct text_file *t);
