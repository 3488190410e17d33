/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getopt("name", default, "description"): options of a script, given on the command line behind
 * "--" as --name or --name=value. Calls are replaced by literals.
 */
#include "parser/base/arena.h"
#include "parser/base/nearest.h"
#include "parser/lang/literal.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"
#include <stdlib.h>
#include <string.h>

/* An option: its first call, and what the command line gives. */
struct script_option {
	const char *name, *description; /* description: or NULL */
	struct span span;
	const struct expr *other; /* the default, or NULL */
	const char *word;	  /* the value; "" for --name alone; NULL: not given */
};

/* ---- calls ------------------------------------------------------------------------------- */

static const struct expr *argument(const struct expr *e, uint32_t i)
{
	return i < e->call.n_args ? e->call.args[i] : NULL;
}

static bool is_negative(const struct expr *e)
{
	return e->kind == EX_UNARY && e->unary.op == OP_NEG && e->unary.operand->kind == EX_INT;
}

static bool is_literal(const struct expr *e)
{
	return e->kind == EX_INT || e->kind == EX_STRING || is_negative(e);
}

static bool is_same(const struct expr *a, const struct expr *b)
{
	if (!a || !b || a->kind != b->kind)
		return a == b;
	if (is_negative(a))
		return is_same(a->unary.operand, b->unary.operand);
	if (a->kind == EX_STRING)
		return a->string.len == b->string.len &&
		       memcmp(a->string.text, b->string.text, a->string.len) == 0;
	return a->integer.value == b->integer.value && a->integer.is_bool == b->integer.is_bool;
}

/* True when the arguments are literals, as they must be. */
static bool is_option(struct sema *s, const struct expr *e)
{
	static const char *const what[] = {"the name", "the default", "the description"};

	if (e->call.n_args < 1 || e->call.n_args > 3) {
		diag_error(s->diags, e->span, "arg-count", "getopt takes 1 to 3 arguments, not %u",
			   e->call.n_args);
		return false;
	}
	for (uint32_t i = 0; i < e->call.n_args; i++) {
		const struct expr *arg = e->call.args[i];

		if (i == 1 ? is_literal(arg) : arg->kind == EX_STRING)
			continue;
		diag_error(s->diags, arg->span, "arg-type", "%s of an option must be a literal%s",
			   what[i], i == 1 ? "" : " string");
		return false;
	}
	return true;
}

static struct script_option *find(struct sema *s, const char *name, size_t len)
{
	for (uint32_t i = 0; i < s->program->n_options; i++)
		if (strlen(s->program->options[i].name) == len &&
		    memcmp(s->program->options[i].name, name, len) == 0)
			return &s->program->options[i];
	return NULL;
}

static void add(struct sema *s, const struct expr *e)
{
	const char *name = e->call.args[0]->string.text;
	const struct expr *text = argument(e, 2);
	struct script_option *same = find(s, name, strlen(name)), option;

	option = (struct script_option){
		.name = name,
		.span = e->span,
		.other = argument(e, 1),
		.description = text ? text->string.text : NULL,
	};
	if (!same) {
		arena_push(s->arena, s->program->options, s->program->n_options, option);
		return;
	}
	if (is_same(same->other, option.other) &&
	    (!same->description || !option.description ||
	     strcmp(same->description, option.description) == 0)) {
		same->description = same->description ? same->description : option.description;
		return;
	}
	diag_error(s->diags, e->span, "redeclared",
		   "option --%s has another default or description elsewhere", name);
	diag_note(s->diags, same->span, "here");
}

static const char *type_of(const struct script_option *o)
{
	if (!o->other || (o->other->kind == EX_INT && o->other->integer.is_bool))
		return "bool";
	if (o->other->kind == EX_STRING)
		return "string";
	return is_negative(o->other) ? "int64" : "uint64";
}

static const char *default_of(struct arena *a, const struct expr *e)
{
	if (!e)
		return "false";
	if (e->kind == EX_STRING)
		return arena_printf(a, "\"%s\"", e->string.text);
	if (is_negative(e))
		return arena_printf(a, "-%s", default_of(a, e->unary.operand));
	if (e->integer.is_bool)
		return e->integer.value ? "true" : "false";
	return arena_printf(a, "%llu", (unsigned long long)e->integer.value);
}

bool getopt_is(const struct builtin *b)
{
	return b && b->check == chk_getopt;
}

static void collect(struct expr *e, void *ctx)
{
	struct sema *s = ctx;

	ast_each_child(e, collect, ctx);
	if (e->kind == EX_CALL && getopt_is(builtin_find(e->call.name)) && is_option(s, e))
		add(s, e);
}

static void collect_all(struct sema *s)
{
	struct program *p = s->program;

	for (uint32_t i = 0; i < p->n_probes; i++) {
		if (p->probes[i]->predicate)
			collect(p->probes[i]->predicate, s);
		ast_each_in_block(&p->probes[i]->body, collect, s);
	}
}

/* Options that only definitions read count, too: a macro may be called. */
uint32_t getopt_list(struct arena *a, struct program *p, struct option_help **out)
{
	struct diags quiet = {.arena = a, .source = p->source};
	struct sema s = {.arena = a, .diags = &quiet, .program = p};
	uint32_t n = 0;

	collect_all(&s);
	for (uint32_t i = 0; i < p->n_functions; i++)
		ast_each_in_block(&p->functions[i]->body, collect, &s);
	*out = NULL;
	for (uint32_t i = 0; i < p->n_options; i++) {
		const struct script_option *o = &p->options[i];
		struct option_help help = {.name = o->name,
					   .type = type_of(o),
					   .other = default_of(a, o->other),
					   .description = o->description};

		arena_push(a, *out, n, help);
	}
	return n;
}

