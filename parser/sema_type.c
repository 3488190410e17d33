/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 2: types. Infers the type of every expression, variable, map key and map value from all
 * their uses in the script, whatever their order: rounds over the tree widen types until none
 * changes (each can only grow, so they end; ROUNDS is a bound, not a hope), then one more round
 * reports.
 * Before: names resolved (NULL symbols are errors already said). After: e->type is never NULL.
 * Only this file may iterate.
 */
#include "agg.h"
#include "arena.h"
#include "limits.h"
#include "sema.h"
#include "span_kind.h"
#include <string.h>

/* A chain of maps, each of which is assigned the next, takes a round each. */
enum { ROUNDS = LIMIT_MAPS + 16 };

/* Type of a literal, and of what held nothing else yet: int64 until it meets an integer, whose sign
 * it takes. Told from int64 by its address. */
static const struct type literal = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = true};

/* What is read before any round found its type, as in `@max = delta > @max ? delta : @max`. As
 * silent as an error, but told from it by its address: the other operand decides. */
static const struct type unknown = {.kind = TY_ERROR, .size = 8, .align = 8};

static const struct type *type_expr(struct sema *s, struct expr *e);
static void type_block(struct sema *s, struct block *b);

static const struct type *word(bool is_signed)
{
	return type_int(8, is_signed);
}

static bool is_literal_int(const struct expr *e)
{
	return e->kind == EX_INT && e->integer.value <= INT64_MAX;
}

/* What a value of type t is stored as in a variable or map: integers are 64 bits wide. */
static const struct type *stored(const struct type *t)
{
	return t->kind == TY_INT && t != &literal ? word(t->is_signed) : t;
}

static bool is_wrong(const struct type *t)
{
	return t->kind == TY_ERROR && t != &unknown;
}

/* type_unify, where a literal takes the other's sign, and what is unknown its type. */
static const struct type *unify(const struct type *x, const struct type *y)
{
	if (x == &unknown)
		return y;
	if (y == &unknown)
		return x;
	if (x == &literal && y->kind == TY_INT)
		return stored(y);
	if (y == &literal && x->kind == TY_INT)
		return stored(x);
	return type_unify(x, y);
}

static const char *name_of(struct sema *s, const struct type *t)
{
	return type_str(s->arena, t);
}

/* Let *slot hold values of t too. `from` is blamed, `*first` is where the old type came from. */
static void widen(struct sema *s, const struct type **slot, struct span *first,
		  const struct type *t, const struct expr *from, const char *what)
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
	u = unify(*slot, t);
	if (!u) {
		sema_error(s, from->span, "type-mismatch", "%s is %s, but this is %s", what,
			   name_of(s, *slot), name_of(s, t));
		if (s->report)
			diag_note(s->diags, *first, "it is %s since here", name_of(s, *slot));
		return;
	}
	if (!type_equal(u, *slot) || (*slot == &literal && u != &literal)) {
		*slot = u;
		s->changed = true;
	}
}

/* ---- expressions ------------------------------------------------------------------------- */

/* The type of `e`, which was found already, when it is an integer. */
static const struct type *check_int(struct sema *s, const struct expr *e, const char *op)
{
	const struct type *t = e->type;

	if (t->kind == TY_ERROR || type_is_integral(t))
		return t;
	if (t->kind == TY_AGG && e->kind == EX_CALL) /* pass 3 says where count() belongs */
		return &type_error;
	if (t->kind == TY_AGG) {
		sema_error(s, e->span, "agg-read", "a %s cannot be read as a number", name_of(s, t));
		if (s->report && e->kind == EX_MAP)
			diag_hint(s->diags, "print it: print(%s)", e->map.name);
		return &type_error;
	}
	return sema_error(s, e->span, "operand-type", "'%s' needs integers, this is %s", op,
			  name_of(s, t));
}

static const struct type *need_int(struct sema *s, struct expr *e, const char *op)
{
	type_expr(s, e);
	return check_int(s, e, op);
}

static bool unsigned_with(const struct expr *e, const struct type *t)
{
	return !t->is_signed || is_literal_int(e);
}

/* Check both operands, whose types were found already; of two wrong ones the first is told. */
static bool check_ints(struct sema *s, const struct expr *e)
{
	const char *op = op_str(e->binary.op);

	return !is_wrong(check_int(s, e->binary.left, op)) &&
	       !is_wrong(check_int(s, e->binary.right, op));
}

/* Type of an operation on something unknown and on `t`. */
static const struct type *guess(const struct type *t)
{
	return t->kind == TY_INT ? stored(t) : &literal;
}

