/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named parameters: `param $name: type = default "doc";` items take the arguments of the command
 * line in order, `option` items those that are given as --name. Gives each item its value, and
 * drops attach points that name an optional parameter without a value (`= none`). Runs before
 * pass 1, which replaces the names by the values.
 */
#include "parser/base/text.h"
#include "parser/base/time_unit.h"
#include "parser/lang/literal.h"
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include "parser/sema/sema.h"
#include <ctype.h>

/* As the user knows it: $seconds, --min. */
static const char *shown_name(struct sema *s, const struct param_item *item)
{
	return item->is_option ? param_option_name(s->arena, item) : item->name;
}

/* The value 0, "", no or of an empty list; of getopt(), the default. */
static void become_empty(struct sema *s, struct param_item *item)
{
	if (item->is_getopt) {
		item->value = item->other;
		return;
	}
	item->value = item->type ? item->type->read(s->arena, item, item->type->empty, &item->text)
				 : NULL;
	if (item->value)
		return;
	item->text = "";
	item->value = ast_string(s->arena, item->span, "", 0);
}

/* The text of a list in an attach point: its members as alternatives. */
static void join_texts(struct sema *s, struct param_item *item, const char *before)
{
	if (item->n_members > 2) /* "{a,b}" */
		before = arena_strndup(s->arena, before + 1, strlen(before) - 2);
	if (item->n_members > 1)
		item->text = arena_printf(s->arena, "{%s,%s}", before, item->text);
}

static bool read_one(struct sema *s, struct param_item *item, const char *word)
{
	const char *before = item->text;
	struct expr *value = item->type->read(s->arena, item, word, &item->text);

	if (!value)
		return false;
	item->value = value;
	if (item->form.is_list) {
		arena_push(s->arena, item->members, item->n_members, value);
		join_texts(s, item, before);
	}
	return true;
}

/* A word, or several separated by commas. */
static bool read_word(struct sema *s, struct param_item *item, const char *word)
{
	for (; item->form.is_list; word++) {
		size_t len = (size_t)(param_member_end(word) - word);

		if (!read_one(s, item, arena_strndup(s->arena, word, len)))
			return false;
		word += len;
		if (!*word)
			return true;
	}
	return read_one(s, item, word);
}

/* `name=X` of no parameter. */
static int refuse_name(struct sema *s, const struct param_item *of, const char *word)
{
	const char *name = arena_strndup(s->arena, word, strcspn(word, "="));
	const char *near = NEAREST(name, s->program->items, s->program->n_items,
				   item->is_getopt ? NULL : item->name + 1);

	diag_error(s->diags, of->name_span, "parameter-word", "the script has no parameter '%.40s'",
		   name);
	return near ? diag_hint(s->diags, "did you mean '%s=…'?", near) : param_hint_usage(s);
}

static int bind_word(struct sema *s, struct param_item *item, const char *word)
{
	const char *meant;

	if (read_word(s, item, word))
		return 0;
	become_empty(s, item);
	item->is_left_out = true; /* its probes would only repeat the error */
	if (!item->is_option && word[0] != '=' && strchr(word, '='))
		return refuse_name(s, item, word);
	if (!item->is_option && strchr(word, '/') && param_refuse_command(s, word))
		return -1;
	diag_error(s->diags, item->name_span, "parameter-word", "%s must be %s%s, not '%.40s'",
		   shown_name(s, item), param_type_wants(s->arena, item),
		   word[0] == '-' ? " that is not negative" : "", word);
	meant = param_type_is_duration(item->type) ? time_meant(s->arena, word) : NULL;
	if (meant)
		return diag_hint(s->diags, "write %s", meant);
	return param_hint_usage(s);
}

