/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf formats, parsed once: sema checks the arguments against the pieces, the plan keeps them,
 * the runtime prints by them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;

/* Where the string that %s prints comes from, in ascending order of trust. */
enum format_origin {
	FORMAT_FROM_NAME,   /* chosen by anybody (comm, a path), or unknown: escaped */
	FORMAT_FROM_MEMORY, /* read by str(): raw, but a terminal gets no escape sequences */
	FORMAT_FROM_SCRIPT, /* a literal: raw */
};

/* Conversions of floating-point numbers, and that of %gr. */
#define FORMAT_REAL "fFeEgG"
enum { FORMAT_GFP = '@' };

/* One piece of a printf format: literal text, then (if conv is set) one converted argument. */
struct format_piece {
	const char *text;
	uint32_t text_len;
	char conv; /* d i u x X o c p s r f F e E g G, FORMAT_GFP, or 0: text only */
	char form; /* r: 'x' or 'h' behind it, else 0 */
	bool left, plus, space, alt, zero;
	bool is_recorded; /* of a recording: a terminal gets no escape sequences of `text` */
	int32_t width, precision;	   /* -1: none */
	uint32_t bits;			   /* integer conversions: 8, 16, 32, 64 */
	uint32_t field;			   /* index in the event's fields */
	enum format_origin origin;	   /* %s of a string; set by the plan */
	uint32_t width_arg, precision_arg; /* '*': 1 + the index of its field; else 0 */
	/* A column of row(), whose name is the text: the unit that shows its time (TIME_UNIT_*);
	 * 0: it is no time. */
	uint32_t time_unit;
};

struct format_spec {
	struct format_piece *pieces;
	uint32_t n_pieces;
	uint32_t n_args;
	/* An invalid conversion: its location in the text; length 0 if all are valid. */
	uint32_t bad_at, bad_len;
};

/* A row of conversions.def. */
struct format_conversion {
	const char *letters; /* behind the '%' */
	const char *doc, *example;
};
extern const struct format_conversion format_conversions[];
extern const uint32_t n_format_conversions;

/* Parse `text`. Conversions: %[-+ #0][width][.precision][hh h l ll j z t](d i u x X o c p s r rx
 * rh f F e E g G gr). */
void format_parse(struct arena *a, const char *text, uint32_t len, struct format_spec *out);
