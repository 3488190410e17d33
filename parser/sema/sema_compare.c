/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons that mean something else than they look: `pid == 1 || 2`, `1 < x < 10`, results of
 * system calls that are compared with positive errors, `comm == "ap*"`.
 */
#include "parser/sema/sema_advice.h"
#include <ctype.h>

enum { SHOWN_MOST = 60, ERRNO_MOST = 4095 };

/* The script's text of an expression, or "…". */
static const char *text_of(struct sema *s, const struct expr *e)
{
	return advice_text(s, e->span, SHOWN_MOST) ?: "…";
}

static bool is_number(struct sema *s, const struct expr *e)
{
	return e->kind == EX_INT && e->type->kind == TY_INT && !e->is_parameter &&
	       isdigit((unsigned char)*text_of(s, e));
}

/* The comparison at the end of a chain of && or || before `e`. */
static const struct expr *last_comparison(const struct expr *e)
{
	while (e->kind == EX_BINARY && (e->binary.op == OP_LOR || e->binary.op == OP_LAND))
		e = e->binary.right;
	return ast_is_comparison(e) ? e : NULL;
}

/* `pid == 1 || 2` */
static void advise_bare_number(struct sema *s, const struct expr *e)
{
	const struct expr *compared = last_comparison(e->binary.left), *n = e->binary.right;

	if (!is_number(s, n))
		return;
	diag_warning(s->diags, n->span, "constant-condition", "%s alone is always %s",
		     text_of(s, n), n->integer.value ? "true" : "false");
	if (compared)
		diag_hint(s->diags, "compare it too: %s %s %s %s %s", text_of(s, compared),
			  op_str(e->binary.op), text_of(s, compared->binary.left),
			  op_str(compared->binary.op), text_of(s, n));
	else
		diag_hint(s->diags, "compare it: x == %s", text_of(s, n));
}

/* `1 < x < 10` */
static void advise_between(struct sema *s, const struct expr *e)
{
	const struct expr *l = e->binary.left;

	if (!ast_is_comparison(l) || e->binary.right->type->kind == TY_BOOL ||
	    (e->binary.right->kind == EX_INT && e->binary.right->integer.value <= 1))
		return;
	diag_warning(s->diags, e->span, "constant-condition",
		     "this compares the result of '%s', which is true or false, with %s",
		     text_of(s, l), text_of(s, e->binary.right));
	diag_hint(s->diags, "write %s && %s %s %s", text_of(s, l), text_of(s, l->binary.right),
		  op_str(e->binary.op), text_of(s, e->binary.right));
}

/* ---- results of system calls ---------------------------------------------------------------- */

/* True for the result of a system call. */
static bool is_call_result(const struct sema *s, const struct expr *e)
{
	const struct attach_point *p = s->probe->points;

	return ast_is_args_field(e) && strcmp(e->field.name, "ret") == 0 && s->probe->n_points &&
	       (probe_syscall(p) >= 0 || probe_is_any_sys_exit(p));
}

/* ENOENT, as it is written */
static bool is_error_name(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

	return text[0] == 'E' && n > 2 && !text[n];
}

static void advise_result(struct sema *s, const struct expr *e)
{
	bool is_left = is_call_result(s, e->binary.left);
	const struct expr *n = is_left ? e->binary.right : e->binary.left;
	const char *text = text_of(s, n);

	if (!is_left && !is_call_result(s, e->binary.right))
		return;
	if (n->kind == EX_INT && n->integer.value <= ERRNO_MOST && is_error_name(text)) {
		diag_warning(s->diags, e->span, "error-sign",
			     "a system call returns errors as negative numbers");
		diag_hint(s->diags, "write -%s", text);
	} else if (strcmp(text, "-1") == 0) {
		diag_warning(s->diags, e->span, "error-sign",
			     "a system call returns the error itself, not -1: -1 is -EPERM");
		diag_hint(s->diags,
			  e->binary.op == OP_EQ ? "write %s < 0 for any error, -EPERM for that one"
						: "write %s >= 0 for none, -EPERM for that one",
			  text_of(s, is_left ? e->binary.left : e->binary.right));
	}
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* comm == "ap*" */
static void advise_pattern(struct sema *s, const struct expr *e)
{
	const struct expr *value, *text = advice_compared(e, e->binary.op, &value);
	const char *star, *part, *shown;
	bool is_not = e->binary.op == OP_NE;
	int n;

	if (!text || value->kind == EX_STRING || text->is_parameter ||
	    value->type->kind != TY_STRING)
		return;
	shown = text_of(s, value);
	part = text->string.text + strspn(text->string.text, "*");
	star = strchr(text->string.text, '*');
	n = (int)strcspn(part, "*");
	if (!star || !n)
		return;
	diag_warning(s->diags, text->span, "pattern-text",
		     "'%s' compares all letters, and * is one of them", op_str(e->binary.op));
	if (part == text->string.text && !star[1])
		diag_hint(s->diags, "write strncmp(%s, \"%.*s\", %d) %s 0", shown, n, part, n,
			  op_str(e->binary.op));
	else
		diag_hint(s->diags, "write %sstrcontains(%s, \"%.*s\")", is_not ? "!" : "", shown,
			  n, part);
}

void advise_compare(struct sema *s, const struct expr *e)
{
	enum op op = e->binary.op;

	if (advice_is_copy(s, e->span))
		return;
	if (op == OP_LOR || op == OP_LAND)
		advise_bare_number(s, e);
	if (ast_is_comparison(e))
		advise_between(s, e);
	if (op != OP_EQ && op != OP_NE)
		return;
	advise_result(s, e);
	advise_pattern(s, e);
}