/* The default as a word of the command line; NULL when it is of another type. */
static const char *default_word(struct sema *s, const struct param_item *item)
{
	const struct expr *e = item->other;

	if (e->kind != item->type->literal ||
	    (e->kind == EX_INT && e->integer.is_bool != param_type_is_bool(item->type)))
		return NULL;
	if (e->kind == EX_STRING)
		return e->string.text;
	if (e->kind == EX_NAME)
		return e->name.name;
	return arena_printf(s->arena, "%llu%s", (unsigned long long)e->integer.value,
			    param_type_is_duration(item->type) ? "ns" : "");
}

static int bind_other(struct sema *s, struct param_item *item)
{
	const struct expr *other = item->other;
	const char *word;

	become_empty(s, item);
	item->is_left_out =
		!other || (other->kind == EX_NAME && strcmp(other->name.name, "none") == 0);
	if (item->is_left_out || item->is_getopt)
		return 0;
	word = default_word(s, item);
	if (word && read_word(s, item, word))
		return 0;
	diag_error(s->diags, other->span, "parameter-type", "%s is %s, so its default must be, too",
		   item->name, param_type_wants(s->arena, item));
	return diag_hint(s->diags, "write = %s, or = none", item->type->example);
}

static void check_twice(struct sema *s, uint32_t i)
{
	struct param_item *items = s->program->items;

	for (uint32_t k = 0; k < i; k++)
		if (strcmp(param_option_name(s->arena, &items[k]),
			   param_option_name(s->arena, &items[i])) == 0) {
			diag_error(s->diags, items[i].name_span, "redeclared",
				   "parameter %s is declared twice", items[i].name);
			diag_note(s->diags, items[k].name_span, "the other one is here");
		}
}

static bool find_type(struct sema *s, struct param_item *item)
{
	item->type = param_type_of(&item->form);
	if (item->type)
		return true;
	diag_error(s->diags, item->span, "parameter-type", "a parameter cannot be of type %s",
		   item->form.words[0]);
	diag_hint(s->diags,
		  "its type is uint64, int64, string, bool, duration, command, or words: a | b; "
		  "'list' before it allows several");
	become_empty(s, item);
	return false;
}

/* `word`: what the command line has for it, or NULL. */
static void bind_item(struct sema *s, struct param_item *item, const char *word)
{
	if (word) {
		bind_word(s, item, word);
	} else if (item->other || item->is_option) {
		bind_other(s, item);
	} else {
		diag_error(s->diags, item->name_span, "parameter-missing",
			   "there is no argument for %s", item->name);
		param_hint_usage(s);
		become_empty(s, item);
		item->is_left_out = true;
	}
}

struct param_item *param_find(const struct sema *s, const char *name)
{
	return TEXT_ITEM(s->program->items, s->program->n_items, name, name);
}

bool param_name(struct sema *s, struct expr *e)
{
	struct param_item *item = param_find(s, e->var.name);

	if (!item)
		return false;
	if (item->form.is_list) {
		diag_error(s->diags, e->span, "parameter-type", "%s is a list", item->name);
		diag_hint(s->diags, "write one_of(tid, %s), or len(%s)", item->name, item->name);
	}
	param_become(s, e, item);
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

/* The script traces a command, and there is none. */
static bool blame_command(struct sema *s)
{
	const struct program *p = s->program;

	for (uint32_t i = 0; i < p->n_items && !scope_has_program(s->kernel->scope); i++) {
		if (!param_type_is_command(p->items[i].type))
			continue;
		diag_error(s->diags, p->items[i].name_span, "parameter-missing",
			   "there is no program to trace: give a command after --, or -p PID");
		param_hint_usage(s);
		return true;
	}
	return false;
}

bool param_blame(struct sema *s, const char *text)
{
	if (blame_command(s))
		return true;
	for (uint32_t i = 0; i < s->program->n_items; i++) {
		const struct param_item *item = &s->program->items[i];

		if (!names_item(text, item))
			continue;
		if (param_refuse_no_program(s, item))
			return true;
		diag_error(s->diags, item->name_span, "parameter-word",
			   "invalid value '%.40s' for %s", item->text, item->name);
		param_hint_usage(s);
		return true;
	}
	return false;
}

/* Exclusions go with the attach point that they follow. */
static void leave_out(const struct sema *s, struct probe *p)
{
	bool is_absent = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_texts; i++) {
		const char *text = p->texts[i].text;

		if (text[0] != '!')
			is_absent = names_absent(s, text);
		if (!is_absent && !names_absent(s, text))
			p->texts[n++] = p->texts[i];
	}
	p->n_texts = n;
}

