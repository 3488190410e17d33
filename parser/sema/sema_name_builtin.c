/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of builtins and functions, a part of pass 1: what an identifier and a call refer to, and
 * hints for those that refer to nothing.
 */
#include "parser/sema/sema_name.h"
#include "parser/base/find.h"
#include "parser/lang/field_type.h"
#include "parser/lang/foreign_word.h"
#include "parser/lang/known_constant.h"
#include "parser/sema/param.h"
#include <ctype.h>
#include <strings.h>

static const char *nearest_builtin(const char *word, bool call)
{
	const struct builtin *same = FIND(builtins, BI_COUNT, strcasecmp(item->name, word) == 0);

	return same ? same->name
		    : NEAREST(word, builtins, BI_COUNT,
			      (item->kind != BUILTIN_VAR) == call ? item->name : NULL);
}

/* True if `text` is directly before the expression. */
static bool is_preceded_by(struct sema *s, const struct expr *e, const char *text)
{
	struct place p = source_place(s->program->source, e->span.start);
	uint32_t len, n = (uint32_t)strlen(text);
	const char *line = source_line(p.in, p.line, &len);

	return p.col > n && p.col - 1 <= len && memcmp(line + p.col - 1 - n, text, n) == 0;
}

/* The name of a field, without `args.` */
static void hint_field(struct sema *s, const struct expr *e, const struct tp_field *f)
{
	const char *name = e->name.name;

	if (is_preceded_by(s, e, "args["))
		diag_hint(s->diags, "write args.%s in place of args[%s]", name, name);
	else
		diag_hint(s->diags,
			  field_is_text(f) && !is_preceded_by(s, e, "str(") ? "write str(args.%s)"
									    : "write args.%s",
			  name);
}

/* Hint what an unknown name or function might have been meant to be. */
static void hint_unknown(struct sema *s, const struct expr *e, const char *word, bool call)
{
	const char *near = nearest_builtin(word, call);
	const struct builtin *b = builtin_find(word);
	const struct attach_point *first = s->probe->n_points ? &s->probe->points[0] : NULL;
	const struct tp_format *format = first ? probe_format(first) : NULL;
	struct c_more *more = s->program->c_types->more;
	const struct tp_field *field;

	if (!b && !call && s->probe->n_points && s->probe->points[0].id == PROBE_UPROBE)
		user_args_known(s, NULL, &s->probe->points[0]);
	field = first && !call && !(format && format->is_unchecked) ? sema_args_field(first, word)
								    : NULL;
	if (b && !call)
		diag_hint(s->diags, "%s is a function: write %s(%s)", word, word,
			  strstr(b->signature, "()") || strstr(b->signature, "([") ? "" : "…");
	else if (field)
		hint_field(s, e, field);
	else if (foreign_hint(word))
		diag_hint(s->diags, "%s", foreign_hint(word));
	else if (!b && more && more->hint(more, word))
		diag_hint(s->diags, "%s", more->hint(more, word));
	else if (b)
		diag_hint(s->diags, "%s is not a function: write it without parentheses", word);
	else if (near)
		diag_hint(s->diags, "did you mean '%s'?", near);
	else
		diag_hint(
			s->diags,
			call ? "'sonde --help builtins' lists the functions"
			     : "'sonde --help builtins' lists them; variables begin with $, strings are in double quotes: \"%s\"",
			word);
}

/* `comm == cat` */
static bool is_compared(struct sema *s, const struct expr *e)
{
	struct place p = source_place(s->program->source, e->span.start);
	uint32_t len, n = p.col - 1;
	const char *line = source_line(p.in, p.line, &len);

	while (n > 0 && n <= len && line[n - 1] == ' ')
		n--;
	return n >= 2 && n <= len && line[n - 1] == '=' &&
	       (line[n - 2] == '=' || line[n - 2] == '!');
}

