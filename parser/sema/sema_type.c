/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 2: types. Infers the type of every expression, variable, map key and map value from all
 * uses in the script, in any order: rounds over the tree widen types until none changes, then a
 * final round reports errors. Types only grow, so this terminates; ROUNDS is an upper bound.
 * Before: names are resolved (a NULL symbol is an error that was reported). After: e->type is
 * never NULL. Only this file iterates.
 */
#include "parser/lang/agg.h"
#include "parser/sema/sema_name.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

/* A chain of maps, each assigned from the next, takes one round for each map. */
enum { ROUNDS = LIMIT_MAPS + 16 };

/* Type of a literal, and of a variable or map that only held literals so far: int64 until it is
 * combined with another integer, whose sign it takes. Its address distinguishes it from int64. */
const struct type sema_literal = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = true};

/* Type of what is read before its type is known, as in `@max = delta > @max ? delta : @max`; the
 * other operand decides. Like TY_ERROR it causes no errors; its address distinguishes it. */
const struct type sema_unknown = {.kind = TY_ERROR, .size = 8, .align = 8};

/* Widen the type in *slot so that it holds values of t. Errors are reported at `from`, with a
 * note at *first, where the old type came from. */
void sema_widen(struct sema *s, const struct type **slot, struct span *first, const struct type *t,
		const struct expr *from, const char *what)
{
	const struct type *u;

	if (t->kind == TY_ERROR)
		return;
	if (!*slot) {
		*slot = t;
		*first = from->span;
		s->changed = true;
		return;
	}
	u = sema_unify(s, *slot, t);
	if (memory_mixes(*slot, t)) {
		sema_error(s, from->span, "pointer-space",
			   "%s points into the %s, but this points into the %s", what,
			   t->space == SPACE_USER ? "kernel" : "traced program",
			   t->space == SPACE_USER ? "traced program" : "kernel");
		sema_note(s, *first, "first used with an address of the %s here",
			  t->space == SPACE_USER ? "kernel" : "traced program");
		return;
	}
	if (tag_refuse(s, *slot, *first, t, from, what))
		return;
	if (!u) {
		sema_error(s, from->span, "type-mismatch", "%s is %s, but this is %s", what,
			   hint_type(s, *slot, t), hint_type(s, t, *slot));
		if (s->report) {
			diag_note(s->diags, *first, "first used as %s here",
				  hint_type(s, *slot, t));
			hint_other(s, *slot, from, what);
		}
		return;
	}
	if (!type_equal(u, *slot) || tag_knows_less(*slot, u) ||
	    (u->kind == TY_STRUCT && u->space != (*slot)->space)) {
		*slot = u;
		s->changed = true;
	}
}

/* ---- expressions ------------------------------------------------------------------------- */

static const struct type *type_value_block(struct sema *s, struct expr *e)
{
	sema_type_block(s, &e->block.body);
	return e->block.value ? sema_type_expr(s, e->block.value) : &type_void;
}

/* typeof(…) where a value is expected. */
static const struct type *type_alone(struct sema *s, const struct expr *e)
{
	sema_error(s, e->span, "type-value", "a type is not a value");
	return sema_hint(s, "typeof(…) is for casts, declarations, sizeof and arguments of macros");
}

static const struct type *type_field(struct sema *s, struct expr *e)
{
	struct expr *object = e->field.object;

	if (object->kind == EX_UNARY && object->unary.op == OP_DEREF &&
	    ast_is_args(object->unary.operand))
		e->field.object = object = object->unary.operand; /* (*args).x */
	if (ast_is_args(object) || ast_is_context(object))
		return object->name.builtin->check(s, e);
	if (sema_type_expr(s, object)->kind == TY_ERROR)
		return object->type;
	if (type_is_compound(object->type))
		return compound_member(s, e);
	return struct_member(s, e);
}

static const struct type *undefined_map(struct sema *s, const struct expr *e)
{
	const char *near = NEAREST(e->map.name, s->program->maps, s->program->n_maps,
				   (*item)->value ? (*item)->name : NULL);

	sema_error(s, e->span, "undefined-map", "%s is read but never assigned in this script",
		   e->map.name);
	return sema_hint(s, near ? "did you mean '%s'?" : "assign it first: %s = …",
			 near ?: e->map.name);
}

/* In an expression most aggregations are integers, reduced over all CPUs. */
const struct type *sema_read_type(const struct type *t)
{
	if (t->kind == TY_AGG && agg_rows[t->agg].is_readable)
		return sema_word(t->is_signed);
	return t;
}

