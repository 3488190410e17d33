/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers of output bytes: see text_buffer.h.
 */
#include "runtime/base/text_buffer.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/param.h>

enum { GROWN_FIRST = 4096, GROWN_MOST = 1 << 30 };

static void grow(struct text *t)
{
	struct text_grown *g = (struct text_grown *)t;
	size_t capacity = t->bytes == g->spare ? 0 : t->capacity ? 2 * t->capacity : GROWN_FIRST;
	char *bytes = capacity && capacity <= GROWN_MOST ? realloc(t->bytes, capacity) : NULL;

	if (bytes) {
		t->bytes = bytes;
		t->capacity = capacity;
		return;
	}
	g->error = -ENOMEM;
	t->n = 0;
	if (!t->bytes) {
		t->bytes = g->spare;
		t->capacity = sizeof(g->spare);
	}
}

void text_grown_init(struct text_grown *g)
{
	g->text = (struct text){.make_room = grow};
	g->error = 0;
}

void text_grown_free(struct text_grown *g)
{
	if (g->text.bytes != g->spare)
		free(g->text.bytes);
	text_grown_init(g);
}

static void drop_rest(struct text *t)
{
	t->n = t->capacity - 1;
}

struct text text_in_array(char *bytes, size_t size)
{
	return (struct text){.bytes = bytes, .capacity = size, .make_room = drop_rest};
}

void text_terminate(struct text *t)
{
	t->bytes[t->n < t->capacity ? t->n : t->capacity - 1] = '\0';
}

static void write_out(struct text *t)
{
	fwrite(t->bytes, 1, t->n, ((struct text_file *)t)->f);
	t->n = 0;
}

void text_file_init(struct text_file *t, FILE *f)
{
	t->text = (struct text){.bytes = t->bytes,
				.capacity = sizeof(t->bytes),
				.make_room = write_out};
	t->f = f;
}

void text_file_flush(struct text_file *t)
{
	write_out(&t->text);
}

void text_put_slow(struct text *t, const char *bytes, size_t n)
{
	while (n > 0) {
		if (t->n == t->capacity)
			t->make_room(t);
		size_t part = MIN(n, t->capacity - t->n);
		memcpy(t->bytes + t->n, bytes, part);
		t->n += part;
		bytes += part;
		n -= part;
	}
}

void text_fill(struct text *t, char c, size_t n)
{
	while (n > 0) {
		if (t->n == t->capacity)
			t->make_room(t);
		size_t part = MIN(n, t->capacity - t->n);
		memset(t->bytes + t->n, c, part);
		t->n += part;
		n -= part;
	}
}

void text_printf(struct text *t, const char *format, ...)
{
	char bytes[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(bytes, sizeof(bytes), format, args);
	va_end(args);
	text_put(t, bytes, MIN((size_t)n, sizeof(bytes) - 1));
}

void text_put_to(void *ctx, const char *bytes, size_t n)
{
	text_put(ctx, bytes, n);
}

void text_escaped(struct text *t, enum escape_set set, const char *bytes, size_t n)
{
	if (t->is_quoted || escape_clean(set, bytes, n) == n)
		text_put(t, bytes, n);
	else
		escape_text(set, bytes, n, text_put_to, t);
}

void text_name(struct text *t, const char *s)
{
	text_escaped(t, ESCAPE_NAME, s, strlen(s));
}

void text_xml(struct text *t, const char *bytes, size_t n)
{
	escape_xml(bytes, n, text_put_to, t);
}

char *text_decimal_digits(char *end, uint64_t x)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";

	while (x >= 100) {
		end -= 2;
		memcpy(end, &pairs[2 * (x % 100)], 2);
		x /= 100;
	}
	if (x >= 10) {
		end -= 2;
		memcpy(end, &pairs[2 * x], 2);
	} else {
		*--end = (char)('0' + x);
	}
	return end;
}

char *text_hex_digits(char *end, uint64_t x, const char *digits)
{
	do
		*--end = digits[x & 15];
	while (x >>= 4);
	return end;
}

void text_unsigned(struct text *t, uint64_t x)
{
	char digits[TEXT_DIGITS], *end = digits + sizeof(digits);
	char *first = text_decimal_digits(end, x);

	text_put(t, first, (size_t)(end - first));
}

void text_signed(struct text *t, int64_t x)
{
	char digits[TEXT_DIGITS], *end = digits + sizeof(digits);
	char *first = text_decimal_digits(end, x < 0 ? -(uint64_t)x : (uint64_t)x);

	if (x < 0)
		*--first = '-';
	text_put(t, first, (size_t)(end - first));
}

void text_hex(struct text *t, uint64_t x)
{
	char digits[TEXT_DIGITS], *end = digits + sizeof(digits);
	char *first = text_hex_digits(end, x, "0123456789abcdef");

	*--first = 'x';
	*--first = '0';
	text_put(t, first, (size_t)(end - first));
}

void text_thousands(struct text *t, uint64_t x)
{
	if (x >= 1000) {
		text_thousands(t, x / 1000);
		text_printf(t, ",%03u", (unsigned)(x % 1000));
	} else {
		text_unsigned(t, x);
	}
}