static const struct type *type_arith(struct sema *s, struct expr *e)
{
	struct expr *l = e->binary.left, *r = e->binary.right;
	const struct type *x = type_expr(s, l), *y = type_expr(s, r);
	bool is_unsigned;

	if (!check_ints(s, e))
		return &type_error;
	if ((x == &unknown || y == &unknown) && e->binary.op != OP_SUB)
		return guess(x == &unknown ? y : x);
	is_unsigned = unsigned_with(l, x) && unsigned_with(r, y) && !(x->is_signed && y->is_signed);
	return word(e->binary.op == OP_SUB || !is_unsigned);
}

static const struct type *type_compare(struct sema *s, struct expr *e)
{
	const struct type *x = type_expr(s, e->binary.left), *y = type_expr(s, e->binary.right);
	bool equality = e->binary.op == OP_EQ || e->binary.op == OP_NE;

	if (equality && x->kind == TY_STRING && y->kind == TY_STRING)
		return &type_bool;
	if ((x->kind == TY_STRING) != (y->kind == TY_STRING) && x->kind != TY_ERROR &&
	    y->kind != TY_ERROR)
		return sema_error(s, e->span, "type-mismatch", "cannot compare %s with %s",
				  name_of(s, x), name_of(s, y));
	return check_ints(s, e) ? &type_bool : &type_error;
}

static const struct type *type_binary(struct sema *s, struct expr *e)
{
	switch (e->binary.op) {
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		return type_compare(s, e);
	case OP_LAND:
	case OP_LOR:
		need_int(s, e->binary.left, op_str(e->binary.op));
		need_int(s, e->binary.right, op_str(e->binary.op));
		return &type_bool;
	default: /* arithmetic: all share one rule */
		return type_arith(s, e);
	}
}

static const struct type *type_unary(struct sema *s, struct expr *e)
{
	const struct type *t = need_int(s, e->unary.operand, op_str(e->unary.op));

	if (is_wrong(t))
		return t;
	if (e->unary.op == OP_NOT)
		return &type_bool;
	return t == &unknown ? &literal : word(e->unary.op == OP_NEG || t->is_signed);
}

static const struct type *type_ternary(struct sema *s, struct expr *e)
{
	const struct type *x, *y, *u;

	need_int(s, e->ternary.cond, "? :");
	x = type_expr(s, e->ternary.then);
	y = type_expr(s, e->ternary.otherwise);
	u = unify(stored(x), stored(y));
	if (u && (u->kind == TY_INT || u->kind == TY_BOOL || u->kind == TY_ERROR))
		return u;
	if (u)
		return sema_error(s, e->span, "not-built", "'? :' of %s is not built yet, only of integers",
				  name_of(s, u));
	return sema_error(s, e->span, "type-mismatch", "the branches of '? :' are %s and %s",
			  name_of(s, x), name_of(s, y));
}

static const struct type *type_field(struct sema *s, struct expr *e)
{
	struct expr *object = e->field.object;

	if (object->kind == EX_NAME && object->name.builtin && object->name.builtin->id == BI_args)
		return object->name.builtin->check(s, e);
	if (type_expr(s, object)->kind == TY_ERROR)
		return &type_error;
	sema_error(s, e->span, "no-field", "%s has no fields", name_of(s, object->type));
	if (s->report)
		diag_hint(s->diags, "args.FIELD is a tracepoint's field; the kernel's structures cannot be "
				    "read yet");
	return &type_error;
}

static const struct type *undefined_map(struct sema *s, const struct expr *e)
{
	struct nearest near;

	sema_error(s, e->span, "undefined-map", "%s is read but never assigned in this script",
		   e->map.name);
	nearest_init(&near, e->map.name);
	for (uint32_t i = 0; i < s->program->n_maps; i++)
		if (s->program->maps[i]->value)
			nearest_offer(&near, s->program->maps[i]->name);
	if (s->report && near.best)
		diag_hint(s->diags, "did you mean '%s'?", near.best);
	return &type_error;
}

/* Read in an expression, most aggregations are integers: reduced over all CPUs. */
static const struct type *read_type(const struct type *t)
{
	if (t->kind == TY_AGG && agg_rows[t->agg].is_readable)
		return word(t->is_signed);
	return t;
}

static const struct type *type_map(struct sema *s, struct expr *e)
{
	struct map *m = e->map.map;

	for (uint32_t i = 0; i < e->map.n_keys; i++) {
		struct expr *key = e->map.keys[i];
		const struct type *t = type_expr(s, key);

		if (t->kind == TY_VOID || t->kind == TY_AGG)
			t = sema_error(s, key->span, "key-type", "%s cannot be a map's key",
				       name_of(s, t));
		if (m)
			widen(s, &m->key_types[i], &m->key_spans[i], t, key, "the key");
	}
	if (!m)
		return &type_error;
	if (!m->value && m->is_assigned)
		return &unknown;
	return m->value ? read_type(m->value) : undefined_map(s, e);
}