static const struct type *type_map(struct sema *s, struct expr *e)
{
	struct map *m = e->map.map;

	if (m)
		m->is_reached |= s->report;
	if (m && e->map.is_spread)
		compound_spread_key(s, e);
	for (uint32_t i = 0; i < e->map.n_keys && !e->map.is_spread; i++) {
		struct expr *key = e->map.keys[i];
		const struct type *t = sema_type_expr(s, key);

		t = known_shown(s, key);
		if (t->kind == TY_VOID || t->kind == TY_AGG || t->kind == TY_CALL)
			t = sema_error(s, key->span, "key-type", "%s cannot be a map key",
				       sema_name_of(s, t));
		t = float_check_key(s, key, t);
		if (m)
			sema_widen(s, &m->key_types[i], &m->key_spans[i], t, key, "the key");
	}
	if (!m)
		return &type_error;
	if (!m->value && m->is_assigned)
		return &sema_unknown;
	return m->value ? sema_read_type(m->value) : undefined_map(s, e);
}

/* True if the variable or map holds a pointer, of which ++ and -- move by an element. The value of
 * a map is looked up without typing the expression, because that reports a map that nothing else
 * assigns. */
static bool is_pointer(struct sema *s, struct expr *target)
{
	if (target->kind == EX_VAR) {
		if (target->var.var && !target->var.var->type)
			comptime_type_untaken(s); /* before ++ makes it an integer */
		return sema_type_expr(s, target)->kind == TY_POINTER;
	}
	return target->map.map && target->map.map->value &&
	       target->map.map->value->kind == TY_POINTER;
}

/* ++ and -- move the typed `target` by an element, so the element's size must be known. */
static const struct type *step_over(struct sema *s, struct expr *target)
{
	const struct type *t = struct_resolve(s, target);

	if (t->kind == TY_POINTER)
		struct_has_size(t->to);
	return t;
}

static const struct type *type_incdec(struct sema *s, struct expr *e)
{
	struct expr *t = e->incdec.target;

	if (is_pointer(s, t)) {
		sema_type_expr(s, t);
		return step_over(s, t);
	}
	if (t->kind == EX_MAP && t->map.map)
		sema_widen(s, &t->map.map->value, &t->map.map->value_span, sema_word(true), t,
			   t->map.name);
	if (t->kind == EX_VAR && t->var.var && !t->var.var->is_declared)
		sema_widen(s, &t->var.var->type, &t->var.var->first, sema_word(true), t,
			   t->var.name);
	return sema_need_int(s, t, e->incdec.is_increment ? "++" : "--");
}

static const struct type *type_variable(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->name.builtin;
	struct signature sig;

	if (!b && s->report)
		name_report_unknown(s, e);
	if (!b || !builtin_signature(b, &sig))
		return &type_error;
	return b->check(s, e);
}

const struct type *sema_type_expr(struct sema *s, struct expr *e)
{
	const struct type *t = &type_error;

	switch (e->kind) {
	case EX_INT: t = constant_type(e); break;
	case EX_STRING: t = type_string(s->arena, e->string.len + 1); break;
	case EX_NAME: t = type_variable(s, e); break;
	case EX_VAR:
		t = e->var.var ? e->var.var->type : &type_error;
		t = t ? t : &sema_unknown;
		break;
	case EX_MAP: t = type_map(s, e); break;
	case EX_CALL: t = sema_type_call(s, e); break;
	case EX_UNARY: t = sema_type_unary(s, e); break;
	case EX_BINARY: t = sema_type_binary(s, e); break;
	case EX_TERNARY: t = sema_type_ternary(s, e); break;
	case EX_FIELD: t = type_field(s, e); break;
	case EX_INCDEC: t = type_incdec(s, e); break;
	case EX_PARAM: /* pass 1 replaced them all */ break;
	case EX_CAST: t = compound_cast(s, e); break;
	case EX_TUPLE:
	case EX_RECORD: t = compound_list(s, e); break;
	case EX_INDEX: t = compound_index(s, e); break;
	case EX_BLOCK: t = type_value_block(s, e); break;
	case EX_TYPE: t = type_alone(s, e); break;
	}
	e->type = t;
	return t;
}

const struct type *sema_become(struct sema *s, struct expr *e, const struct expr *other)
{
	*e = *other;
	return sema_type_expr(s, e);
}

/* ---- statements -------------------------------------------------------------------------- */

