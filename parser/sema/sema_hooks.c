/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of builtins.def that fit in no other file: printf and print, strings, and
 * functions on maps. Pass 2 calls them for rules that a signature cannot express.
 */
#include "parser/lang/field_type.h"
#include "parser/lang/format_spec.h"
#include "parser/sema/sema_type.h"

static bool conversion_takes(char conv, const struct type *t)
{
	if (strchr(FORMAT_REAL, conv))
		return t->kind == TY_FLOAT;
	if (conv == 's')
		return t->kind != TY_VOID && t->kind != TY_AGG;
	if (conv == 'r')
		return t->kind == TY_BUFFER;
	return type_is_integral(t) || t->kind == TY_POINTER;
}

/* A tracepoint's `const char *` field is an address: printing it as a number would mislead. */
bool sema_is_string_address(struct sema *s, const struct expr *e)
{
	bool is_args = ast_is_args_field(e);
	const struct tp_field *f = is_args && s->probe->n_points ? e->field.fields[0] : NULL;

	if (!f || !field_is_text(f))
		return false;
	sema_error(s, e->span, "format-arg", "this field is the address of a string, not a string");
	sema_hint(s, "write str(args.%s)", e->field.name);
	return true;
}

static const char *conversion_name(const struct format_piece *p)
{
	static const char letters[] = "d\0i\0u\0x\0X\0o\0c\0p\0s\0f\0F\0e\0E\0g\0G";

	if (p->conv == FORMAT_GFP)
		return "gr";
	if (p->conv == 'r')
		return p->form == 'x' ? "rx" : p->form == 'h' ? "rh" : "r";
	return memchr(letters, p->conv, sizeof(letters));
}

static void check_conversion(struct sema *s, const struct format_piece *p, struct expr *arg)
{
	if (p->conv == 's' && sema_is_string_address(s, arg))
		return;
	if (!p->conv || arg->type->kind == TY_ERROR || conversion_takes(p->conv, arg->type))
		return;
	if (arg->type->kind == TY_VOID) {
		sema_error(s, arg->span, "format-arg", "%%%s needs a value, but this call has none",
			   conversion_name(p));
		return;
	}
	if (arg->is_parameter && arg->type->kind == TY_STRING) {
		sema_error(s, arg->span, "format-arg", "%%%s prints a number, and this is a text",
			   conversion_name(p));
		hint_parameter(s, arg);
		return;
	}
	sema_error(s, arg->span, "format-arg", "%%%s cannot print %s", conversion_name(p),
		   sema_name_of(s, arg->type));
	if (arg->type->kind == TY_AGG && arg->kind == EX_MAP)
		sema_hint(s, "print the whole map: print(%s)", arg->map.name);
	else if (arg->type->kind == TY_AGG && arg->kind == EX_CALL)
		sema_hint(s, "a map collects it: @ = %s(…); print(@)", arg->call.name);
	else if (arg->type->kind == TY_FLOAT)
		sema_hint(s, "print it with %%f, %%e, %%g or %%s");
	else if (strchr(FORMAT_REAL, p->conv))
		sema_hint(
			s,
			"an integer is printed with %%d; for a fraction print a smaller unit, such as $ns / 1000");
	else if (arg->type->kind != TY_AGG)
		sema_hint(s, "print it with %%s");
}

/* What a '*' takes. */
static void check_star(struct sema *s, uint32_t arg, struct expr **args)
{
	const struct expr *e = arg ? args[arg] : NULL;

	if (!e || e->type->kind == TY_ERROR || type_is_integral(e->type))
		return;
	sema_error(s, e->span, "format-arg",
		   "'*' needs an integer as width or precision, but this is %s",
		   sema_name_of(s, e->type));
}

