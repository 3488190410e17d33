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

/* Words of arguments or results, and the texts among them. */
struct call_parts {
	const uint64_t *words;
	uint32_t n_words;
	const struct sonde_call_text *texts;
	uint32_t forms; /* of texts: bytes of the plan */
};

static const void *bytes_at(const void *call, uint32_t offset)
{
	return (const uint8_t *)call + offset;
}

static struct call_parts arguments_of(const struct plan_call *c, const struct type *t,
				      const void *call)
{
	return (struct call_parts){bytes_at(call, call_arguments_at(t)), call_arguments(t),
				   bytes_at(call, call_texts_at(t)), (uint32_t)c->texts};
}

static struct call_parts results_of(const struct plan_call *c, const struct type *t,
				    const void *call)
{
	return (struct call_parts){bytes_at(call, call_results_at()), call_results(t),
				   &((const struct sonde_call *)call)->text,
				   c->texts >> SONDE_CALL_RESULT_BIT & 0xff};
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

static void show(struct text *to, const struct type *t, const void *bytes);

/* What a variant or a tuple of Rust holds. */
static void show_members(struct text *to, const struct type *t, const void *bytes)
{
	for (uint32_t i = 0; i < t->n_members; i++) {
		text_string(to, i ? ", " : "(");
		show(to, t->members[i].type, bytes_at(bytes, t->members[i].offset));
	}
	text_string(to, t->n_members ? ")" : "");
}

/* Its name; NULL: debug information has none. */
static const char *variant_name(const struct type *tag, const void *bytes)
{
	uint64_t value = 0, mask = tag->size < 8 ? (1ull << 8 * tag->size) - 1 : UINT64_MAX;

	memcpy(&value, bytes, tag->size);
	for (uint32_t i = 0; i < tag->enumeration->n_values; i++)
		if (((uint64_t)tag->enumeration->values[i].value & mask) == value)
			return tag->enumeration->values[i].name;
	return NULL;
}

/* An enum of Rust, as dwarf_layout.c makes it. A variant without a value is that of all values
 * which no other has. */
static bool show_variant(struct text *to, const struct type *t, const void *bytes)
{
	const struct type_member *last = &t->members[t->n_members - 1];
	bool is_enum = strcmp(last->name ?: "", "discriminant") == 0 && last->type->kind == TY_INT;
	const struct type_enum *e = is_enum ? last->type->enumeration : NULL;
	const char *name = e ? variant_name(last->type, bytes_at(bytes, last->offset)) : NULL;

	for (uint32_t i = 0; e && i + 1 < t->n_members; i++) {
		const struct type_member *m = &t->members[i];
		bool is_valued = false;

		for (uint32_t j = 0; j < e->n_values; j++)
			is_valued |= strcmp(e->values[j].name, m->name) == 0;
		if (m->type->kind != TY_STRUCT || (name ? strcmp(name, m->name) != 0 : is_valued))
			continue;
		text_string(to, m->name);
		show_members(to, m->type, bytes_at(bytes, m->offset));
		return true;
	}
	return false;
}

static void show(struct text *to, const struct type *t, const void *bytes)
{
	bool is_struct = t->kind == TY_STRUCT && t->n_members;
	struct view v;

	if (is_struct && show_variant(to, t, bytes))
		return;
	if (is_struct && strcmp(t->members[0].name ?: "", "__0") == 0) {
		show_members(to, t, bytes);
		return;
	}
	view_make(&v, t, bytes, NULL);
	format_view(to, &v);
}

static void put_view(struct text *to, const struct type *t, const void *bytes)
{
	char array[STRUCT_MOST + 2];
	struct text shown = text_in_array(array, sizeof(array));

	show(&shown, t, bytes);
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

/* The bytes of a structure that is in words. */
static void put_structure(struct text *to, const struct tp_field *f, const uint64_t *words)
{
	uint64_t bytes[SONDE_CALL_WORDS] = {0};
	bool is_interface = f->n_parts == 2 && f->type->kind == TY_STRUCT &&
			    strncmp(f->type->layout->tag ?: "", "runtime.", 8) == 0; /* of Go */

	if (is_interface && !words[0] && !words[1]) {
		text_string(to, "nil");
		return;
	}
	if (f->place != PLACE_PARTS || f->type->size > sizeof(bytes)) {
		put_view(to, f->type, words);
		return;
	}
	for (uint32_t i = 0; i < f->n_parts; i++)
		memcpy((uint8_t *)bytes + f->parts[i].at, &words[i], f->parts[i].size);
	put_view(to, f->type, bytes);
}

/* `words`: its own; `s`: its text, or NULL. */
static void put_value(struct text *to, const struct tp_field *f, const uint64_t *words,
		      const struct sonde_call_text *s)
{
	bool is_in_words = f->place == PLACE_WORDS || f->place == PLACE_PARTS;

	if (s && s->n)
		put_text(to, s);
	else if (f->place == PLACE_ADDRESS)
		text_string(to, "{...}");
	else if (is_in_words && type_kinds[f->type->kind].shape == SHAPE_PARTS)
		put_structure(to, f, words);
	else
		put_word(to, f, *words);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void put_field(struct text *to, const struct call_parts *p, const struct tp_field *f)
{
	uint32_t first = f->offset / 8, n = call_words(f);
	const struct sonde_call_text *s = NULL;

	if (f->offset == TYPED_NO_PLACE || !n || first + n > p->n_words) {
		text_string(to, f->place == PLACE_LOST ? "{...}" : "?");
		return;
	}
	for (uint32_t i = 0; i < SONDE_CALL_TEXTS; i++) {
		uint32_t what = p->forms >> 8 * i & 0xff;

		if (what >> 4 && (what & 15) == first)
			s = &p->texts[i];
	}
	put_value(to, f, p->words + first, s);
}

static void put_fields(struct text *to, const struct call_parts *p, const struct tp_field *fields,
		       uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		text_string(to, i ? ", " : "");
		put_field(to, p, &fields[i]);
	}
}

void call_values_arguments(struct text *to, const struct plan *p, const struct type *t,
			   const void *call)
{
	const struct plan_call *c = call_values_function(p, call);
	struct call_parts parts;

	if (!c || !c->typed) {
		text_string(to, "...");
		return;
	}
	parts = arguments_of(c, t, call);
	put_fields(to, &parts, c->typed->params, c->typed->n_params);
}

bool call_values_result(struct text *to, const struct plan *p, const struct type *t,
			const void *call)
{
	const struct plan_call *c = call_values_function(p, call);
	const struct sonde_call *value = call;
	const struct tp_field *f = c && c->typed ? &c->typed->result : NULL;
	struct call_parts parts;

	if (!f || !value->is_returned || strcmp(f->type_text, "void") == 0)
		return false;
	parts = results_of(c, t, call);
	text_string(to, c->typed->n_results ? "(" : "");
	put_fields(to, &parts, c->typed->n_results ? c->typed->results : f,
		   c->typed->n_results ?: 1);
	text_string(to, c->typed->n_results ? ")" : "");
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
	if (!call_values_result(&result, p, t, call))
		return;
	text_terminate(&result);
	text_string(to, " = ");
	text_string(to, bytes);
}