static const struct type *value_type(struct sema *s, struct expr *value, const struct expr *target)
{
	const struct type *t = sema_type_expr(s, value);

	if (t->kind == TY_VOID) {
		sema_error(s, value->span, "no-value", "this call has no value");
		hint_no_value(s, value);
		return &type_error;
	}
	if (t->kind == TY_AGG && !ast_is_agg_call(value)) {
		sema_error(s, value->span, "agg-copy", "a %s cannot be copied", sema_name_of(s, t));
		return sema_hint(s, "count, sum, min, max and avg can: they are read as numbers");
	}
	if (t->kind == TY_AGG && target->kind == EX_VAR) {
		sema_error(s, value->span, "agg-target", "%s() can only be assigned to a map",
			   value->call.name);
		return sema_hint(s, "write @%s = %s(…)", target->var.name + 1, value->call.name);
	}
	return sema_stored(t);
}

/* A declared type does not change: integers are cast to it, shorter strings are padded, anything
 * else must have that type. */
void sema_assign_var(struct sema *s, struct var *v, const struct type *t, const struct expr *from)
{
	const struct type *u;

	if (!v->is_declared) {
		sema_widen(s, &v->type, &v->first, t, from, v->name);
		return;
	}
	if ((v->type == &type_time || v->type == &type_cgroup) && t->kind == v->type->kind) {
		v->type = t;
		s->changed = true;
		return;
	}
	if (t->kind == TY_STRUCT && type_equal(t, v->type)) {
		u = memory_unify_copies(v->type, t);
		s->changed |= u->space != v->type->space;
		v->type = u;
		return;
	}
	u = type_from(v->type, type_join_spaces(v->type->from, type_space_of(t)));
	s->changed |= u != v->type;
	v->type = u;
	if (t->kind == TY_ERROR || type_equal(t, v->type) ||
	    (type_is_integral(v->type) && (type_is_integral(t) || t->kind == TY_POINTER)) ||
	    ((t->kind == TY_STRING || t->kind == TY_BUFFER) && v->type->kind == t->kind &&
	     t->size <= v->type->size) ||
	    ((t->kind == TY_INET || t->kind == TY_MAC || t->kind == TY_USERNAME) &&
	     v->type->kind == t->kind) ||
	    (memory_are_pointers(t, v->type) && !memory_mixes(t, v->type)))
		return;
	sema_error(s, from->span, "type-mismatch", "%s is %s, but this is %s", v->name,
		   sema_name_of(s, v->type), sema_name_of(s, t));
	hint_assigned(s, v, from, t);
}

/* `let $x : string`, of any size: the type grows, but is a string from the start. */
static void let_string(struct sema *s, struct stmt *st, const struct type *value)
{
	struct var *v = st->let.var->var.var;

	sema_widen(s, &v->type, &v->first, type_string(s->arena, 1), st->let.var, v->name);
	if (value)
		sema_widen(s, &v->type, &v->first, value, st->let.value, v->name);
	st->let.var->type = v->type;
}

static void type_let(struct sema *s, struct stmt *st)
{
	struct var *v = st->let.var->var.var;
	const struct type *t = st->let.type ? compound_declared(s, st) : NULL;
	const struct type *value = st->let.value ? value_type(s, st->let.value, st->let.var) : NULL;
	enum type_space space = value ? ast_number_space(s->probe, value) : ast_space(s->probe);

	if (t && t->kind == TY_STRING && !t->size) {
		let_string(s, st, value);
		return;
	}
	if (t && t->kind == TY_POINTER)
		t = type_pointer(s->arena, t->to, space);
	if (t && t->kind == TY_ARRAY)
		t = memory_declared_array(s, t, value);
	if (t && t->kind == TY_ARRAY && !t->size) {
		sema_error(s, st->let.type->span, "limit-array",
			   "%s needs a number of elements here", sema_name_of(s, t));
		t = sema_hint(s, "write %s[16] for sixteen", sema_name_of(s, t->to));
	}
	if (st->let.type) {
		v->type = t ? t : &type_error;
		v->is_declared = true;
	}
	if (value)
		sema_note_width(s, st->let.var, sema_width(st->let.value));
	if (value && v->type != &type_error)
		sema_assign_var(s, v, value, st->let.value);
	st->let.var->type = v->type ? v->type : &sema_unknown;
}

/* `@ += count()`, `@ += comm` */
static const struct type *refuse_step(struct sema *s, const struct stmt *st, const struct type *t)
{
	const struct expr *value = st->assign.value;

	sema_error(s, value->span, "operand-type", "'%s=' needs integers, but this is %s",
		   op_str(st->assign.op), sema_name_of(s, t));
	if (t->kind == TY_AGG && value->kind == EX_CALL)
		sema_hint(s, "write = %s(…): it adds to what the map has", value->call.name);
	else if (t->kind == TY_STRING && !hint_parameter(s, value) && st->assign.op == OP_ADD &&
		 st->assign.target->type && st->assign.target->type->kind == TY_STRING)
		sema_hint(s, "write $joined = str_concat(%s, %s)",
			  advice_text(s, st->assign.target->span, 40) ?: "…",
			  advice_text(s, value->span, 40) ?: "…");
	return &type_error;
}