static const struct type *bad_conversion(struct sema *s, const struct expr *fmt, const char *text,
					 uint32_t len)
{
	while (len > 1 && !(text[len - 1] > ' ' && text[len - 1] < 0x7f))
		len--; /* "100%\n": only what can be shown */
	sema_error(s, fmt->span, "format-conversion", "'%.*s' is not a printf conversion", (int)len,
		   text);
	sema_hint(
		s,
		"conversions are %%d %%i %%u %%x %%X %%o %%c %%p %%s %%f %%e %%g %%r %%rx %%rh %%gr "
		"(width and precision up to %d), and %%%% prints a percent sign",
		LIMIT_WIDTH);
	return &type_void;
}

static const struct type *bad_count(struct sema *s, const struct expr *e,
				    const struct format_spec *spec)
{
	sema_error(s, e->span, "format-count", "the format takes %u value%s, but there %s %u",
		   spec->n_args, spec->n_args == 1 ? "" : "s", e->call.n_args == 2 ? "is" : "are",
		   e->call.n_args - 1);
	if (!spec->n_args && hint_braces(s, e))
		return &type_void;
	if (strstr(e->call.args[0]->string.text, "% "))
		sema_hint(s, "%%%% prints a percent sign");
	else
		sema_hint(s, "each conversion, such as %%d, takes one value after the format");
	return &type_void;
}

const struct type *chk_printf(struct sema *s, struct expr *e)
{
	struct expr *fmt = e->call.args[0];
	struct format_spec spec;

	format_parse(s->arena, fmt->string.text, fmt->string.len, &spec);
	if (spec.bad_len)
		return bad_conversion(s, fmt, fmt->string.text + spec.bad_at, spec.bad_len);
	if (spec.n_args != e->call.n_args - 1)
		return bad_count(s, e, &spec);
	for (const struct format_piece *p = spec.pieces; p < spec.pieces + spec.n_pieces; p++) {
		check_star(s, p->width_arg, e->call.args);
		check_star(s, p->precision_arg, e->call.args);
		if (p->conv)
			check_conversion(s, p, e->call.args[1 + p->field]);
	}
	if (s->probe->n_points && point_has(&s->probe->points[0], ARM_ITER))
		return iter_check_printf(s, e, &spec);
	return &type_void;
}

const struct type *chk_print(struct sema *s, struct expr *e)
{
	const struct expr *arg = e->call.args[0];

	if (e->call.n_args > 1 && !ast_is_whole_map(e, 0))
		sema_error(s, e->call.args[1]->span, "arg-count",
			   "print takes one value; a number of rows is only for whole maps");
	else if (e->call.n_args > 1 && e->call.args[1]->integer.value > UINT32_MAX)
		sema_error(s, e->call.args[1]->span, "arg-type", "no map has that many entries");
	if (!ast_is_whole_map(e, 0) && arg->kind == EX_MAP && arg->type->kind == TY_AGG &&
	    arg->type->agg != AGG_STATS) {
		sema_error(s, arg->span, "print-entry",
			   "one entry of a %s cannot be printed by itself",
			   sema_name_of(s, arg->type));
		sema_hint(s, "print the whole map: print(%s)", arg->map.name);
	}
	return &type_void;
}

const struct type *chk_kstack(struct sema *s, struct expr *e)
{
	if (sema_is_lost_slice(s, e, "kstack"))
		return &type_error;
	return type_kstack_as(e->name.form);
}

/* The kernel walks user stacks of the thread that runs only: a switch keeps it from when the thread
 * left; of calls that are still open nobody can have it. */
const struct type *chk_ustack(struct sema *s, struct expr *e)
{
	if (sema_is_lost_slice(s, e, "ustack"))
		return &type_error;
	if (!sema_is_open_end(s) || probe_is_sched_switch(&s->probe->points[0]))
		return type_ustack_as(e->name.form);
	sema_error(
		s, e->span, "span-memory",
		"the user stack of a call that is still open cannot be walked when tracing ends");
	return sema_hint(s, "write entry(ustack), or leave out open_spans = count");
}

