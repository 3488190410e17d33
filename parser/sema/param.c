/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positional parameters (param.h). Rewrites EX_PARAM nodes to literals, and the text of attach
 * points, from program->params. Later passes see no parameters.
 */
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include "parser/base/time_unit.h"
#include "parser/lang/literal.h"
#include "parser/sema/sema.h"
#include <ctype.h>
#include <stdlib.h>

/* Read an integer as scripts spell it (decimal, 0x, 0b, octal, with a unit), also with a sign. */
static bool read_integer(struct sema *s, const char *word, uint64_t *value)
{
	bool is_negative = word[0] == '-';

	if (!literal_word_number(s->arena, word + is_negative, value))
		return false;
	if (is_negative)
		*value = -*value;
	return true;
}

static void become_integer(struct sema *s, struct expr *e, uint64_t value, bool is_negative)
{
	if (!is_negative) {
		ast_become_int(e, value, NULL);
		return;
	}
	e->kind = EX_UNARY;
	e->unary.op = OP_NEG;
	e->unary.operand = ast_int(s->arena, e->span, -value);
}

static void become_string(struct expr *e, const char *text)
{
	e->kind = EX_STRING;
	e->string.text = text;
	e->string.len = (uint32_t)strlen(text);
}

static bool is_reported(const struct sema *s, const char *msg)
{
	for (uint32_t i = 0; i < s->diags->n; i++)
		if (strcmp(s->diags->items[i].msg, msg) == 0)
			return true;
	return false;
}

/* The argument that $N names; NULL when there are fewer, which is reported: at each attach point,
 * in expressions once. Reports a bad N. */
static const char *argument_of(struct sema *s, const char *digits, struct span span, bool is_point)
{
	const char *msg;

	unsigned long n = strtoul(digits, NULL, 10);

	if (n == 0 || strlen(digits) > 9) {
		diag_error(s->diags, span, "parameter",
			   "parameters are $1, $2 and so on, not '$%.12s'", digits);
		return "0";
	}
	if (n > s->program->n_used)
		s->program->n_used = (uint32_t)n;
	if (n <= s->program->n_params)
		return s->program->params[n - 1];
	msg = arena_printf(s->arena, "there is no argument for $%s on the command line", digits);
	if (!is_point && is_reported(s, msg))
		return NULL;
	diag_warning(s->diags, span, "parameter-missing", "%s", msg);
	diag_hint(s->diags,
		  "arguments after the script's name, or after -e PROGRAM, are its parameters");
	return NULL;
}

void param_resolve(struct sema *s, struct expr *e, bool as_text)
{
	const char *digits = e->param.text + 1, *word;
	uint64_t value;

	e->is_parameter = true;
	if (*digits == '#') {
		s->program->n_used = UINT32_MAX;
		become_integer(s, e, s->program->n_params, false);
		return;
	}
	word = argument_of(s, digits, e->span, false);
	if (as_text)
		become_string(e, word ? word : "");
	else if (!word)
		become_integer(s, e, 0, false);
	else if (read_integer(s, word, &value))
		become_integer(s, e, value, word[0] == '-');
	else
		become_string(e, word);
}

bool param_has_names(const struct program *p)
{
	for (uint32_t i = 0; i < p->n_items; i++)
		if (!p->items[i].is_getopt)
			return true;
	return false;
}

/* Each use has nodes of its own: later passes change them. */
void param_become(struct sema *s, struct expr *e, const struct param_item *item)
{
	struct span span = e->span;

	*e = *item->value;
	e->span = span;
	e->is_parameter = true;
	if (e->kind == EX_UNARY)
		e->unary.operand = ast_int(s->arena, span, e->unary.operand->integer.value);
}

bool param_refuse_command(struct sema *s, const char *word)
{
	const struct program *p = s->program;
	const char *command = "";
	uint32_t i = 0;

	while (i < p->n_items && !param_type_is_command(p->items[i].type))
		i++;
	if (i == p->n_items || scope_has_program(s->kernel->scope) || isdigit((unsigned char)*word))
		return false;
	for (i = 0; i < p->n_params && p->params[i] != word; i++)
		;
	for (; i < p->n_params; i++)
		command = arena_printf(s->arena, "%s %s", command, p->params[i]);
	diag_error(s->diags, SPAN_NONE, "parameter-extra",
		   "the command to trace is written after --, and '%.40s' is not", word);
	return diag_hint(s->diags, "write sonde %s --%s",
			 strcmp(p->source->name, "stdin") ? p->source->name : "-e 'PROGRAM'",
			 command),
	       true;
}

/* "--duration 5s", where other tools take an interval and how often. */
static const char *end_after(struct sema *s, uint32_t i)
{
	const struct program *p = s->program;
	unsigned long each = strtoul(p->params[i], NULL, 10);
	unsigned long n = i + 1 < p->n_params ? strtoul(p->params[i + 1], NULL, 10) : 1;

	return arena_printf(s->arena, "--duration %lus", each * (n ? n : 1));
}

bool param_hint_command(struct sema *s, const char *word)
{
	const struct program *p = s->program;

	if (word != p->behind_command)
		return false;
	return diag_hint(s->diags, "put the whole command of -c in quotes: -c '%s %s%s'",
			 p->command, p->is_behind_option ? "… " : "", word),
	       true;
}

bool param_hint_time(struct sema *s, const char *word)
{
	const char *meant = time_meant(s->arena, word);

	if (!meant || !param_takes_duration(s->program))
		return false;
	return diag_hint(s->diags, "write %s: units of time are ns us ms s m h d", meant), true;
}