/* `printf(hello`, of a script whose quotes a shell removed */
static bool is_unquoted(struct sema *s, const struct expr *e)
{
	const struct source *src = s->program->source;
	uint32_t n = e->span.start, first;
	const struct builtin *b;
	struct signature sig;

	if (!source_lost_quotes(src) || n >= src->len)
		return false;
	while (n > 0 && src->text[n - 1] == ' ')
		n--;
	if (!n || src->text[--n] != '(')
		return false;
	for (first = n; first > 0 && (isalnum((unsigned char)src->text[first - 1]) ||
				      src->text[first - 1] == '_');)
		first--;
	b = builtin_find(arena_strndup(s->arena, src->text + first, n - first));
	return b && builtin_signature(b, &sig) && sig.n_params &&
	       sig.params[0].kind == PARAM_STRING;
}

static bool hint_text(struct sema *s, const struct expr *e, const char *name)
{
	if (is_unquoted(s, e)) {
		return diag_hint(s->diags, "%s", SHELL_TAKES_QUOTES), true;
	}
	if (!is_compared(s, e))
		return false;
	return diag_hint(
		       s->diags,
		       "a text is in double quotes: \"%s\"; in a shell, put the program in single quotes: "
		       "-e 'PROGRAM'",
		       name),
	       true;
}

/* The name of a variable or a map without its '$' or '@'. */
static bool hint_sign(struct sema *s, const char *name)
{
	const struct probe *p = s->probe;

	for (uint32_t i = 0; i < p->n_vars; i++)
		if (strcmp(p->vars[i]->name + 1, name) == 0)
			return diag_hint(s->diags, "write %s", p->vars[i]->name), true;
	for (uint32_t i = 0; i < s->program->n_maps; i++)
		if (strcmp(s->program->maps[i]->name + 1, name) == 0)
			return diag_hint(s->diags, "write %s", s->program->maps[i]->name), true;
	return false;
}

/* TASK_INTERUPTIBLE */
static bool hint_constant(struct sema *s, const char *name)
{
	const char *near = isupper((unsigned char)*name) ? known_constant_nearest(name) : NULL;

	return near && (diag_hint(s->diags, "did you mean '%s'?", near), true);
}

void name_report_unknown(struct sema *s, struct expr *e)
{
	bool is_call = e->kind == EX_CALL,
	     *is_unknown = is_call ? &e->call.is_unknown : &e->name.is_unknown;
	const char *name = is_call ? e->call.name : e->name.name;
	const struct builtin *b = builtin_find(name);

	if (!*is_unknown)
		return;
	*is_unknown = false; /* it is reported once */
	if (is_call)
		diag_error(s->diags, e->call.name_span, "unknown-function",
			   b ? "'%s' takes no arguments" : "unknown function '%s'", name);
	else if (b)
		diag_error(s->diags, e->span, "needs-call",
			   is_compared(s, e) ? "'%s' is a function, not a text"
					     : "'%s' needs parentheses",
			   name);
	else
		diag_error(s->diags, e->span, "unknown-name", "unknown name '%s'", name);
	if (!is_call && (name_hint_local(s, e) || hint_sign(s, name) || hint_constant(s, name)))
		return;
	if (is_call || foreign_hint(name) || !hint_text(s, e, name))
		hint_unknown(s, e, name, is_call);
}

