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
	return e->kind == EX_INT && !e->integer.is_bool && e->integer.value <= INT64_MAX;
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

static const struct type *unify(struct sema *s, const struct type *x, const struct type *y);

/* Members in x's order; a record's are found by name. */
static const struct type *unify_compound(struct sema *s, const struct type *x, const struct type *y)
{
	struct type_member *members = arena_alloc(s->arena, (x->n_members + 1) * sizeof(*members));

	if (x->kind != y->kind || x->n_members != y->n_members)
		return NULL;
	for (uint32_t i = 0; i < x->n_members; i++) {
		int j = x->kind == TY_TUPLE ? (int)i : type_member_index(y, x->members[i].name);

		members[i] = x->members[i];
		members[i].type = j < 0 ? NULL : unify(s, x->members[i].type, y->members[j].type);
		if (!members[i].type)
			return NULL;
	}
	return type_tuple(s->arena, x->kind == TY_RECORD, members, x->n_members);
}

/* type_unify, where a literal takes the other's sign, and what is unknown its type. */
static const struct type *unify(struct sema *s, const struct type *x, const struct type *y)
{
	if (x == &unknown)
		return y;
	if (y == &unknown)
		return x;
	if (x == &literal && y->kind == TY_INT)
		return stored(y);
	if (y == &literal && x->kind == TY_INT)
		return stored(x);
	if (type_is_compound(x) && !type_equal(x, y))
		return unify_compound(s, x, y);
	if (x->kind == TY_POINTER && y->kind == TY_POINTER)
		return x;
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
	u = unify(s, *slot, t);
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

static const struct type *type_compare_compound(struct sema *s, struct expr *e, bool equality)
{
	const struct type *x = e->binary.left->type, *y = e->binary.right->type;

	if (!equality)
		return sema_error(s, e->span, "operand-type", "'%s' cannot compare %s: only == and != can",
				  op_str(e->binary.op), name_of(s, x));
	if (unify(s, x, y))
		return &type_bool;
	return sema_error(s, e->span, "type-mismatch", "cannot compare %s with %s", name_of(s, x),
			  name_of(s, y));
}

static const struct type *type_compare(struct sema *s, struct expr *e)
{
	const struct type *x = type_expr(s, e->binary.left), *y = type_expr(s, e->binary.right);
	bool equality = e->binary.op == OP_EQ || e->binary.op == OP_NE;

	if (equality && x->kind == TY_STRING && y->kind == TY_STRING)
		return &type_bool;
	if (type_is_compound(x) && type_is_compound(y))
		return type_compare_compound(s, e, equality);
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

/* Whose memory an address of no known origin is: what the probe's arguments are of. */
enum type_space sema_space(const struct probe *p)
{
	return p->n_points && (p->points[0].id == PROBE_UPROBE || p->points[0].id == PROBE_URETPROBE ||
			       p->points[0].syscall >= 0)
		       ? SPACE_USER
		       : SPACE_KERNEL;
}

/* *p of a pointer, and of an integer: 8 bytes at that address. */
static const struct type *type_deref(struct sema *s, struct expr *e)
{
	const struct type *t = type_expr(s, e->unary.operand);

	if (t->kind != TY_POINTER && is_wrong(need_int(s, e->unary.operand, "*")))
		return &type_error;
	if (s->probe->uses_delta)
		return sema_error(s, e->span, "span-memory",
				  "'*' reads the memory of the thread that runs, which is not the span's");
	if (t->kind == TY_POINTER && !t->to->size)
		return sema_error(s, e->span, "operand-type", "%s cannot be read: cast it to a pointer to "
				  "something", name_of(s, t));
	return t->kind == TY_POINTER ? t->to : word(false);
}

static const struct type *type_unary(struct sema *s, struct expr *e)
{
	const struct type *t;

	if (e->unary.op == OP_DEREF)
		return type_deref(s, e);
	t = need_int(s, e->unary.operand, op_str(e->unary.op));
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
	x = e->ternary.then ? type_expr(s, e->ternary.then) : e->ternary.cond->type;
	y = type_expr(s, e->ternary.otherwise);
	u = unify(s, stored(x), stored(y));
	if (u && u->kind != TY_AGG && u->kind != TY_VOID)
		return u;
	if (u)
		return sema_error(s, e->span, "no-value", "the branches of '? :' must have values, not %s",
				  name_of(s, u));
	return sema_error(s, e->span, "type-mismatch", "the branches of '? :' are %s and %s",
			  name_of(s, x), name_of(s, y));
}

static const struct type *type_member(struct sema *s, struct expr *e)
{
	const struct type *t = e->field.object->type;
	int i = type_member_index(t, e->field.name);
	struct nearest near;

	if (i >= 0 && t->members[i].type->kind == TY_AGG)
		return sema_error(s, e->span, "not-built", "reading an aggregation in a loop is not built yet");
	if (i >= 0)
		return t->members[i].type;
	sema_error(s, e->field.name_span, "no-field", "%s has no '%s'", name_of(s, t), e->field.name);
	if (!s->report)
		return &type_error;
	nearest_init(&near, e->field.name);
	for (uint32_t j = 0; t->kind == TY_RECORD && j < t->n_members; j++)
		nearest_offer(&near, t->members[j].name);
	if (near.best)
		diag_hint(s->diags, "did you mean '%s'?", near.best);
	else if (t->kind == TY_TUPLE)
		diag_hint(s->diags, "its parts are .0 to .%u", t->n_members ? t->n_members - 1 : 0);
	return &type_error;
}

/* The type of a member of a literal; a tuple or record in it is kept as it is. */
static const struct type *member_type(struct sema *s, struct expr *item)
{
	const struct type *t = type_expr(s, item);

	if (t->kind == TY_VOID || t->kind == TY_AGG)
		return sema_error(s, item->span, "no-value", "%s cannot be a part of a tuple or record",
				  name_of(s, t));
	return t == &literal ? word(true) : stored(t);
}

static bool is_doubled(const struct expr *e, uint32_t i)
{
	for (uint32_t j = 0; e->kind == EX_RECORD && j < i; j++)
		if (strcmp(e->list.names[i], e->list.names[j]) == 0)
			return true;
	return false;
}

static const struct type *type_list(struct sema *s, struct expr *e)
{
	uint32_t n = e->list.n, size = 0;
	struct type_member *members = arena_alloc(s->arena, (n + 1) * sizeof(*members));
	const struct type *wrong = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const struct type *t = member_type(s, e->list.items[i]);

		members[i].type = t;
		members[i].name = e->kind == EX_RECORD ? e->list.names[i] : NULL;
		if (is_doubled(e, i))
			wrong = sema_error(s, e->list.name_spans[i], "redeclared",
					   "the record has '%s' twice", e->list.names[i]);
		if (t->kind == TY_ERROR && wrong != &type_error)
			wrong = t;
		if (t->kind != TY_ERROR && size <= LIMIT_TUPLE_BYTES)
			size += t->size;
	}
	if (wrong)
		return wrong;
	if (size > LIMIT_TUPLE_BYTES)
		return sema_error(s, e->span, "limit-tuple", "this takes more than %d bytes",
				  LIMIT_TUPLE_BYTES);
	return type_tuple(s->arena, e->kind == EX_RECORD, members, n);
}

/* The type a script spells; NULL with the mistake said. */
static const struct type *named_type(struct sema *s, const struct type_name *n)
{
	const struct type *t = type_of_name(s->arena, n->name);
	struct nearest near;

	if (!t && n->n_suffixes && n->suffixes[0].is_pointer && strcmp(type_str(s->arena, &type_void), n->name) == 0)
		t = &type_void;
	if (!t && (type_is_name(n->name) || strchr(n->name, ' '))) {
		sema_error(s, n->span, "not-built", "the type '%s' is not built yet", n->name);
		return NULL;
	}
	if (!t) {
		sema_error(s, n->span, "unknown-type", "unknown type '%s'", n->name);
		nearest_init(&near, n->name);
		type_offer_names(&near, nearest_offer);
		if (s->report && near.best)
			diag_hint(s->diags, "did you mean '%s'?", near.best);
		return NULL;
	}
	for (uint32_t i = 0; i < n->n_suffixes; i++) {
		if (!n->suffixes[i].is_pointer) {
			sema_error(s, n->span, "not-built", "array types are not built yet");
			return NULL;
		}
		t = type_pointer(s->arena, t, SPACE_NONE);
	}
	return t;
}

static const struct type *type_cast(struct sema *s, struct expr *e)
{
	const struct type *t = type_expr(s, e->cast.operand), *to = named_type(s, e->cast.to);

	if (!to || is_wrong(t))
		return &type_error;
	if (to->kind == TY_POINTER)
		to = type_pointer(s->arena, to->to, t->kind == TY_POINTER ? t->space : sema_space(s->probe));
	if (t->kind == TY_POINTER || t == &unknown || t->kind == TY_BOOL || t->kind == TY_INT)
		return to;
	if (t->kind == TY_AGG && e->cast.operand->kind != EX_CALL)
		return sema_error(s, e->span, "not-built",
				  "reading an aggregation in an expression is not built yet");
	return sema_error(s, e->span, "cast-type", "%s cannot be cast to %s", name_of(s, t),
			  name_of(s, to));
}

/* [i] of a tuple (a number written out), a string (a byte of it) or a pointer. */
static const struct type *type_index(struct sema *s, struct expr *e)
{
	const struct type *t = type_expr(s, e->index.object), *at = need_int(s, e->index.at, "[]");
	const struct expr *i = e->index.at;

	if (t->kind == TY_ERROR || is_wrong(at))
		return t->kind == TY_ERROR ? t : at;
	if (t->kind == TY_POINTER && t->to->size)
		return s->probe->uses_delta ? sema_error(s, e->span, "span-memory",
							 "this reads the memory of the thread that runs, "
							 "which is not the span's")
					    : t->to;
	if (t->kind == TY_STRING && i->kind == EX_INT && i->integer.value >= t->size)
		return sema_error(s, i->span, "index-range",
				  "the index %llu is out of bounds for %s",
				  (unsigned long long)i->integer.value, name_of(s, t));
	if (t->kind == TY_STRING)
		return type_int(1, true);
	if (t->kind != TY_TUPLE)
		return sema_error(s, e->span, "index-type", "%s cannot be indexed", name_of(s, t));
	if (i->kind != EX_INT)
		return sema_error(s, i->span, "index-type", "a tuple's part is named by a number: .0");
	if (i->integer.value >= t->n_members)
		return sema_error(s, i->span, "index-range",
				  "the index %llu is out of bounds for %s",
				  (unsigned long long)i->integer.value, name_of(s, t));
	return t->members[i->integer.value].type;
}

static const struct type *type_value_block(struct sema *s, struct expr *e)
{
	type_block(s, &e->block.body);
	return type_expr(s, e->block.value);
}

static const struct type *type_field(struct sema *s, struct expr *e)
{
	struct expr *object = e->field.object;

	if (object->kind == EX_NAME && object->name.builtin && object->name.builtin->id == BI_args)
		return object->name.builtin->check(s, e);
	if (type_expr(s, object)->kind == TY_ERROR)
		return object->type;
	if (type_is_compound(object->type))
		return type_member(s, e);
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

/* One tuple is all of the keys. */
static void type_spread_key(struct sema *s, struct expr *e)
{
	struct map *m = e->map.map;
	struct expr *key = e->map.keys[0];
	const struct type *t = type_expr(s, key);

	if (t->kind == TY_ERROR)
		return;
	if (t->kind != TY_TUPLE || t->n_members != m->n_keys) {
		sema_error(s, key->span, "key-count", "%s has %u keys, this is %s", m->name, m->n_keys,
			   name_of(s, t));
		if (s->report)
			diag_note(s->diags, m->first, "it has %u here", m->n_keys);
		return;
	}
	for (uint32_t i = 0; i < m->n_keys; i++)
		widen(s, &m->key_types[i], &m->key_spans[i], t->members[i].type, key, "the key");
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

	if (m && e->map.is_spread)
		type_spread_key(s, e);
	for (uint32_t i = 0; i < e->map.n_keys && !e->map.is_spread; i++) {
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
		t = e->integer.is_bool ? &type_bool : is_literal_int(e) ? &literal : word(false);
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
	case EX_PARAM: /* none is left after pass 1 */
		break;
	case EX_CAST:
		t = type_cast(s, e);
		break;
	case EX_TUPLE:
	case EX_RECORD:
		t = type_list(s, e);
		break;
	case EX_INDEX:
		t = type_index(s, e);
		break;
	case EX_BLOCK:
		t = type_value_block(s, e);
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

static const struct type *value_type(struct sema *s, struct expr *value, const struct expr *target)
{
	const struct type *t = type_expr(s, value);

	if (t->kind == TY_VOID)
		return sema_error(s, value->span, "no-value", "this call has no value");
	if (t->kind == TY_AGG && !is_agg_call(value))
		return sema_error(s, value->span, "not-built", "copying a %s is not built yet",
				  name_of(s, t));
	if (t->kind == TY_AGG && target->kind == EX_VAR) {
		sema_error(s, value->span, "agg-target", "%s() belongs to a map", value->call.name);
		if (s->report)
			diag_hint(s->diags, "write @%s = %s(…)", target->var.name + 1, value->call.name);
		return &type_error;
	}
	return stored(t);
}

/* A declared type stays; integers are cast into it, everything else must fit. */
static void assign_var(struct sema *s, struct var *v, const struct type *t, const struct expr *from)
{
	if (!v->is_declared) {
		widen(s, &v->type, &v->first, t, from, v->name);
		return;
	}
	if (t->kind == TY_ERROR || (type_is_integral(t) && type_is_integral(v->type)) ||
	    (t->kind == TY_POINTER && v->type->kind == TY_POINTER))
		return;
	sema_error(s, from->span, "type-mismatch", "%s is %s, but this is %s", v->name,
		   name_of(s, v->type), name_of(s, t));
	if (s->report)
		diag_note(s->diags, v->first, "it was declared here");
}

static void type_let(struct sema *s, struct stmt *st)
{
	struct var *v = st->let.var->var.var;
	const struct type *t = st->let.type ? named_type(s, st->let.type) : NULL;
	const struct type *value = NULL;

	if (t && t->kind == TY_POINTER)
		t = type_pointer(s->arena, t->to, sema_space(s->probe));
	if (st->let.type) {
		v->type = t ? t : &type_error;
		v->is_declared = true;
	}
	if (st->let.value)
		value = value_type(s, st->let.value, st->let.var);
	if (value && v->type != &type_error)
		assign_var(s, v, value, st->let.value);
	st->let.var->type = v->type ? v->type : &unknown;
}

/* (key, value) of the map; several keys are a tuple. */
static const struct type *entry_type(struct sema *s, const struct map *m)
{
	struct type_member *keys = arena_alloc(s->arena, (m->n_keys + 1) * sizeof(*keys));
	struct type_member *entry = arena_alloc(s->arena, 2 * sizeof(*entry));

	if (!m->value)
		return NULL;
	for (uint32_t i = 0; i < m->n_keys; i++)
		if (!(keys[i].type = m->key_types[i]) || keys[i].type->kind == TY_ERROR)
			return NULL;
	entry[0].type = m->n_keys == 1 ? keys[0].type : type_tuple(s->arena, false, keys, m->n_keys);
	entry[1].type = m->value;
	return type_tuple(s->arena, false, entry, 2);
}

static void type_for(struct sema *s, struct stmt *st)
{
	struct var *v = st->loop.var->var.var;
	struct expr *over = st->loop.over;
	const struct type *t;

	if (over) {
		v->map = over->map.map;
		over->type = &type_error;
		t = v->map ? entry_type(s, v->map) : &type_error;
		if (v->map && !v->map->n_keys)
			t = sema_error(s, over->span, "loop-map", "%s has no keys to go over", over->map.name);
	} else {
		const struct type *x = need_int(s, st->loop.from, ".."), *y = need_int(s, st->loop.to, "..");

		t = unify(s, stored(x), stored(y));
	}
	if (t && (!v->type || !type_equal(v->type, t))) {
		s->changed |= !v->type || !over; /* an entry's type follows the map's, which widens */
		v->type = t;
	}
	st->loop.var->type = t ? t : &unknown;
	type_block(s, &st->loop.body);
}

static void type_loop(struct sema *s, struct stmt *st)
{
	if (st->kind == ST_FOR) {
		type_for(s, st);
		return;
	}
	if (st->kind == ST_WHILE)
		need_int(s, st->loop.cond, "while");
	else
		need_int(s, st->loop.count, "unroll");
	type_block(s, &st->loop.body);
}

static void type_assign(struct sema *s, struct stmt *st)
{
	struct expr *target = st->assign.target;
	const struct type *t = value_type(s, st->assign.value, target);

	if (st->assign.op != OP_NONE && t->kind != TY_ERROR && !type_is_integral(t))
		t = sema_error(s, st->assign.value->span, "operand-type",
			       "'%s=' needs integers, this is %s", op_str(st->assign.op), name_of(s, t));
	if (target->kind == EX_VAR && target->var.var)
		assign_var(s, target->var.var, t, st->assign.value);
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
		if (st->expr)
			need_int(s, st->expr, "return");
		return;
	case ST_LET:
		type_let(s, st);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL:
		type_loop(s, st);
		return;
	case ST_BREAK:
	case ST_CONTINUE:
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

/* Variables that only `let` names are integers. */
static void give_types(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];

		for (uint32_t j = 0; j < p->n_vars; j++)
			if (!p->vars[j]->type)
				p->vars[j]->type = s->diags->n_errors ? &type_error : &literal;
	}
}

void sema_types(struct sema *s)
{
	for (int i = 0; i < ROUNDS; i++) {
		type_program(s);
		if (!s->changed)
			break;
	}
	give_types(s);
	s->report = true;
	type_program(s);
	check_all_known(s);
}
