/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses printf formats into plan_pieces. A piece is literal text, then (if conv != 0) one
 * conversion. Integers are 64 bits wide unless hh or h narrow them: unlike C's, a plain %d never
 * truncates. A '*' takes an argument, in C's order: width, precision, value.
 */
#include "parser/lang/format_spec.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include <ctype.h>
#include <string.h>

const struct format_conversion format_conversions[] = {
#define CONVERSION(...) {__VA_ARGS__},
#include "parser/lang/conversions.def"
};
const uint32_t n_format_conversions = sizeof(format_conversions) / sizeof(*format_conversions);

struct reader {
	const char *at, *end;
};

static char peek(const struct reader *r)
{
	return r->at < r->end ? *r->at : '\0';
}

static void read_flags(struct reader *r, struct format_piece *p)
{
	for (;; r->at++) {
		switch (peek(r)) {
		case '-': p->left = true; break;
		case '+': p->plus = true; break;
		case ' ': p->space = true; break;
		case '#': p->alt = true; break;
		case '0': p->zero = true; break;
		default: return;
		}
	}
}

/* A number, or -1; a value above LIMIT_WIDTH becomes LIMIT_WIDTH + 1, which the caller rejects. */
static int32_t read_number(struct reader *r)
{
	int32_t n = -1;

	for (; isdigit((unsigned char)peek(r)); r->at++) {
		n = (n < 0 ? 0 : n) * 10 + (*r->at - '0');
		if (n > LIMIT_WIDTH)
			n = LIMIT_WIDTH + 1;
	}
	return n;
}

static uint32_t read_bits(struct reader *r)
{
	uint32_t bits = 64;

	if (peek(r) == 'h') {
		r->at++;
		bits = 16;
		if (peek(r) == 'h') {
			r->at++;
			bits = 8;
		}
		return bits;
	}
	while (peek(r) && strchr("ljztL", peek(r)))
		r->at++;
	return bits;
}

/* '*': taken from an argument. */
static bool read_star(struct reader *r, uint32_t *arg, uint32_t *n_args)
{
	if (peek(r) != '*')
		return false;
	r->at++;
	*arg = ++*n_args;
	return true;
}

/* The letters that end a conversion: the longest row that fits. */
static bool read_letters(struct reader *r, struct format_piece *p)
{
	size_t longest = 0, left = (size_t)(r->end - r->at);

	for (uint32_t i = 0; i < n_format_conversions; i++) {
		size_t n = strlen(format_conversions[i].letters);

		if (n > longest && n <= left &&
		    memcmp(r->at, format_conversions[i].letters, n) == 0)
			longest = n;
	}
	if (!longest)
		return false;
	p->conv = *r->at;
	if (p->conv == 'r' && longest > 1)
		p->form = r->at[1];
	else if (longest > 1)
		p->conv = FORMAT_GFP;
	r->at += longest;
	return true;
}

/* Parse what follows a '%'. False if it is not a supported conversion. */
static bool read_conversion(struct reader *r, struct format_piece *p, uint32_t *n_args)
{
	read_flags(r, p);
	if (!read_star(r, &p->width_arg, n_args))
		p->width = read_number(r);
	p->precision = -1;
	if (peek(r) == '.') {
		r->at++;
		if (!read_star(r, &p->precision_arg, n_args))
			p->precision = read_number(r);
		if (p->precision < 0 && !p->precision_arg)
			p->precision = 0;
	}
	p->bits = read_bits(r);
	return p->width <= LIMIT_WIDTH && p->precision <= LIMIT_WIDTH && read_letters(r, p);
}

static void add_text(struct arena *a, struct format_spec *out, const char *text, uint32_t len)
{
	struct format_piece p = {.text = arena_strndup(a, text, len), .text_len = len};

	p.width = p.precision = -1;
	arena_push(a, out->pieces, out->n_pieces, p);
}

void format_parse(struct arena *a, const char *text, uint32_t len, struct format_spec *out)
{
	struct reader r = {text, text + len};
	const char *from = text;

	*out = (struct format_spec){0};
	while (r.at < r.end) {
		const char *percent = r.at;

		if (*r.at++ != '%')
			continue;
		if (peek(&r) == '%') { /* keep one of the two '%' in the text */
			add_text(a, out, from, (uint32_t)(r.at - from));
			from = ++r.at;
			continue;
		}
		if (r.at == r.end || (*r.at && iscntrl((unsigned char)*r.at)))
			continue; /* "100%", "100%\n": as bpftrace prints it */
		add_text(a, out, from, (uint32_t)(percent - from));
		if (!read_conversion(&r, &out->pieces[out->n_pieces - 1], &out->n_args)) {
			out->bad_at = (uint32_t)(percent - text);
			out->bad_len = (uint32_t)(r.at - percent) + (r.at < r.end);
			return;
		}
		out->pieces[out->n_pieces - 1].field = out->n_args++;
		from = r.at;
	}
	if (from < r.end)
		add_text(a, out, from, (uint32_t)(r.end - from));
}