bool name_hint_shell(struct sema *s, const struct expr *e)
{
	const char *name = e->var.name + 1, *hint = foreign_hint(name);

	if (hint)
		return diag_hint(s->diags, "%s", hint), true;
	if (!name[1] || name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")])
		return false;
	diag_hint(
		s->diags,
		"to use a variable of the shell, give it as a parameter: sonde -e 'PROGRAM' \"%s\"; "
		"$1 is its number, str($1) its text",
		e->var.name);
	return true;
}

/* The options stack_mode and show_debug_info say how stacks are written. */
static enum stack_form default_form(const struct sema *s, const struct builtin *b)
{
	const struct stack_word *row = &stack_words[s->program->config.stack_mode];

	if (!(b->traits & TR_STACK))
		return FORM_bpftrace;
	if (s->program->config.show_debug_info && row->form == FORM_bpftrace &&
	    b->needs & NEEDS_USTACK)
		return FORM_src;
	if (row->stacks == STACKS_ALL || b->needs & NEEDS_USTACK)
		return row->form;
	return row->stacks == STACKS_USER ? FORM_bpftrace : FORM_raw;
}

/* `stack_mode = build_id` and a kernel stack without a word of its own. */
static void warn_other_form(struct sema *s, const struct expr *e)
{
	const struct stack_word *row = &stack_words[s->program->config.stack_mode];

	if (!(e->name.builtin->traits & TR_STACK) || row->stacks != STACKS_USER_FILES ||
	    e->name.form == row->form)
		return;
	diag_warning(s->diags, e->span, "stack-mode",
		     "'%s' is for user stacks only: the frames of %s are written as addresses",
		     row->word, e->name.name);
	diag_hint(s->diags, "say how: %s(raw), or %s(perf) with names", e->name.name, e->name.name);
}

/* A call becomes a name, so that later passes see one form. */
static void become_name(struct sema *s, struct expr *e, const struct builtin *b)
{
	e->kind = EX_NAME;
	e->name.name = b->name;
	e->name.builtin = b;
	e->name.limit = 0;
	e->name.form = default_form(s, b);
	e->name.walk = WALK_AUTO;
	e->name.word = 0;
}

void name_builtin(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->name.name);

	sema_unstable(s, e->span, e->name.name);
	if (b && b->kind == BUILTIN_VAR) {
		become_name(s, e, b);
		warn_other_form(s, e);
		return;
	}
	if ((!b && struct_constant(s, e)) || name_local(s, e))
		return;
	e->name.is_unknown = true;
	if (!s->n_undecided)
		name_report_unknown(s, e);
}

/* ---- kstack(perf, 5), ustack(src) ---- */

struct stack_args {
	uint32_t limit; /* frames; 0: all */
	const struct stack_word *form, *walk;
};

static bool is_user_stack(const struct builtin *b)
{
	return b->needs & NEEDS_USTACK;
}

static void hint_stack_words(struct sema *s, const struct builtin *b)
{
	const char *words = "";

	for (uint32_t i = 0; i < n_stack_words; i++)
		if (is_user_stack(b) || stack_words[i].stacks == STACKS_ALL)
			words = arena_list(s->arena, words, "%s", stack_words[i].word);
	diag_hint(s->diags, "%s takes a number of frames and these words: %s", b->name, words);
}

static bool has_capability(struct sema *s, const struct expr *arg, const struct builtin *b,
			   const struct stack_word *row)
{
	const struct capability_row *c;

	if (!kernel_lacks(s->kernel, row->capability))
		return true;
	c = &capability_rows[row->capability];
	diag_error(s->diags, arg->span, "stack-walk", "%s(%s) needs %s (%s, since Linux %s)",
		   b->name, row->word, c->name, c->from, c->since);
	diag_hint(s->diags, "write %s, which walks by frame pointers here", b->name);
	return false;
}

static bool name_stack_word(struct sema *s, const struct expr *arg, const struct builtin *b,
			    struct stack_args *out)
{
	const struct stack_word *row = stack_word_find(arg->name.name), **to;
	const char *why = stack_word_lacks(arg->name.name);

	if (!row) {
		diag_error(s->diags, arg->span, "stack-word", "%s does not know '%s'", b->name,
			   arg->name.name);
		if (why)
			diag_hint(s->diags, "%s", why);
		else
			hint_stack_words(s, b);
		return false;
	}
	if (row->stacks != STACKS_ALL && !is_user_stack(b)) {
		diag_error(s->diags, arg->span, "stack-word", "'%s' is for user stacks only",
			   row->word);
		hint_stack_words(s, b);
		return false;
	}
	to = row->is_walk ? &out->walk : &out->form;
	if (*to) {
		diag_error(s->diags, arg->span, "stack-word", "'%s' contradicts '%s'", row->word,
			   (*to)->word);
		return false;
	}
	*to = row;
	return has_capability(s, arg, b, row);
}

static bool name_stack_limit(struct sema *s, const struct expr *arg, const struct builtin *b,
			     struct stack_args *out)
{
	uint64_t limit = arg->kind == EX_INT ? arg->integer.value : 0;

