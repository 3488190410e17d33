/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to write instead where types do not fit.
 */
#include "parser/base/find.h"
#include "parser/lang/format_spec.h"
#include "parser/lang/known_constant.h"
#include "parser/lang/literal.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

enum { SHOWN_MOST = 40 }; /* bytes of an expression in a hint */

/* The text of an expression, or "x" if it is long. */
static const char *text_of(struct sema *s, const struct expr *e)
{
	return advice_text(s, e->span, SHOWN_MOST) ?: "x";
}

static bool is_string(const struct expr *e)
{
	return e->type->kind == TY_STRING;
}

/* The word of the command line that the text is in, as `bc` of $1 + 1 is in `abc`; NULL. */
static const char *word_of(const struct sema *s, const struct expr *e)
{
	const char *const *word =
		FIND(s->program->params, s->program->n_params,
		     e->string.text >= *item && e->string.text <= *item + strlen(*item));

	return word ? arena_printf(s->arena, "$%u is '%.40s'",
				   (unsigned)(word - s->program->params) + 1, *word)
		    : NULL;
}

bool hint_parameter(struct sema *s, const struct expr *e)
{
	const char *word = NULL;

	if (!e->is_parameter)
		return false;
	if (e->kind == EX_STRING)
		word = word_of(s, e)
			       ?: arena_printf(s->arena, "the parameter is '%.40s'",
					       e->string.text);
	if (is_string(e))
		sema_hint(s, "%s, which is no number: give a number",
			  word ?: "the parameter is a text");
	else
		sema_hint(s, "the parameter is a number: its text is str($1)");
	return true;
}

/* `x` is compared with the string or name `string`. */
static void hint_with_string(struct sema *s, const struct expr *x, const struct expr *string)
{
	uint64_t value;
	int64_t constant;

	if (hint_parameter(s, x) || hint_parameter(s, string))
		return;
	if (x->type->kind == TY_POINTER)
		diag_hint(s->diags, "%s is the address of a text: write str(%s)", text_of(s, x),
			  text_of(s, x));
	else if (x->kind == EX_NAME && x->name.builtin &&
		 (x->type->kind == TY_USERNAME || strcmp(x->name.name, "uid") == 0))
		diag_hint(s->diags,
			  "compare the number: uid == 0 is root, 'id -u NAME' prints others");
	else if (x->kind == EX_INT)
		diag_hint(s->diags, "a text is in double quotes: \"%s\"", text_of(s, x));
	else if (string->kind == EX_STRING &&
		 literal_word_number(s->arena, string->string.text, &value))
		diag_hint(s->diags, "%s is a number: write %s without quotes", text_of(s, x),
			  string->string.text);
	else if (string->kind == EX_STRING && known_constant(string->string.text, &constant))
		diag_hint(s->diags, "%s is a number, and so is %s: write it without quotes",
			  text_of(s, x), string->string.text);
	else
		diag_hint(
			s->diags,
			"%s is a number, the other a text: texts are compared as a whole, comm == "
			"\"ls\", or by their beginning, strncmp(comm, \"l\", 1) == 0",
			text_of(s, x));
}

const struct type *hint_compare(struct sema *s, const struct expr *e)
{
	const struct expr *left = e->binary.left, *right = e->binary.right;

	if (s->report)
		hint_with_string(s, is_string(left) ? right : left, is_string(left) ? left : right);
	return &type_error;
}

void hint_other(struct sema *s, const struct type *slot, const struct expr *from, const char *what)
{
	if (what[0] == '$')
		diag_hint(s->diags, "a variable keeps its type: use another variable");
	else if (what[0] != '@')
		diag_hint(s->diags, "write keys of the same types everywhere, or use another map");
	else if (slot->kind == TY_AGG && from->kind == EX_INT && !from->integer.value)
		diag_hint(s->diags, "clear(%s) empties it", what);
	else if (slot->kind == TY_INT && from->type->kind == TY_AGG)
		diag_hint(s->diags, "leave the assignment of the number out, since a map begins "
				    "empty; or use another map for it");
	else
		diag_hint(s->diags, "use another map for it");
}

static const char *conversion_of(const struct expr *e)
{
	return type_is_integral(e->type) ? "%d" : "%s";
}

/* Append a byte of a text to a format. */
static const char *add_byte(struct sema *s, const char *format, char c)
{
	return arena_printf(s->arena, "%s%c%s", format, c, c == '%' ? "%" : "");
}

static bool is_literal(const struct expr *e)
{
	return e->kind == EX_STRING && !e->is_parameter;
}