bool param_take_duration(struct sema *s, uint32_t n_read)
{
	struct program *p = s->program;

	return param_takes_duration(p) &&
	       time_read(p->params[n_read], time_unit_ns("s", 1), &p->duration_ns) &&
	       p->duration_ns && n_read + 1 == p->n_params;
}

void param_check_used(struct sema *s)
{
	const struct program *p = s->program;
	const char *word;

	if (param_has_names(p) || p->n_used >= p->n_params || s->diags->n_errors)
		return;
	word = p->params[p->n_used];
	if (param_take_duration(s, p->n_used))
		return;
	if (!p->n_used)
		diag_error(s->diags, SPAN_NONE, "parameter-extra",
			   "unexpected argument '%.40s': the script reads no parameters", word);
	else
		diag_error(s->diags, SPAN_NONE, "parameter-extra",
			   "unexpected argument '%.40s': the script reads %s$%u", word,
			   p->n_used > 1 ? "only $1 to " : "only ", p->n_used);
	if (param_hint_command(s, word) || param_hint_time(s, word))
		return;
	if (strcmp(p->source->name, "stdin") != 0 && word[strspn(word, "0123456789")] == '\0')
		diag_hint(s->diags, "a time between prints is --interval %ss, an end %s", word,
			  end_after(s, p->n_used));
	else
		diag_hint(
			s->diags,
			"leave it out, or read it as $%u in the script; -p PID and -c COMMAND choose "
			"what is traced",
			p->n_used + 1);
}

/* Length of the `$N` or `$name` at `at`; 0 when there is none. */
static size_t param_length(const char *at)
{
	bool is_number = at[0] == '$' && isdigit((unsigned char)at[1]);
	size_t n = 1;

	if (at[0] != '$')
		return 0;
	while (isdigit((unsigned char)at[n]) ||
	       (!is_number && (isalpha((unsigned char)at[n]) || at[n] == '_')))
		n++;
	return n > 1 ? n : 0;
}

/* The value of `$N` or `$name` in the attach point `point`; NULL when there is none. */
static const char *text_of(struct sema *s, const char *name, const char *point, struct span span)
{
	const struct param_item *item = param_find(s, name);

	if (item)
		return item->text;
	if (isdigit((unsigned char)name[1]))
		return argument_of(s, name + 1, span, true);
	if (strncmp(point, "pid$", 4) == 0) { /* of DTrace */
		diag_error(s->diags, span, "parameter", "there is no probe type 'pid'");
		diag_hint(s->diags, "write uprobe:PATH:FUNCTION; -p PID or -c COMMAND chooses the "
				    "process");
		return NULL;
	}
	diag_error(s->diags, span, "parameter", "the script has no parameter %.40s", name);
	diag_hint(
		s->diags,
		"write param %.40s: string \"what it is\"; before the probes; put a name that contains '$' in quotes",
		name);
	return NULL;
}

const char *param_member_end(const char *at)
{
	bool is_quoted = false;
	int depth = 0;

	for (; *at && (*at != ',' || is_quoted || depth > 0); at++) {
		if (*at == '"')
			is_quoted = !is_quoted;
		if (!is_quoted && *at)
			depth += strchr("([<{", *at) ? 1 : strchr(")]>}", *at) ? -1 : 0;
	}
	return at;
}

/* The i-th member of `word`, or all of it if it is no list. Sets *more if another one follows. */
static const char *member(struct sema *s, const char *word, uint32_t i, bool *more)
{
	const char *end = param_member_end(word);

	if (!*end)
		return word;
	for (; i && *end; i--) {
		word = end + 1;
		end = param_member_end(word);
	}
	*more |= *end;
	return arena_strndup(s->arena, word, (size_t)(end - word));
}

static const char *substitute(struct sema *s, const struct attach_text *text, uint32_t i,
			      bool *more)
{
	const char *at = text->text;
	char *out = NULL;
	uint32_t n_out = 0;
	bool is_quoted = false;

	if (!strchr(at, '$'))
		return at;
	while (*at) {
		size_t n = is_quoted ? 0 : param_length(at);
		const char *name = n ? arena_strndup(s->arena, at, n) : NULL, *word;

		if (*at == '"')
			is_quoted = !is_quoted;
		else if (is_quoted && *at == '\\' && at[1])
			arena_push(s->arena, out, n_out, *at++);
		if (!n) {
			arena_push(s->arena, out, n_out, *at++);
			continue;
		}
		word = text_of(s, name, text->text, text->span);
		word = word ? member(s, word, i, more) : NULL;
		for (; word && *word; word++)
			arena_push(s->arena, out, n_out, *word);
		at += n;
	}
	arena_push(s->arena, out, n_out, '\0');
	return out;
}

/* The value of a parameter that is all of an attach point may have no type: FUNCTION is one of the
 * kernel, PATH:FUNCTION one of a program or library. */
static const char *with_type(struct sema *s, const struct attach_text *text, const char *value)
{
	enum probe_id id;

	if (text->text[0] != '$' || strchr(text->text, ':') || *value == '!' ||
	    probe_find_type(value, &id))
		return value;
	return arena_printf(s->arena, "%s:%s", strchr(value, ':') ? "uprobe" : "kprobe", value);
}

uint32_t param_texts(struct sema *s, const struct attach_text *text, const char ***out)
{
	uint32_t n = 0;
	bool more;

	do {
		const char *one;

		more = false;
		one = substitute(s, text, n, &more);
		one = with_type(s, text, one);
		arena_push(s->arena, *out, n, one);
	} while (more);
	return n;
}
