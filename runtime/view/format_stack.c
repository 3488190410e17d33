/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of stacks, one line for each frame, in the forms of stack_words.def.
 */
#include "runtime/view/format.h"
#include "parser/base/text.h"

static const char indent[] = "        ";

/* " (app.py:31)" */
static void put_place(struct text *t, const struct view_frame *f, bool has_line)
{
	if (!f->file)
		return;
	text_string(t, " (");
	text_name(t, view_frame_file(f));
	if (has_line) {
		text_char(t, ':');
		text_unsigned(t, f->line);
	}
	text_char(t, ')');
}

void format_frame_name(struct text *t, const struct view_frame *f)
{
	if (f->name) {
		text_name(t, f->name);
		if (view_frame_is_run(f))
			put_place(t, f, false);
		return;
	}
	text_char(t, '[');
	text_name(t, f->module ? text_base_name(f->module) : "unknown");
	text_char(t, ']');
}

static void put_indent(struct text *t)
{
	text_put(t, indent, sizeof(indent) - 1);
}

static void put_name(struct text *t, const struct view_frame *f)
{
	text_name(t, f->name);
	text_char(t, '+');
	text_unsigned(t, f->offset);
}

/* symbol+offset, or the address with the mapped file if known: 0x7f01 (libc.so+0x1) */
static void frame_bpftrace(struct text *t, const struct view_frame *f, bool is_user)
{
	bool is_vdso = is_user && f->module && strcmp(f->module, "[vdso]") == 0;

	put_indent(t);
	if (f->name) {
		put_name(t, f);
		if (is_vdso)
			text_string(t, " [vdso]");
		return;
	}
	text_hex(t, f->ip);
	if (f->module) {
		text_string(t, " (");
		text_name(t, text_base_name(f->module));
		text_char(t, '+');
		text_hex(t, f->offset);
		text_char(t, ')');
	}
}

static void put_plain_hex(struct text *t, uint64_t x)
{
	int shift = 60;

	while (shift && !(x >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		text_char(t, "0123456789abcdef"[x >> shift & 15]);
}

/* 7f01 symbol+offset (/path) */
static void frame_perf(struct text *t, const struct view_frame *f, bool is_user)
{
	text_char(t, '\t');
	put_plain_hex(t, f->ip);
	text_char(t, ' ');
	if (f->name)
		put_name(t, f);
	else
		text_string(t, "[unknown]");
	if (!is_user && !f->module)
		return;
	text_string(t, " (");
	text_name(t, f->module ? f->module : "[unknown]");
	text_char(t, ')');
}

static void frame_raw(struct text *t, const struct view_frame *f, bool is_user)
{
	put_plain_hex(t, f->ip);
}

/* 8f0d…21 0x1234: the build ID and the offset in the file */
static void frame_build_id(struct text *t, const struct view_frame *f, bool is_user)
{
	if (!f->name) {
		frame_raw(t, f, is_user);
		return;
	}
	text_name(t, f->name);
	text_char(t, ' ');
	text_hex(t, f->offset);
}

/* symbol (file:line) [inlined] */
static void frame_src(struct text *t, const struct view_frame *f, bool is_user)
{
	if (!f->name || (!f->file && !f->is_inlined)) {
		frame_bpftrace(t, f, is_user);
		return;
	}
	put_indent(t);
	text_name(t, f->name);
	put_place(t, f, true);
	if (f->is_inlined)
		text_string(t, " [inlined]");
}

static void frame_names(struct text *t, const struct view_frame *f, bool is_user)
{
	format_frame_name(t, f);
}

/* handle_request (app.py:31) [python] */
static void put_run(struct text *t, const struct view_frame *f)
{
	put_indent(t);
	text_name(t, f->name ?: "[unknown]");
	put_place(t, f, f->line != 0);
	text_char(t, ' ');
	text_name(t, f->module);
}

static void put_gap(struct text *t, const struct view_frame *f)
{
	put_indent(t);
	text_name(t, f->name);
}

typedef void frame_fn(struct text *t, const struct view_frame *f, bool is_user);
static frame_fn *const forms[] = {
#define STACK_FORM(id, ...) [FORM_##id] = frame_##id,
#include "parser/lang/stack_words.def"
};
_Static_assert(sizeof(forms) / sizeof(forms[0]) == STACK_FORM_COUNT, "one hook for each form");

/* inner;middle;outer: on one line. */
static void put_line(struct text *t, const struct view_stack *s)
{
	const char *note = s->is_lost ? VIEW_STACK_LOST
			   : s->cut   ? "truncated"
			   : s->n     ? NULL
				      : "none";

	for (uint32_t i = 0; i < s->n; i++) {
		if (i)
			text_char(t, ';');
		format_frame_name(t, &s->frames[i]);
	}
	if (!note)
		return;
	if (s->n)
		text_char(t, ';');
	text_char(t, '[');
	text_string(t, note);
	if (s->cut && !s->is_lost) {
		text_string(t, ": ");
		text_name(t, s->cut);
	}
	text_char(t, ']');
}

void format_stack(struct text *t, const struct view_stack *s, enum stack_form form)
{
	if (form == FORM_names) {
		put_line(t, s);
		return;
	}
	text_char(t, '\n');
	for (uint32_t i = 0; i < s->n; i++) {
		if (view_frame_is_gap(&s->frames[i]))
			put_gap(t, &s->frames[i]);
		else if (view_frame_is_run(&s->frames[i]) && form != FORM_raw)
			put_run(t, &s->frames[i]);
		else
			forms[form](t, &s->frames[i], s->is_user);
		text_char(t, '\n');
	}
	if (s->is_lost) {
		put_indent(t);
		text_string(t, "[" VIEW_STACK_LOST "]\n");
	}
	if (s->cut) {
		put_indent(t);
		text_string(t, "[truncated: ");
		text_name(t, s->cut);
		text_string(t, "]\n");
	}
}

/* Between a kernel stack and a user stack, whose frames look alike, say which one follows. */
void format_comma(struct text *t, const struct type *before, const struct type *next)
{
	text_string(t, ", ");
	if (before->kind == TY_KSTACK && next->kind == TY_USTACK)
		text_string(t, "-- user --");
	if (before->kind == TY_USTACK && next->kind == TY_KSTACK)
		text_string(t, "-- kernel --");
}