	if (!out->limit && limit > 0 && limit <= LIMIT_FRAMES_NAMED) {
		out->limit = limit < LIMIT_FRAMES ? (uint32_t)limit : LIMIT_FRAMES;
		if (limit > LIMIT_FRAMES)
			diag_warning(s->diags, arg->span, "stack-limit",
				     "stacks have at most %d frames", LIMIT_FRAMES);
		return true;
	}
	if (out->limit) {
		diag_error(s->diags, arg->span, "stack-limit",
			   "%s takes one number of frames, and it is %u already", b->name,
			   out->limit);
		diag_hint(s->diags, "leave one of them out");
		return false;
	}
	diag_error(s->diags, arg->span, "stack-limit", "%s takes a number of frames, 1 to %d",
		   b->name, LIMIT_FRAMES_NAMED);
	diag_hint(s->diags, "write %s(5), or %s for all frames", b->name, b->name);
	return false;
}

static bool is_word(const struct expr *arg)
{
	return arg->kind == EX_NAME && !builtin_find(arg->name.name);
}

static void name_stack(struct sema *s, struct expr *e, const struct builtin *b)
{
	struct stack_args a = {0};
	bool is_right = true;

	for (uint32_t i = 0; i < e->call.n_args && is_right; i++) {
		if (e->call.args[i]->kind == EX_PARAM)
			param_resolve(s, e->call.args[i], false);
		is_right = (is_word(e->call.args[i]) ? name_stack_word
						     : name_stack_limit)(s, e->call.args[i], b, &a);
	}
	become_name(s, e, b);
	e->name.limit = a.limit;
	if (a.form)
		e->name.form = a.form->form;
	else
		warn_other_form(s, e);
	e->name.walk = a.walk ? a.walk->walk : WALK_AUTO;
}

/* ---- pid(init), nsecs(tai) ---- */

static void unknown_word(struct sema *s, const struct expr *arg, const struct builtin *b,
			 const struct param *p)
{
	const char *words = p->words, *list = "";

	for (size_t len; *words; words += len + (words[len] == '|')) {
		len = strcspn(words, "|");
		list = arena_list(s->arena, list, "%s(%.*s)", b->name, (int)len, words);
	}
	if (is_word(arg))
		diag_error(s->diags, arg->span, "builtin-word", "%s does not know '%s'", b->name,
			   arg->name.name);
	else
		diag_error(s->diags, arg->span, "builtin-word", "%s takes a word here", b->name);
	diag_hint(s->diags, "write %s or %s", b->name, list);
}

static void name_word(struct sema *s, struct expr *e, const struct builtin *b,
		      const struct param *p)
{
	const struct expr *arg = e->call.args[0];
	int word = is_word(arg) ? builtin_word(p, arg->name.name) : -1;

	if (e->call.n_args > 1)
		diag_error(s->diags, e->span, "arg-count", "%s takes at most 1 argument, not %u",
			   b->name, e->call.n_args);
	else if (word < 0)
		unknown_word(s, arg, b, p);
	become_name(s, e, b);
	e->name.word = word < 0 ? 0 : (uint32_t)word;
}

/* A builtin with something in its parentheses. False when it takes no arguments. */
static bool name_with_arguments(struct sema *s, struct expr *e, const struct builtin *b)
{
	struct signature sig;

	if (!(~b->traits & (TR_STACK | TR_KEYWORD)))
		name_stack(s, e, b);
	else if (!builtin_signature(b, &sig) || !sig.n_params)
		return false;
	else if (sig.params[0].kind == PARAM_WORD)
		name_word(s, e, b, &sig.params[0]);
	else
		e->call.builtin = b;
	return true;
}

void name_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->call.name);

	sema_unstable(s, e->call.name_span, e->call.name);
	if (b)
		e->call.name = b->name;
	if (b && b->kind != BUILTIN_VAR) {
		e->call.builtin = b;
		return;
	}
	if (b && e->call.n_args == 0) {
		become_name(s, e, b);
		return;
	}
	if (b && name_with_arguments(s, e, b))
		return;
	if (!b && sema_find_imported(s, e))
		return;
	e->call.is_unknown = true;
	if (!s->n_undecided)
		name_report_unknown(s, e);
}