/* ---- options ----------------------------------------------------------------------------- */

bool param_is_flag(const struct param_item *item)
{
	return param_type_is_bool(param_type_of(&item->form)) && !item->form.is_list;
}

bool param_is_option(struct arena *a, const struct param_item *item, const char *word, size_t len)
{
	const char *name = param_option_name(a, item);

	if (param_type_is_command(param_type_of(&item->form)))
		return false;
	return text_is(word, len, name) ||
	       (param_is_flag(item) && text_is(word, len, arena_printf(a, "--no-%s", name + 2)));
}

/* `--name`, `--no-name`, `--name=X` and `name=X`, of parameters and options. */
static bool is_option_of(struct sema *s, const struct param_item *item, const char *word)
{
	size_t len = strcspn(word, "=");

	if (word[len] && word[0] != '-' && !param_type_is_command(item->type))
		return text_is(word, len, item->name + 1);
	return param_is_option(s->arena, item, word, len);
}

/* --name or --no-name. A word behind it would be the value of another option, and is that of the
 * next parameter. */
static void take_flag(struct sema *s, struct param_item *item, const char *option, const char *next)
{
	const char *name = param_option_name(s->arena, item);
	bool is_no = !text_is(option, strcspn(option, "="), name), value;
	bool has_word = next && !isdigit((unsigned char)*next) && literal_word_bool(next, &value);

	item->word = is_no ? "no" : "yes";
	if (strchr(option, '=') || (is_no && has_word)) {
		diag_error(s->diags, item->name_span, "parameter-word", "%.*s takes no value",
			   (int)strcspn(option, "="), option);
		diag_hint(s->diags, "write %s=yes, or %s=no", name, name);
	} else if (has_word) {
		diag_error(s->diags, item->name_span, "parameter-word",
			   "%s takes '%s' only behind '='", name, next);
		diag_hint(s->diags, "write %s=%s, or only --%s%s", name, next, value ? "" : "no-",
			  name + 2);
	}
}

/* The item at words[*i], in any of the forms --name X, --name=X, name=X, --name, --no-name. Of one
 * that is given again the last value counts; lists grow. */
static void take_option(struct sema *s, struct param_item *item, uint32_t *i)
{
	const struct program *p = s->program;
	const char *word = p->params[*i], *equals = strchr(word, '='), *before = item->word;

	if (param_is_flag(item) && (!equals || strncmp(word, "--no-", 5) == 0)) {
		take_flag(s, item, word, *i + 1 < p->n_params ? p->params[*i + 1] : NULL);
	} else if (equals) {
		item->word = equals + 1;
	} else if (*i + 1 < p->n_params) {
		item->word = p->params[++*i];
	} else {
		item->word = item->type ? item->type->empty : "";
		diag_error(s->diags, item->name_span, "parameter-word", "%s requires a value: %s",
			   shown_name(s, item), param_type_shown(s->arena, item));
		param_hint_usage(s);
	}
	if (before && item->form.is_list)
		item->word = arena_printf(s->arena, "%s,%s", before, item->word);
}

static struct param_item *find_option(struct sema *s, const char *word)
{
	for (uint32_t i = 0; i < s->program->n_items; i++)
		if (is_option_of(s, &s->program->items[i], word))
			return &s->program->items[i];
	return NULL;
}

