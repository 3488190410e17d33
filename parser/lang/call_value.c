/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept of calls: see call_value.h.
 */
#include "parser/lang/call_value.h"
#include "bpf_helpers/shared.h"
#include "parser/base/regs.h"
#include "parser/lang/field_type.h"

enum { WORD = 8 };

/* Texts of the libraries of languages, that are two words in registers or in memory. */
static const struct text_row {
	const char *name; /* the type's; a last '<' or ',': what it begins with */
	enum sonde_call_form form;
} rows[] = {
	{"&str", SONDE_CALL_POINTER_SIZE},
	{"&mut str", SONDE_CALL_POINTER_SIZE},
	{"string", SONDE_CALL_POINTER_SIZE}, /* Go */
	{"basic_string_view<char,", SONDE_CALL_SIZE_POINTER},
};

static const char cpp_string[] = "basic_string<char,";

static const char *tag_of(const struct type *t)
{
	return t && t->kind == TY_STRUCT && t->layout->tag ? t->layout->tag : "";
}

uint32_t call_words(const struct tp_field *f)
{
	if (f->n_parts && (f->size || f->type))
		return f->n_parts;
	if (f->place == PLACE_WORDS && f->type)
		return (f->type->size + WORD - 1) / WORD;
	return f->size || f->place == PLACE_ADDRESS;
}

static bool is_in_registers(const struct tp_field *f)
{
	return f->place == PLACE_WORDS || f->place == PLACE_PARTS;
}

static enum sonde_call_form form_of(const struct tp_field *f)
{
	const struct type *t = f->type && f->type->kind == TY_POINTER ? f->type->to : f->type;
	const char *tag = tag_of(t);

	if (f->place == PLACE_NUMBER && f->size == WORD && field_is_text(f))
		return SONDE_CALL_CHARS;
	if ((f->place == PLACE_ADDRESS || t != f->type) &&
	    strncmp(tag, cpp_string, strlen(cpp_string)) == 0)
		return SONDE_CALL_AT_POINTER;
	for (size_t i = 0; is_in_registers(f) && i < sizeof(rows) / sizeof(*rows); i++)
		if (strncmp(tag, rows[i].name,
			    strlen(rows[i].name) + (strchr(rows[i].name, ',') == NULL)) == 0)
			return rows[i].form;
	return SONDE_CALL_NONE;
}

/* The result, or several. The first text among them is read. */
static void add_results(struct call_layout *l, const struct typed_function *f)
{
	const struct tp_field *all = f->n_results ? f->results : &f->result;

	for (uint32_t i = 0; i < (f->n_results ?: 1); i++) {
		uint32_t first = all[i].offset / WORD, n = call_words(&all[i]);
		enum sonde_call_form form = form_of(&all[i]);

		if (!n || first + n > SONDE_CALL_RESULTS)
			continue;
		l->n_results = first + n > l->n_results ? first + n : l->n_results;
		if (form != SONDE_CALL_NONE && !(l->texts >> SONDE_CALL_RESULT_BIT & 0xff))
			l->texts |= (uint64_t)(form << 4 | first) << SONDE_CALL_RESULT_BIT;
	}
}

struct call_layout call_layout_of(const struct typed_function *f, enum user_abi abi)
{
	struct call_layout l = {0};

	for (uint32_t i = 0; f && i < f->n_params; i++) {
		const struct tp_field *p = &f->params[i];
		uint32_t first = p->offset / WORD, n = call_words(p);
		enum sonde_call_form form = form_of(p);

		if (p->offset == TYPED_NO_PLACE || !n || first + n > SONDE_CALL_WORDS)
			continue;
		l.n_words = first + n > l.n_words ? first + n : l.n_words;
		if (regs_argument(abi, first + n - 1).is_on_stack)
			l.texts |= 1ull << SONDE_CALL_STACK_BIT;
		if (form != SONDE_CALL_NONE && l.n_texts < SONDE_CALL_TEXTS)
			l.texts |= (uint64_t)(form << 4 | first) << 8 * l.n_texts++;
	}
	if (f)
		add_results(&l, f);
	return l;
}

static bool has_result_text(struct call_layout l)
{
	return l.texts >> SONDE_CALL_RESULT_BIT & 0xff;
}

struct type call_type(struct call_layout l, bool is_known)
{
	struct type t = {.kind = TY_CALL, .align = 8};

	t.scale[0] = l.n_words;
	t.scale[1] = l.n_texts;
	t.scale[2] = l.n_results << 2 | has_result_text(l) << 1 | is_known;
	t.size = (uint32_t)(call_texts_at(&t) + l.n_texts * sizeof(struct sonde_call_text));
	return t;
}

uint32_t call_results_at(void)
{
	return sizeof(struct sonde_call);
}

uint32_t call_arguments_at(const struct type *call)
{
	return call_results_at() + WORD * call_results(call);
}

uint32_t call_texts_at(const struct type *call)
{
	return call_arguments_at(call) + WORD * call_arguments(call);
}