static const struct type *type_incdec(struct sema *s, struct expr *e)
{
	struct expr *t = e->incdec.target;

	if (t->kind == EX_MAP && t->map.map)
		widen(s, &t->map.map->value, &t->map.map->value_span, word(true), t, t->map.name);
	if (t->kind == EX_VAR && t->var.var)
		widen(s, &t->var.var->type, &t->var.var->first, word(true), t, t->var.name);
	return need_int(s, t, e->incdec.is_increment ? "++" : "--");
}

/* ---- calls ------------------------------------------------------------------------------- */

static bool fits_param(const struct param *p, const struct expr *arg)
{
	switch (p->kind) {
	case PARAM_ANY:
		return arg->type->kind != TY_VOID;
	case PARAM_INT:
		return type_is_integral(arg->type) && (!p->is_const || arg->kind == EX_INT);
	case PARAM_STRING:
		return arg->type->kind == TY_STRING && (!p->is_const || arg->kind == EX_STRING);
	case PARAM_MAP:
		return arg->kind == EX_MAP;
	}
	return false;
}

static const char *param_words(const struct param *p)
{
	switch (p->kind) {
	case PARAM_ANY:
		return "a value";
	case PARAM_INT:
		return p->is_const ? "a number written out" : "an integer";
	case PARAM_STRING:
		return p->is_const ? "a string in quotes" : "a string";
	case PARAM_MAP:
		return "a map";
	}
	return "?";
}

static int check_arity(struct sema *s, struct expr *e, const struct signature *sig)
{
	uint32_t least = 0, wanted;
	bool is_exact;

	for (uint32_t i = 0; i < sig->n_params; i++)
		least += !sig->params[i].is_optional;
	if (e->call.n_args > LIMIT_CALL_ARGS) {
		sema_error(s, e->span, "limit-args", "%u arguments are too many, at most %d are possible",
			   e->call.n_args, LIMIT_CALL_ARGS);
		return -1;
	}
	if (e->call.n_args >= least && (sig->has_rest || e->call.n_args <= sig->n_params))
		return 0;
	is_exact = !sig->has_rest && least == sig->n_params;
	wanted = e->call.n_args < least ? least : sig->n_params;
	sema_error(s, e->span, "arg-count", "%s takes %s%u argument%s, not %u", e->call.name,
		   is_exact ? "" : e->call.n_args < least ? "at least " : "at most ", wanted,
		   wanted == 1 ? "" : "s", e->call.n_args);
	if (s->report)
		diag_hint(s->diags, "it is declared as: %s", e->call.builtin->signature);
	return -1;
}

static int check_args(struct sema *s, struct expr *e, const struct signature *sig)
{
	int err = 0;

	for (uint32_t i = 0; i < e->call.n_args && i < sig->n_params; i++) {
		struct expr *arg = e->call.args[i];

		if (arg->type->kind == TY_ERROR) {
			err = -1;
		} else if (!fits_param(&sig->params[i], arg)) {
			sema_error(s, arg->span, "arg-type", "%s needs %s here, this %s %s",
				   e->call.name, param_words(&sig->params[i]),
				   arg->type->kind == TY_VOID ? "call has" : "is",
				   arg->type->kind == TY_VOID ? "none" : name_of(s, arg->type));
			err = -1;
		}
	}
	return err;
}

/* The argument of entry() is of the event that starts the span. */
static void type_entry(struct sema *s, struct expr *arg)
{
	struct probe *here = s->probe;

	if (!here->is_start)
		sema_to_start(s);
	type_expr(s, arg);
	s->probe = here;
}

/* A map named as a whole has no value to type. */
static void type_arg(struct sema *s, struct expr *e, uint32_t i)
{
	struct expr *arg = e->call.args[i];

	if (e->call.builtin && e->call.builtin->traits & TR_ENTRY) {
		type_entry(s, arg);
		return;
	}
	if (sema_is_whole_map(e, i))
		arg->type = arg->map.map && arg->map.map->value ? arg->map.map->value : &type_error;
	else
		type_expr(s, arg);
}

static const struct type *type_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->call.builtin;
	struct signature sig;

	for (uint32_t i = 0; i < e->call.n_args; i++)
		type_arg(s, e, i);
	if (!b || !builtin_signature(b, &sig))
		return &type_error;
	if (b->kind == BUILTIN_VAR)
		return b->check ? b->check(s, e) : sig.result;
	if (check_arity(s, e, &sig) || check_args(s, e, &sig))
		return b->kind == BUILTIN_FN && sig.result ? sig.result : &type_error;
	if (b->check)
		return b->check(s, e);
	return sig.result;
}