/* Append a literal to a format. Each pair of braces takes the next value, as in Python and Rust. */
static const char *add_literal(struct sema *s, const char *format, const struct expr *call,
			       uint32_t i, uint32_t *taken)
{
	const char *text = text_of(s, call->call.args[i]);
	size_t len = strlen(text);
	bool is_format = i == 0 && call->call.builtin->traits & TR_FORMAT;

	*taken = i + 1;
	if (len < 2 || *text != '"')
		return arena_printf(s->arena, "%s…", format);
	for (size_t at = 1; at + 1 < len; at++) {
		size_t close = text[at] == '{' ? at + strcspn(text + at, "}") : len;

		if (close < len && *taken < call->call.n_args) {
			format = arena_printf(s->arena, "%s%s", format,
					      conversion_of(call->call.args[(*taken)++]));
			at = close;
		} else {
			format = is_format ? arena_printf(s->arena, "%s%c", format, text[at])
					   : add_byte(s, format, text[at]);
		}
	}
	return format;
}

/* print(a, b) as printf("%d %s\n", a, b) */
static const char *printf_of(struct sema *s, const struct expr *call)
{
	const char *format = "", *values = "";
	uint32_t taken = 0; /* values before it, and those that braces took */
	size_t n;

	for (uint32_t i = 0; i < call->call.n_args; i++) {
		const struct expr *arg = call->call.args[i];

		if (i && i >= taken)
			format = arena_printf(s->arena, "%s ", format);
		if (is_literal(arg) && i >= taken) {
			format = add_literal(s, format, call, i, &taken);
			continue;
		}
		if (i >= taken)
			format = arena_printf(s->arena, "%s%s", format, conversion_of(arg));
		values = arena_printf(s->arena,
				      advice_is_text_pointer(arg) ? "%s, str(%s)" : "%s, %s",
				      values, text_of(s, arg));
	}
	n = strlen(format);
	return arena_printf(s->arena, "printf(\"%s%s\"%s)", format,
			    n > 1 && !strcmp(format + n - 2, "\\n") ? "" : "\\n", values);
}

bool hint_braces(struct sema *s, const struct expr *call)
{
	const char *open = strchr(call->call.args[0]->string.text, '{');

	if (!open || !strchr(open, '}'))
		return false;
	sema_hint(s, "write %s", printf_of(s, call));
	return true;
}

/* `"pid " + str(pid)`: the number is printed as it is. */
static const struct expr *number_in(const struct expr *e)
{
	bool is_call = e->kind == EX_CALL && e->call.n_args == 1 && e->call.builtin &&
		       e->call.builtin->traits & TR_TEXT;

	return is_call && type_is_integral(e->call.args[0]->type) ? e->call.args[0] : e;
}

/* Append what prints a part of a joined text. */
static void add_part(struct sema *s, const struct expr *e, const char **format, const char **values)
{
	const char *text = text_of(s, e = number_in(e));

	if (is_literal(e) && *text == '"') {
		for (text++; text[1]; text++)
			*format = add_byte(s, *format, *text);
		return;
	}
	*format = arena_printf(s->arena, "%s%s", *format, conversion_of(e));
	*values = arena_printf(s->arena, "%s, %s", *values, text);
}

/* Does %s print it? */
static bool has_text(const struct expr *e)
{
	enum type_kind kind = e->type->kind;

	return kind != TY_ERROR && kind != TY_VOID && kind != TY_AGG;
}

bool hint_join_texts(struct sema *s, const struct expr *e)
{
	const struct expr *l = e->binary.left, *r = e->binary.right;
	const char *format = "", *values = "";
	bool both = is_string(l) && is_string(r);

	if (l->is_parameter || r->is_parameter || (!both && !is_literal(l) && !is_literal(r)) ||
	    !has_text(l) || !has_text(r) ||
	    (e->binary.op != OP_ADD && (e->binary.op != OP_LOR || !both)))
		return false;
	add_part(s, l, &format, &values);
	add_part(s, r, &format, &values);
	sema_error(s, e->span, "operand-type", "'%s' does not join texts", op_str(e->binary.op));
	if (both && number_in(l) == l && number_in(r) == r &&
	    (!is_literal(l) || !is_literal(r) || e->binary.op == OP_LOR))
		sema_hint(s, "write str_concat(%s, %s), or printf(\"%s\\n\"%s)", text_of(s, l),
			  text_of(s, r), format, values);
	else
		sema_hint(s, "write printf(\"%s\\n\"%s)", format, values);
	return true;
}

void hint_swapped(struct sema *s, const struct expr *call, uint32_t first)
{
	const char *values = "";

	if (!s->report)
		return;
	for (uint32_t i = 0; i < call->call.n_args; i++) {
		uint32_t from = i == first ? i + 1 : i == first + 1 ? first : i;

		values = arena_list(s->arena, values, "%s", text_of(s, call->call.args[from]));
	}
	diag_hint(s->diags, "write %s(%s)", call->call.name, values);
}

bool hint_example(struct sema *s, const struct builtin *b)
{
	const char *example = b ? builtin_example_call(s->arena, b) : NULL;

	if (example)
		sema_hint(s, "usage: %s; such as %s", strchr(b->signature, ' ') + 1, example);
	return example;
}

/* print() */
static bool is_print(const struct builtin *b)
{
	struct signature sig;

	return b->traits & TR_ACT && b->traits & TR_MAP && builtin_signature(b, &sig) &&
	       sig.params[0].kind == PARAM_ANY;
}

