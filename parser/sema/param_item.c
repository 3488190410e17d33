/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named parameters: `param $name: type = default "doc";` items take the arguments of the command
 * line in order. Gives each item its value, and drops attach points that name an optional
 * parameter without a value (`= none`). Runs before pass 1, which replaces the names by the
 * values.
 */
#include "parser/base/arena.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *param_usage(struct arena *a, const struct program *p)
{
	const struct source *s = p->source;
	const char *out = strcmp(s->name, "stdin") ? s->name : "-e PROGRAM";

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];
		char *word = arena_strdup(a, item->name + 1);

		for (char *c = word; *c; c++)
			*c = (char)toupper((unsigned char)*c);
		out = arena_printf(a, item->other ? "%s [%s]" : "%s %s", out, word);
	}
	return out;
}

static int hint_usage(struct sema *s)
{
	return diag_hint(s->diags, "usage: sonde %s [options]; see 'sonde %s --help'",
			 param_usage(s->arena, s->program), s->program->source->name);
}

/* Decimal or 0x…, with a sign if the type is signed. Units are refused: 10s would be
 * nanoseconds. */
static bool read_number(const char *word, bool is_signed, uint64_t *value)
{
	const char *digits = word + (is_signed && word[0] == '-');
	bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *end;

	if (!isdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, is_hex ? 16 : 10);
	if (errno || *end || (is_signed && *value > INT64_MAX))
		return false;
	if (digits != word)
		*value = -*value;
	return true;
}

static void become_number(struct sema *s, struct param_item *item, uint64_t value)
{
	bool is_negative = strcmp(item->type, "int64") == 0 && (int64_t)value < 0;

	item->value = ast_int(s->arena, item->span, is_negative ? -value : value);
	if (is_negative)
		item->value = ast_unary(s->arena, item->span, OP_NEG, item->value);
	item->text = arena_printf(s->arena, is_negative ? "-%llu" : "%llu",
				  (unsigned long long)(is_negative ? -value : value));
}

static void become_string(struct sema *s, struct param_item *item, const char *text)
{
	item->value = ast_string(s->arena, item->span, text, (uint32_t)strlen(text));
	item->text = text;
}

static int bind_word(struct sema *s, struct param_item *item, const char *word)
{
	bool is_signed = strcmp(item->type, "int64") == 0;
	uint64_t value;

	if (!item->is_number) {
		become_string(s, item, word);
		return 0;
	}
	if (read_number(word, is_signed, &value)) {
		become_number(s, item, value);
		return 0;
	}
	become_number(s, item, 0);
	item->is_left_out = true; /* its probes would only repeat the error */
	diag_error(s->diags, item->name_span, "parameter-word", "%s must be a number, not '%.40s'",
		   item->name, word);
	return hint_usage(s);
}

static int bind_other(struct sema *s, struct param_item *item)
{
	const struct expr *other = item->other;
	bool is_none = other->kind == EX_NAME && strcmp(other->name.name, "none") == 0;

	if (is_none || other->kind == (item->is_number ? EX_INT : EX_STRING)) {
		item->is_left_out = is_none;
		if (item->is_number)
			become_number(s, item, is_none ? 0 : other->integer.value);
		else
			become_string(s, item, is_none ? "" : other->string.text);
		return 0;
	}
	diag_error(s->diags, other->span, "parameter-type", "%s is %s, so its default must be, too",
		   item->name, item->is_number ? "a number" : "a string");
	diag_hint(s->diags, "write = %s, or = none", item->is_number ? "10" : "\"text\"");
	return become_string(s, item, ""), -1;
}

static void bind_item(struct sema *s, uint32_t i)
{
	struct param_item *item = &s->program->items[i];
	bool is_string = strcmp(item->type, "string") == 0;

	item->is_number = !is_string;
	if (!is_string && strcmp(item->type, "uint64") && strcmp(item->type, "int64")) {
		diag_error(s->diags, item->span, "parameter-type",
			   "a parameter cannot be of type %s", item->type);
		diag_hint(s->diags, "its type is uint64, int64 or string");
		become_string(s, item, "");
		return;
	}
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(s->program->items[k].name, item->name) == 0) {
			diag_error(s->diags, item->name_span, "redeclared",
				   "parameter %s is declared twice", item->name);
			diag_note(s->diags, s->program->items[k].name_span,
				  "the other one is here");
		}
	if (i < s->program->n_params) {
		bind_word(s, item, s->program->params[i]);
	} else if (item->other) {
		bind_other(s, item);
	} else {
		diag_error(s->diags, item->name_span, "parameter-missing",
			   "there is no argument for %s", item->name);
		hint_usage(s);
		item->is_number ? become_number(s, item, 0) : become_string(s, item, "");
		item->is_left_out = true;
	}
}

struct param_item *param_find(const struct sema *s, const char *name)
{
	for (uint32_t i = 0; i < s->program->n_items; i++)
		if (strcmp(s->program->items[i].name, name) == 0)
			return &s->program->items[i];
	return NULL;
}

bool param_name(const struct sema *s, struct expr *e)
{
	struct param_item *item = param_find(s, e->var.name);
	struct span span = e->span;

	if (!item)
		return false;
	*e = *item->value;
	e->span = span;
	return true;
}

static bool names_item(const char *text, const struct param_item *item)
{
	size_t len = strlen(item->name);

	for (const char *at = strstr(text, item->name); at; at = strstr(at + 1, item->name))
		if (!isalnum((unsigned char)at[len]) && at[len] != '_')
			return true;
	return false;
}

/* True when the text names a parameter without a value. */
static bool names_absent(const struct sema *s, const char *text)
{
	for (uint32_t i = 0; i < s->program->n_items; i++)
		if (s->program->items[i].is_left_out && names_item(text, &s->program->items[i]))
			return true;
	return false;
}

bool param_blame(struct sema *s, const char *text)
{
	for (uint32_t i = 0; i < s->program->n_items; i++) {
		const struct param_item *item = &s->program->items[i];

		if (!names_item(text, item))
			continue;
		diag_error(s->diags, item->name_span, "parameter-word",
			   "invalid value '%.40s' for %s", item->text, item->name);
		hint_usage(s);
		return true;
	}
	return false;
}

static void leave_out(const struct sema *s, struct probe *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_texts; i++)
		if (!names_absent(s, p->texts[i].text))
			p->texts[n++] = p->texts[i];
	p->n_texts = n;
}

void param_bind(struct sema *s)
{
	struct program *p = s->program;
	uint32_t n = 0;

	if (!p->n_items)
		return;
	for (uint32_t i = 0; i < p->n_items; i++)
		bind_item(s, i);
	if (p->n_params > p->n_items) {
		diag_error(s->diags, p->items[p->n_items - 1].span, "parameter-extra",
			   "unexpected argument '%.40s'", p->params[p->n_items]);
		hint_usage(s);
	}
	for (uint32_t i = 0; i < p->n_probes; i++) {
		leave_out(s, p->probes[i]);
		if (p->probes[i]->n_texts)
			p->probes[n++] = p->probes[i];
	}
	if (!n && p->n_probes && !s->diags->n_errors) {
		diag_error(s->diags, p->items[0].span, "parameter-missing",
			   "without its parameters the script has no probe to run");
		hint_usage(s);
	}
	p->n_probes = n;
}