static bool refuse_option(struct sema *s, const char *word)
{
	const struct program *p = s->program;
	const char *near;

	if (!FIND(p->items, p->n_items, item->is_option) || strncmp(word, "--", 2) || !word[2])
		return false;
	diag_error(s->diags, SPAN_NONE, "parameter-extra", "the script has no option %.40s", word);
	near = NEAREST(arena_strndup(s->arena, word, strcspn(word, "=")), p->items, p->n_items,
		       item->is_option ? param_option_name(s->arena, item) : NULL);
	if (near)
		diag_hint(s->diags, "did you mean '%s'?", near);
	else
		param_hint_usage(s);
	return true;
}

void param_take_options(struct sema *s)
{
	struct program *p = s->program;
	const char **words = NULL;
	uint32_t n = 0;

	getopt_declare(s);
	for (uint32_t i = 0; i < p->n_items; i++)
		find_type(s, &p->items[i]);
	for (uint32_t i = 0; p->n_items && i < p->n_params; i++) {
		struct param_item *item = find_option(s, p->params[i]);

		if (item)
			take_option(s, item, &i);
		else
			arena_push(s->arena, words, n, p->params[i]);
	}
	if (!p->n_items)
		return;
	p->params = words;
	p->n_params = n;
}

/* Report words that begin with "--" and are no option of the script. True if there are any. */
static bool drop_unknown(struct sema *s)
{
	struct program *p = s->program;
	const char **words = NULL;
	uint32_t n = 0;
	bool is_all;

	for (uint32_t i = 0; i < p->n_params; i++)
		if (!refuse_option(s, p->params[i]))
			arena_push(s->arena, words, n, p->params[i]);
	is_all = n == p->n_params;
	p->params = words;
	p->n_params = n;
	return !is_all;
}

/* Give each item its value. Returns how many words of the command line were parameters. */
static uint32_t bind_items(struct sema *s)
{
	struct program *p = s->program;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_items; i++) {
		struct param_item *item = &p->items[i];

		if (param_type_is_command(item->type))
			item->word = p->command;
		else if (!item->is_option && !item->word && n < p->n_params)
			item->word = p->params[n++];
		if (item->type)
			bind_item(s, item, item->word);
		check_twice(s, i);
	}
	return n;
}

/* Report an extra word. */
static void refuse_word(struct sema *s, const char *word)
{
	const struct program *p = s->program;

	diag_error(s->diags, p->items[p->n_items - 1].span, "parameter-extra",
		   "unexpected argument '%.40s'", word);
	if (param_hint_command(s, word) || param_hint_time(s, word))
		return;
	if (FIND(p->items, p->n_items, param_type_is_command(item->type)))
		diag_hint(s->diags, "a command to trace is written after '--': sonde %s -- %s …",
			  p->source->name, word);
	else
		param_hint_usage(s);
}

void param_bind(struct sema *s)
{
	struct program *p = s->program;
	uint32_t n = 0, n_bound;
	bool is_empty, has_unknown;

	if (!p->n_items)
		return;
	has_unknown = drop_unknown(s); /* what follows may be its value */
	n_bound = bind_items(s);
	if (param_has_names(p) && p->n_params > n_bound && !s->diags->n_errors && !has_unknown) {
		if (param_refuse_command(s, p->params[n_bound])) {
			p->n_probes = 0; /* each would miss the command */
			return;
		}
		if (!param_take_duration(s, n_bound))
			refuse_word(s, p->params[p->duration_ns ? n_bound + 1 : n_bound]);
	}
	param_note_functions(s);
	for (uint32_t i = 0; i < p->n_probes; i++) {
		leave_out(s, p->probes[i]);
		if (p->probes[i]->n_texts)
			p->probes[n++] = p->probes[i];
	}
	is_empty = !n && p->n_probes;
	p->n_probes = n;
	if (param_refuse_no_function(s) || !is_empty || s->diags->n_errors)
		return;
	diag_error(s->diags, p->items[0].span, "parameter-missing",
		   "without its parameters the script has no probe to run");
	param_hint_usage(s);
}
