/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of values: the default text of a view, and the conversions of printf. All writers use it,
 * also those that quote the text afterwards. None of these functions can fail. Text that the script
 * did not choose is escaped (parser/base/escape.h), except strings that printf gets from str().
 */
#pragma once
#include "runtime/base/text_buffer.h"
#include "runtime/view/view.h"

/* A value as %s, print() and map keys show it. Stacks begin with a newline and end with one. */
void format_view(struct text *t, const struct view *v);
/* The comma between two parts of a key or a tuple (format_stack.c). */
void format_comma(struct text *t, const struct type *before, const struct type *next);
/* The name of a function, that of C++ without its parameters. */
void format_function(struct text *t, const char *name);
/* The keys of a row, separated by commas. */
void format_keys(struct text *t, const struct view_row *r, uint32_t n);
/* What the script gave span(): `bytes = 5, took = 1.05 ms`; of a stack the functions of its
 * innermost `n_frames`, separated by " < ". */
void format_span_values(struct text *t, const struct view_span *s, uint32_t n_frames);
/* The parts of a tuple, separated by commas. */
void format_parts(struct text *t, const struct view *v);
/* What `time_unit` of a text says of numbers: none are times, or they are nanoseconds that are
 * shown in one unit, or each in its own with three digits. */
enum {
	SHOW_NUMBER,
	SHOW_US = TIME_UNIT_US,
	SHOW_MS = TIME_UNIT_MS,
	SHOW_S = TIME_UNIT_S,
	SHOW_NS = TIME_UNIT_NS,
	SHOW_OWN_UNIT
};
/* How the values of a map are shown (format_time.c). */
uint64_t format_map_unit(const struct view_map *m);
/* A time as a number of the unit, and the unit's name (format_time.c). */
void format_time(struct text *t, uint64_t unit, uint64_t ns, bool is_negative);
const char *format_unit(uint64_t unit);
/* The unit behind a number that does not have it yet: SHOW_OWN_UNIT. */
void format_time_unit(struct text *t, uint64_t unit);
/* An integer; with a time_unit, a time (format_agg.c). */
void format_number(struct text *t, uint64_t x, bool is_signed);
/* The share that a value has of its map's total (format_agg.c). */
void format_share(struct text *t, const struct view *v, uint64_t whole);
/* The text of an aggregation's value (format_agg.c). */
void format_agg(struct text *t, const struct view *v);
/* The name of a frame, "[libc.so.6]" if it has none (format_stack.c). */
void format_frame_name(struct text *t, const struct view_frame *f);
/* The text of a stack (format_stack.c). */
void format_stack(struct text *t, const struct view_stack *s, enum stack_form form);
/* A buffer (format_bytes.c). `form` is that of struct format_piece, `width` 0 for none. */
void format_bytes(struct text *t, const struct view *v, char form, int32_t width, bool left);
/* A floating-point number: its text, which may be in `out`; with a conversion (format_real.c). */
enum { FORMAT_REAL_TEXT = 64 };
const char *format_real(const struct view *v, char out[FORMAT_REAL_TEXT]);
void format_convert_real(struct text *t, const struct format_piece *p, const struct view *v);
/* True if a value of this type is printed as lines after the line with its name. */
bool format_is_block(const struct type *t);
/* True if the text of a value of this type is one integer. */
bool format_is_number(const struct type *t);
/* The output of a printf call; `fields` are views of the event's fields, in order. */
void format_printf(struct text *t, const struct plan_event *e, const struct view *fields);