static const struct type *type_name(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->name.builtin;
	struct signature sig;

	if (!b || !builtin_signature(b, &sig))
		return &type_error;
	return b->check ? b->check(s, e) : sig.result;
}

static const struct type *type_expr(struct sema *s, struct expr *e)
{
	const struct type *t = &type_error;

	switch (e->kind) {
	case EX_INT:
		t = is_literal_int(e) ? &literal : word(false);
		break;
	case EX_STRING:
		t = type_string(s->arena, e->string.len + 1);
		break;
	case EX_NAME:
		t = type_name(s, e);
		break;
	case EX_VAR:
		t = e->var.var ? e->var.var->type : &type_error;
		t = t ? t : &unknown;
		break;
	case EX_MAP:
		t = type_map(s, e);
		break;
	case EX_CALL:
		t = type_call(s, e);
		break;
	case EX_UNARY:
		t = type_unary(s, e);
		break;
	case EX_BINARY:
		t = type_binary(s, e);
		break;
	case EX_TERNARY:
		t = type_ternary(s, e);
		break;
	case EX_FIELD:
		t = type_field(s, e);
		break;
	case EX_INCDEC:
		t = type_incdec(s, e);
		break;
	}
	e->type = t;
	return t;
}

/* ---- statements -------------------------------------------------------------------------- */

static bool is_agg_call(const struct expr *e)
{
	return e->kind == EX_CALL && e->call.builtin && e->call.builtin->kind == BUILTIN_AGG;
}

static const struct type *assigned_type(struct sema *s, struct stmt *st)
{
	const struct type *t = type_expr(s, st->assign.value);

	if (t->kind == TY_VOID)
		return sema_error(s, st->assign.value->span, "no-value", "this call has no value");
	if (t->kind == TY_AGG && !is_agg_call(st->assign.value))
		return sema_error(s, st->assign.value->span, "not-built",
				  "copying a %s is not built yet", name_of(s, t));
	if (t->kind == TY_AGG && st->assign.target->kind == EX_VAR) {
		sema_error(s, st->assign.value->span, "agg-target", "%s() belongs to a map",
			   st->assign.value->call.name);
		if (s->report)
			diag_hint(s->diags, "write @%s = %s(…)", st->assign.target->var.name + 1,
				  st->assign.value->call.name);
		return &type_error;
	}
	return stored(t);
}

static void type_assign(struct sema *s, struct stmt *st)
{
	struct expr *target = st->assign.target;
	const struct type *t = assigned_type(s, st);

	if (st->assign.op != OP_NONE && t->kind != TY_ERROR && !type_is_integral(t))
		t = sema_error(s, st->assign.value->span, "operand-type",
			       "'%s=' needs integers, this is %s", op_str(st->assign.op), name_of(s, t));
	if (target->kind == EX_VAR && target->var.var)
		widen(s, &target->var.var->type, &target->var.var->first, t, st->assign.value,
		      target->var.name);
	if (target->kind == EX_MAP && target->map.map)
		widen(s, &target->map.map->value, &target->map.map->value_span, t, st->assign.value,
		      target->map.name);
	type_expr(s, target);
	if (target->kind == EX_MAP && target->map.map && target->map.map->value &&
	    target->type->kind != TY_ERROR)
		target->type = target->map.map->value; /* written, not read */
}

static void type_stmt(struct sema *s, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR:
		type_expr(s, st->expr);
		return;
	case ST_ASSIGN:
		type_assign(s, st);
		return;
	case ST_IF:
		need_int(s, st->branch.cond, "if");
		type_block(s, &st->branch.then);
		type_block(s, &st->branch.otherwise);
		return;
	case ST_BLOCK:
		type_block(s, &st->block);
		return;
	case ST_RETURN:
		return;
	}
}

static void type_block(struct sema *s, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		type_stmt(s, b->items[i]);
}

static void type_program(struct sema *s)
{
	s->changed = false;
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		s->probe = s->program->probes[i];
		if (s->probe->predicate)
			need_int(s, s->probe->predicate, "/predicate/");
		type_block(s, &s->probe->body);
	}
}

/* What is still unknown when nothing else was wrong: later passes want a type. */
static void check_all_known(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_maps && !s->diags->n_errors; i++) {
		const struct map *m = s->program->maps[i];

		if (m->value)
			continue;
		diag_error(s->diags, m->first, "unknown-type",
			   "nothing tells the type of %s: it is only assigned from itself", m->name);
		diag_hint(s->diags, "give it a first value: BEGIN { %s = 0 }", m->name);
	}
}

void sema_types(struct sema *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		type_program(s);
		if (!s->changed)
			break;
	}
	s->report = true;
	type_program(s);
	check_all_known(s);
}