static void type_assign(struct sema *s, struct stmt *st)
{
	struct expr *target = st->assign.target;
	const struct type *t = value_type(s, st->assign.value, target);
	bool is_step =
		(st->assign.op == OP_ADD || st->assign.op == OP_SUB) && is_pointer(s, target);

	if (is_step && type_is_integral(t))
		t = target->kind == EX_VAR ? target->type : target->map.map->value;
	else if (st->assign.op != OP_NONE && t->kind != TY_ERROR && !type_is_integral(t))
		t = refuse_step(s, st, t);
	else if (st->assign.op != OP_NONE && t->kind != TY_ERROR &&
		 !constant_check_right(s, st->assign.op, st->assign.value))
		t = &type_error;
	sema_note_width(s, target, st->assign.op == OP_NONE ? sema_width(st->assign.value) : 8);
	if (target->kind == EX_VAR && target->var.var)
		sema_assign_var(s, target->var.var, t, st->assign.value);
	if (target->kind == EX_MAP && target->map.map)
		sema_widen(s, &target->map.map->value, &target->map.map->value_span, t,
			   st->assign.value, target->map.name);
	sema_type_expr(s, target);
	if (target->kind == EX_MAP && target->map.map && target->map.map->value &&
	    target->type->kind != TY_ERROR)
		target->type = target->map.map->value; /* written, not read */
	if (is_step)
		step_over(s, target);
}

static void type_stmt(struct sema *s, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR: sema_type_expr(s, st->expr); return;
	case ST_ASSIGN: type_assign(s, st); return;
	case ST_IF:
		if (comptime_prune(s, st))
			return;
		sema_type_block(s, &st->branch.then);
		sema_type_block(s, &st->branch.otherwise);
		return;
	case ST_BLOCK:
	case ST_CALLED: sema_type_block(s, &st->block); return;
	case ST_RETURN:
		if (st->expr)
			sema_need_int(s, st->expr, "return");
		return;
	case ST_LET: type_let(s, st); return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: sema_type_loop(s, st); return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

void sema_type_block(struct sema *s, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		type_stmt(s, b->items[i]);
}

static void type_program(struct sema *s)
{
	s->changed = s->is_wrong = false;
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		s->probe = s->program->probes[i];
		if (comptime_predicate(s, s->probe))
			sema_type_block(s, &s->probe->body);
	}
}

/* Report maps whose type is still unknown if there are no other errors: the plan needs a type. */
void sema_known(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_maps && !s->diags->n_errors; i++) {
		const struct map *m = s->program->maps[i];

		if (m->value)
			continue;
		diag_error(s->diags, m->first, "unknown-type",
			   "cannot infer the type of %s: it is only assigned from itself", m->name);
		diag_hint(s->diags, "give it an initial value: BEGIN { %s = 0 }", m->name);
	}
}

/* Give variables without a type the type `given`: integers when only `let` names them, or
 * type_error, to avoid follow-up errors. */
static void give_types(struct sema *s, const struct type *given)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];

		for (uint32_t j = 0; j < p->n_vars; j++)
			if (!p->vars[j]->type || p->vars[j]->type == &type_error)
				p->vars[j]->type = given;
	}
}

static void find_types(struct sema *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		type_program(s);
		if (!s->changed)
			break;
	}
}

/* Decide at compile time what depends on types. False when nothing was left to decide. */
static bool decide(struct sema *s)
{
	s->settles = true;
	s->settled = false;
	type_program(s);
	s->settles = false;
	return s->settled;
}

void sema_types(struct sema *s)
{
	bool was_wrong;

	do {
		find_types(s);
	} while (s->has_comptime && (decide(s) || comptime_type_untaken(s)));
	was_wrong = s->is_wrong;
	give_types(s, s->diags->n_errors || was_wrong ? &type_error : &sema_literal);
	s->report = true;
	type_program(s);
	comptime_check_locks(s);
	if (s->has_comptime)
		comptime_drop_probes(s);
	if (s->has_comptime && !s->diags->n_errors)
		comptime_drop_maps(s);
	if (!was_wrong || s->diags->n_errors)
		return;
	give_types(s, &sema_literal); /* the errors disappeared once all sizes were known */
	type_program(s);
}