/* ---- the command line -------------------------------------------------------------------- */

static const char *list(struct sema *s)
{
	const char *text = "";

	for (uint32_t i = 0; i < s->program->n_options; i++) {
		const struct script_option *o = &s->program->options[i];

		text = arena_printf(s->arena, "%s%s--%s%s%s", text, *text ? "; " : "", o->name,
				    o->description ? ": " : "",
				    o->description ? o->description : "");
	}
	return text;
}

/* Returns whether the word was an option of the script. */
static bool take_word(struct sema *s, const char *word, const char **unknown)
{
	struct script_option *o;
	size_t len;

	if (strncmp(word, "--", 2) != 0)
		return false;
	len = strcspn(word + 2, "=");
	if (!len)
		return false;
	o = find(s, word + 2, len);
	if (o)
		o->word = word[2 + len] ? word + 2 + len + 1 : "";
	else
		*unknown = arena_printf(s->arena, "%s%s%s", *unknown, **unknown ? ", " : "", word);
	return true;
}

/* Report words that are no options: the command line is wrong, no place in the script. */
static void refuse_unknown(struct sema *s, const char *unknown)
{
	struct nearest near;

	if (strcmp(unknown, "--help") == 0)
		diag_error(s->diags, SPAN_NONE, "program-option",
			   "this is the help on the script's options");
	else
		diag_error(s->diags, SPAN_NONE, "program-option", "the script has no option %s",
			   unknown);
	nearest_init(&near, arena_strndup(s->arena, unknown, strcspn(unknown, "=,")));
	for (uint32_t i = 0; i < s->program->n_options; i++)
		nearest_offer(&near, arena_printf(s->arena, "--%s", s->program->options[i].name));
	if (near.best)
		diag_hint(s->diags, "did you mean '%s'?", near.best);
	else
		diag_hint(s->diags, "it has %s", list(s));
}

void getopt_bind(struct sema *s)
{
	struct program *p = s->program;
	const char **words = NULL, *unknown = "";
	uint32_t n = 0;

	collect_all(s);
	if (!p->n_options)
		return;
	for (uint32_t i = 0; i < p->n_params; i++)
		if (!take_word(s, p->params[i], &unknown))
			arena_push(s->arena, words, n, p->params[i]);
	p->params = words;
	p->n_params = n;
	if (*unknown)
		refuse_unknown(s, unknown);
}

/* ---- values ------------------------------------------------------------------------------ */

static const struct expr *refuse(struct sema *s, const struct script_option *o, const char *why)
{
	if (!*o->word) {
		diag_error(s->diags, SPAN_NONE, "program-option", "option --%s requires a value",
			   o->name);
		diag_hint(s->diags, "write --%s=VALUE; it %s", o->name, why);
		return o->other ? o->other : ast_bool(s->arena, o->span, false);
	}
	diag_error(s->diags, o->span, "program-option",
		   "program command line option --%s %s (value: %.60s)", o->name, why, o->word);
	return o->other ? o->other : ast_bool(s->arena, o->span, false);
}

static const struct expr *read_bool(struct sema *s, const struct script_option *o)
{
	bool value = true;

	if (*o->word && !literal_word_bool(o->word, &value))
		return refuse(s, o, "takes 1, true, on, yes, 0, false, off or no");
	return ast_bool(s->arena, o->span, value);
}

static const struct expr *read_number(struct sema *s, const struct script_option *o)
{
	bool is_signed = is_negative(o->other), is_minus = is_signed && o->word[0] == '-';
	uint64_t value;
	struct expr *e;

	if (!literal_word_number(s->arena, o->word + is_minus, &value) ||
	    (is_signed && value > INT64_MAX))
		return refuse(s, o,
			      is_signed ? "takes a number" : "takes a number that is not negative");
	e = ast_int(s->arena, o->span, value);
	return is_minus ? ast_unary(s->arena, o->span, OP_NEG, e) : e;
}

static const struct expr *value_of(struct sema *s, const struct script_option *o)
{
	if (!o->word)
		return o->other ? o->other : ast_bool(s->arena, o->span, false);
	if (!o->other || (o->other->kind == EX_INT && o->other->integer.is_bool))
		return read_bool(s, o);
	if (o->other->kind == EX_STRING)
		return ast_string(s->arena, o->span, o->word, (uint32_t)strlen(o->word));
	return read_number(s, o);
}

void getopt_resolve(struct sema *s, struct expr *e)
{
	struct expr *name = e->call.n_args ? e->call.args[0] : NULL;
	bool is_text = name && name->kind == EX_STRING;
	const struct script_option *o =
		is_text ? find(s, name->string.text, strlen(name->string.text)) : NULL;
	struct span span = e->span;
	const struct expr *value = o ? value_of(s, o) : ast_bool(s->arena, span, false);

	*e = *value;
	e->span = span;
	if (e->kind == EX_UNARY) { /* each call has nodes of its own */
		e->unary.operand = ast_int(s->arena, span, e->unary.operand->integer.value);
		e->unary.operand->height = 1;
	}
	e->height = e->kind == EX_UNARY ? 2 : 1;
	e->is_parameter = true;
}

/* Calls are replaced in pass 1. */
const struct type *chk_getopt(struct sema *s, struct expr *e)
{
	(void)s;
	(void)e;
	return &type_error;
}