/* A stack of one function. */
const struct type *chk_runtime_func(struct sema *s, struct expr *e)
{
	const struct capability_row *c = &capability_rows[CAP_UNWIND];

	if (kernel_lacks(s->kernel, CAP_UNWIND)) {
		sema_error(s, e->span, "stack-walk", "runtime_func needs %s (%s, since Linux %s)",
			   c->name, c->from, c->since);
		return sema_hint(s, "leave it out");
	}
	e->name.form = FORM_names;
	e->name.limit = 1;
	e->name.walk = WALK_RUNTIME_FUNC;
	return chk_ustack(s, e);
}

enum { NAME_LEAST = 23, NAME_MOST = 256 };

static size_t longest_name(const struct attach_point *p, size_t most)
{
	size_t own = strlen(p->name);

	most = own > most ? own : most;
	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct attach_target *t = &p->targets[i];
		size_t n = t->name ? strlen(t->name)
				   : strlen(probe_rows[p->id].name) + strlen(":") +
					     (t->path ? strlen(target_path(t)) + 1 : 0) +
					     (t->function ? strlen(t->function) : 0);

		most = n > most ? n : most;
	}
	return most;
}

static bool is_address(const struct type *t)
{
	return t->kind == TY_INT || t->kind == TY_STRING || t->kind == TY_POINTER ||
	       t->kind == TY_NAME || t->kind == TY_ERROR || sema_is_text(t);
}

/* str("text", n) is a literal: n - 1 bytes of the text. */
static const struct type *cut_literal(struct sema *s, struct expr *e, const struct expr *text,
				      const struct expr *n)
{
	struct span span = e->span;
	uint32_t len = text->string.len;

	if (n && n->integer.value && n->integer.value - 1 < len)
		len = (uint32_t)n->integer.value - 1;
	*e = *text;
	e->span = span;
	e->string.text = arena_strndup(s->arena, text->string.text, len);
	e->string.len = len;
	return type_string(s->arena, len + 1);
}

/* The size of the longest name of an attach point or function, at most NAME_MOST. */
static uint32_t name_bytes(struct sema *s)
{
	size_t most = NAME_LEAST;

	for (uint32_t i = 0; !s->program->name_bytes && i < s->program->n_probes; i++) {
		const struct probe *p = s->program->probes[i];

		for (uint32_t j = 0; j < p->n_points; j++)
			most = longest_name(&p->points[j], most);
	}
	if (!s->program->name_bytes)
		s->program->name_bytes =
			(uint32_t)(most < NAME_MOST ? (most + 8) & ~7u : NAME_MOST);
	return s->program->name_bytes;
}

const struct type *chk_str(struct sema *s, struct expr *e)
{
	const struct expr *p = e->call.args[0], *n = e->call.n_args > 1 ? e->call.args[1] : NULL;
	const struct type *text = p->type;
	__int128 size = s->program->config.max_strlen;

	struct_decay(s, e->call.args[0]);
	if (!is_address(p->type))
		return sema_wrong_arg(s, e, p, "an address", NULL);
	if (p->kind == EX_STRING && (!n || n->kind == EX_INT))
		return cut_literal(s, e, p, n);
	if (n && constant_number(n, &size) && (size < 1 || size > LIMIT_STR_REQUESTED))
		return sema_error(s, n->span, "str-size",
				  "str reads 1 to %d bytes, including the NUL",
				  LIMIT_STR_REQUESTED);
	if (p->type->kind == TY_NAME)
		text = type_string(s->arena, name_bytes(s));
	if (p->type->kind == TY_ARRAY)
		text = type_chars(s->arena, p->type->size);
	if (text->kind == TY_STRING)
		return n && n->kind == EX_INT && size < text->size
			       ? type_string(s->arena, (uint32_t)size)
			       : text;
	if (!memory_is_clear(s, p, p->type) || !memory_is_of_span(s, e, p->type))
		return &type_error;
	return type_string(s->arena, (uint32_t)size);
}