/* Several values of print(), the first of which may be meant as a format: not that of "100% of". */
static void hint_several(struct sema *s, const struct expr *call)
{
	const struct expr *first = call->call.args[0];
	struct format_spec spec = {0};

	if (is_literal(first) && !strstr(first->string.text, "% "))
		format_parse(s->arena, first->string.text, first->string.len, &spec);
	if (spec.n_args && !spec.bad_len)
		sema_hint(s, "the first is a format: write printf(%s, …)", text_of(s, first));
	else
		sema_hint(s, "to print several values, write %s", printf_of(s, call));
}

void hint_argument(struct sema *s, const struct expr *call, const struct expr *arg)
{
	const struct builtin *b = call->call.builtin;
	bool is_agg = b->kind == BUILTIN_AGG, is_text = arg->type->kind == TY_STRING;
	struct signature sig;

	if (is_text && hint_parameter(s, arg))
		return;
	if (is_agg && arg->type->kind == TY_STRING)
		sema_hint(s, "a text is a key: @[%s] = count()", text_of(s, arg));
	else if (is_agg && arg->type->kind == TY_AGG && arg->kind == EX_MAP)
		sema_hint(s, "%s collects values itself: print(%s) shows it", arg->map.name,
			  arg->map.name);
	else if (b->traits & TR_FORMAT && arg == call->call.args[0] &&
		 b->name[strlen(b->name) - 1] == 'f')
		sema_hint(s, "write print(%s), or %s(\"%s\\n\", %s)", text_of(s, arg), b->name,
			  type_is_integral(arg->type) ? "%d" : "%s", text_of(s, arg));
	else if (is_print(b) && arg == call->call.args[1] &&
		 call->call.args[0]->type->kind != TY_ERROR && !ast_is_whole_map(call, 0))
		hint_several(s, call);
	else if (b->traits & TR_DROPS && arg->kind == EX_VAR)
		sema_hint(s, "assign to a variable: %s = %s; %s is for maps, @x", arg->var.name,
			  is_text ? "\"\"" : "0", b->name);
	else if (arg == call->call.args[0] && builtin_signature(b, &sig) &&
		 sig.params[0].kind == PARAM_MAP && arg->kind == EX_VAR)
		sema_hint(
			s,
			"%s is for maps, whose names begin with @, as @%s; a variable is set by $%s = 0",
			b->name, arg->var.name + 1, arg->var.name + 1);
	else
		hint_example(s, b);
}

const char *hint_type(struct sema *s, const struct type *t, const struct type *other)
{
	if (t->kind == TY_STRING && type_is_integral(other))
		return "a text";
	if (type_is_integral(t) && other->kind == TY_STRING)
		return "a number";
	return sema_name_of(s, t);
}

void hint_arity(struct sema *s, const struct expr *call)
{
	const struct builtin *b = call->call.builtin;
	struct signature sig;

	if (!s->report)
		return;
	if (!builtin_signature(b, &sig))
		sig.n_params = 0;
	if (b->kind == BUILTIN_AGG && !sig.n_params && call->call.n_args == 1)
		diag_hint(s->diags, "%s() takes nothing; by %s: @[%s] = %s()", b->name,
			  text_of(s, call->call.args[0]), text_of(s, call->call.args[0]), b->name);
	else if (b->kind == BUILTIN_AGG && sig.n_params == 1 && call->call.n_args == 2)
		diag_hint(s->diags,
			  "%s(%s) collects one value in a map; of two values one is "
			  "a > b ? a : b",
			  b->name, text_of(s, call->call.args[0]));
	else if (!call->call.n_args && s->program->n_params)
		diag_hint(s->diags, "a shell replaces $1 inside double quotes: put the program in "
				    "single quotes: -e 'PROGRAM'");
	else if (is_print(b) && call->call.n_args && call->call.args[0]->kind == EX_STRING)
		hint_several(s, call);
	else if (!sig.n_params || !hint_example(s, b))
		diag_hint(s->diags, "usage: %s", strchr(b->signature, ' ') + 1);
}

void hint_no_value(struct sema *s, const struct expr *value)
{
	if (value->kind == EX_CALL && value->call.builtin)
		sema_hint(s, "%s() is a statement of its own: write it without '… ='",
			  value->call.builtin->name);
}

void hint_join(struct sema *s, const struct expr *e)
{
	diag_hint(s->diags, "write both where they are printed: printf(\"%%s%%d\", %s, %s)",
		  text_of(s, e->binary.left), text_of(s, e->binary.right));
}

void hint_assigned(struct sema *s, const struct var *v, const struct expr *from,
		   const struct type *t)
{
	if (!s->report)
		return;
	if (v->first.start == from->span.start) /* a parameter of a function */
		diag_hint(s->diags, "the parameter %s is declared as %s", v->name,
			  sema_name_of(s, v->type));
	else
		diag_note(s->diags, v->first, "declared here");
	if (t->kind == TY_STRING && v->type->kind == TY_STRING)
		diag_hint(s->diags, "write (%s) before it to truncate it",
			  sema_name_of(s, v->type));
}
