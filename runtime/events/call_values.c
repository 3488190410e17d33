/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as text: see call_values.h. A program keeps words; what they mean is in the debug
 * information that the plan has of each function.
 */
#include "runtime/events/call_values.h"
#include "bpf_helpers/shared.h"
#include "parser/lang/call_value.h"
#include "runtime/view/format.h"

enum { STRUCT_MOST = 60 }; /* characters of a structure that is shown */

struct call_parts {
	const struct sonde_call *call;
	const uint64_t *words;
	uint32_t n_words;
	const struct sonde_call_text *texts;
};

static struct call_parts parts_of(const struct type *t, const void *call)
{
	const struct sonde_call *c = call;
	const uint64_t *words = (const uint64_t *)(c + 1);

	return (struct call_parts){c, words, (uint32_t)t->scale[0],
				   (const struct sonde_call_text *)(words + t->scale[0])};
}

const struct plan_call *call_values_function(const struct plan *p, const void *call)
{
	const struct sonde_call *c = call;

	return c->function < p->n_calls && p->calls[c->function].name ? &p->calls[c->function]
								      : NULL;
}

/* ---- one value ----------------------------------------------------------------------------- */

/* The bytes are escaped where the text is written: here only quotes are. */
static void put_text(struct text *to, const struct sonde_call_text *s)
{
	bool is_longer = s->n >= SONDE_CALL_TEXT_BYTES;
	size_t n = is_longer ? SONDE_CALL_TEXT_BYTES - 2 : s->n - 1;

	text_char(to, '"');
	for (size_t i = 0; i < n; i++) {
		char c = s->bytes[i];
		bool is_before_quote = i + 1 == n || s->bytes[i + 1] == '"';

		if (c == '"' || (c == '\\' && is_before_quote))
			text_char(to, '\\');
		text_char(to, c);
	}
	text_string(to, is_longer ? "\"..." : "\"");
}

static void put_character(struct text *to, char c)
{
	text_char(to, '\'');
	text_char(to, c);
	text_char(to, '\'');
}

static void put_view(struct text *to, const struct type *t, const void *bytes)
{
	char array[STRUCT_MOST + 2];
	struct text shown = text_in_array(array, sizeof(array));
	struct view v;

	view_make(&v, t, bytes, NULL);
	format_view(&shown, &v);
	text_terminate(&shown);
	text_string(to, strlen(array) > STRUCT_MOST ? "{...}" : array);
}

/* A number or an address. */
static void put_word(struct text *to, const struct tp_field *f, uint64_t word)
{
	const struct type *t = f->type;
	bool is_char = !f->is_enum && strcmp(f->type_text, "char") == 0;

	if (is_char && word << 56)
		put_character(to, (char)word);
	else if (f->to.levels || (t && t->kind == TY_POINTER))
		text_hex(to, word);
	else
		put_view(to,
			 t && (t->kind == TY_BOOL || t->kind == TY_INT) && t->size == f->size
				 ? t
				 : type_int(f->size, f->is_signed),
			 &word);
}

/* `words`: its own; `s`: its text, or NULL. */
static void put_value(struct text *to, const struct tp_field *f, const uint64_t *words,
		      const struct sonde_call_text *s)
{
	if (s && s->n)
		put_text(to, s);
	else if (f->place == PLACE_ADDRESS)
		text_string(to, "{...}");
	else if (f->place == PLACE_WORDS && type_kinds[f->type->kind].shape == SHAPE_PARTS)
		put_view(to, f->type, words);
	else
		put_word(to, f, *words);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void put_argument(struct text *to, const struct plan_call *c, const struct tp_field *f,
			 const struct call_parts *p)
{
	uint32_t first = f->offset / 8, n = call_words(f);
	const struct sonde_call_text *s = NULL;

	if (f->offset == TYPED_NO_PLACE || !n || first + n > p->n_words) {
		text_char(to, '?');
		return;
	}
	for (uint32_t i = 0; i < SONDE_CALL_TEXTS; i++) {
		uint32_t what = c->texts >> 8 * i & 0xff;

		if (what >> 4 && (what & 15) == first)
			s = &p->texts[i];
	}
	put_value(to, f, p->words + first, s);
}

void call_values_arguments(struct text *to, const struct plan *p, const struct type *t,
			   const void *call)
{
	const struct plan_call *c = call_values_function(p, call);
	struct call_parts parts = parts_of(t, call);

	for (uint32_t i = 0; c && c->typed && i < c->typed->n_params; i++) {
		text_string(to, i ? ", " : "");
		put_argument(to, c, &c->typed->params[i], &parts);
	}
	if (!c || !c->typed)
		text_string(to, "...");
}

bool call_values_result(struct text *to, const struct plan *p, const void *call)
{
	const struct plan_call *c = call_values_function(p, call);
	const struct sonde_call *value = call;
	const struct tp_field *f = c && c->typed ? &c->typed->result : NULL;

	if (!f || !value->is_returned || strcmp(f->type_text, "void") == 0)
		return false;
	if (call_words(f))
		put_value(to, f, value->result, &value->text);
	else
		text_string(to, f->place == PLACE_LOST ? "{...}" : "?");
	return true;
}

void call_values_text(struct text *to, const struct plan *p, const struct type *t, const void *call)
{
	const struct plan_call *c = call_values_function(p, call);
	char bytes[256];
	struct text result = text_in_array(bytes, sizeof(bytes));

	if (c)
		format_function(to, c->name);
	text_char(to, '(');
	call_values_arguments(to, p, t, call);
	text_char(to, ')');
	if (!call_values_result(&result, p, call))
		return;
	text_terminate(&result);
	text_string(to, " = ");
	text_string(to, bytes);
}
