/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of the traced function in a probe at a source line or at an instruction: a name that is
 * nothing else. Pass 1 rewrites it to what computes it from registers: *(TYPE *)(reg("sp") + 24),
 * (TYPE)reg("bx"). Debug information says where the variable is at that instruction.
 */
#include "parser/base/regs.h"
#include "parser/lang/register.h"
#include "parser/sema/sema_name.h"
#include "parser/sema/sema_type.h"
#include <stdlib.h>

/* What is looked for among the variables of one target, or of all. */
struct local_search {
	struct sema *s;
	const char *name;
	struct user_local found;
	const char *list; /* of those that can be read; or NULL */
	struct nearest near;
};

/* Is every register that tells it one of those that programs see, and its value not too large for a
 * register? */
static bool is_readable(const struct user_local *l)
{
	if (l->state != LOCAL_HERE || !l->type || (l->is_value && type_is_memory(l->type)))
		return false;
	for (uint32_t i = 0; i < l->n_ops; i++)
		if (l->ops[i].step == LOCAL_REGISTER && regs_of_dwarf(l->ops[i].reg) < 0)
			return false;
	return true;
}

static void visit(const struct user_local *l, void *ctx)
{
	struct local_search *f = ctx;

	if (!f->found.name && strcmp(l->name, f->name) == 0)
		f->found = *l;
	if (!is_readable(l))
		return;
	f->list = f->list ? arena_join(f->s->arena, f->list, ", ", l->name) : l->name;
	nearest_offer(&f->near, l->name);
}

/* The variables at an instruction, which is looked up once. */
struct local_place {
	struct local_place *next;
	struct arena *arena;
	const char *path;
	uint64_t offset;
	bool is_known; /* debug information describes it */
	struct user_local *all;
	uint32_t n;
};

static void collect(const struct user_local *l, void *ctx)
{
	struct local_place *place = ctx;

	arena_push(place->arena, place->all, place->n, *l);
}

static const struct local_place *place_of(struct sema *s, const struct attach_target *t)
{
	struct kernel *k = s->kernel;
	struct local_place *place = s->local_places;

	while (place && (place->offset != t->offset || strcmp(place->path, t->path) != 0))
		place = place->next;
	if (place)
		return place;
	place = arena_new_of(s->arena, struct local_place);
	*place = (struct local_place){s->local_places, s->arena, t->path, t->offset};
	s->local_places = place;
	place->is_known = !k->each_user_local(k, t->path, t->offset, collect, place);
	return place;
}

/* Probes at a function's start have `args`; at an address without debug information there is
 * nothing to look for. */
static bool look_up(struct sema *s, const struct attach_target *t, const char *name,
		    struct local_search *f)
{
	const struct local_place *place =
		s->kernel->each_user_local && t->path ? place_of(s, t) : NULL;

	*f = (struct local_search){.s = s, .name = name};
	nearest_init(&f->near, name);
	for (uint32_t i = 0; place && i < place->n; i++)
		visit(&place->all[i], f);
	return place && place->is_known;
}

static bool is_inside(const struct attach_point *p)
{
	return point_has(p, ARM_USER) && !probe_is_return(p) && p->n_targets && !p->is_listed &&
	       (p->user.is_at_line || (!p->pattern && !p->targets[0].is_entry));
}

/* ---- errors -------------------------------------------------------------------------------- */

/* What to write for a variable that a register at the start of the function tells. */
static void hint_entry(struct sema *s, const struct attach_target *t, const struct user_local *l)
{
	int at = l->n_ops ? regs_of_dwarf(l->ops[0].reg) : -1;
	const char *name = register_name(at);

	if (!l->n_ops)
		diag_hint(s->diags, "keep it there: uprobe:%s:%s { @%s[tid] = args.%s; }",
			  target_path(t), t->function, l->name, l->name);
	else if (name)
		diag_hint(s->diags,
			  "keep the register there, from which '%s' is computed: uprobe:%s:%s { "
			  "@%s[tid] = reg(\"%s\"); }",
			  l->name, target_path(t), t->function, name, name);
}

static void refuse(struct sema *s, const struct expr *e, const struct attach_target *t,
		   const struct local_search *f)
{
	const char *name = f->name, *list = f->list ?: "none";

	switch (f->found.state) {
	case LOCAL_HERE:
		diag_error(
			s->diags, e->span, "no-variable",
			f->found.type
				? "the variable '%s', of type %s, is in a register that programs in the kernel do not see"
				: "the variable '%s' is of type %s, which cannot be read",
			name, f->found.type_text);
		break;
	case LOCAL_GONE:
		diag_error(s->diags, e->span, "no-variable",
			   "the variable '%s' of %s is optimized away here", name, t->function);
		break;
	case LOCAL_TOO_EARLY:
		diag_error(s->diags, e->span, "no-variable",
			   "the variable '%s' is not there yet: %s has not made its frame", name,
			   t->function);
		diag_hint(s->diags, "probe a later line; parameters are args.NAME in uprobe:%s:%s",
			  target_path(t), t->function);
		return;
	case LOCAL_AT_ENTRY:
		diag_error(
			s->diags, e->span, "no-variable",
			"the variable '%s' is known here only by what a register held at the start of %s",
			name, t->function);
		hint_entry(s, t, &f->found);
		return;
	case LOCAL_IN_PIECES:
		diag_error(s->diags, e->span, "no-variable",
			   "the variable '%s', of type %s, is in several registers here", name,
			   f->found.type_text);
		break;
	case LOCAL_IS_STATIC:
		diag_error(s->diags, e->span, "no-variable", "the variable '%s' is static", name);
		diag_hint(s->diags, "read it at its address: *uaddr(\"%s\")", name);
		return;
	case LOCAL_UNKNOWN:
		diag_error(
			s->diags, e->span, "no-variable",
			"where the variable '%s' is here is described in a way that is not supported",
			name);
		break;
	}
	diag_hint(s->diags, "the variables that are here: %s", list);
}

/* ---- the expression ------------------------------------------------------------------------ */

struct expr *sema_cast(struct sema *s, struct span at, const struct type *t, struct expr *e)
{
	struct type_name *n = arena_new_of(s->arena, struct type_name);

	*n = (struct type_name){.span = at, .of = ast_int(s->arena, at, 0), .type = t};
	return ast_cast(s->arena, at, n, e);
}

static struct expr *register_value(struct sema *s, struct span at, const struct local_op *op)
{
	const char *name = register_name(regs_of_dwarf(op->reg));
	struct expr *e;

	e = ast_string(s->arena, at, name, (uint32_t)strlen(name));
	sema_wrap(s, e, "reg");
	if (op->number)
		e = ast_binary(s->arena, at, op->number < 0 ? OP_SUB : OP_ADD, e,
			       ast_int(s->arena, at, (uint64_t)llabs(op->number)));
	return e;
}

static struct expr *computed(struct sema *s, struct span at, enum local_step step, struct expr *x,
			     struct expr *y)
{
	static const enum op ops[] = {
		[LOCAL_NEG] = OP_NEG, [LOCAL_NOT] = OP_BNOT, [LOCAL_ADD] = OP_ADD,
		[LOCAL_SUB] = OP_SUB, [LOCAL_MUL] = OP_MUL,  [LOCAL_AND] = OP_BAND,
		[LOCAL_OR] = OP_BOR,  [LOCAL_XOR] = OP_BXOR, [LOCAL_SHL] = OP_SHL,
		[LOCAL_SHR] = OP_SHR,
	};

	if (step == LOCAL_READ)
		return ast_unary(s->arena, at, OP_DEREF,
				 sema_cast(s, at,
					   type_pointer(s->arena, type_int(8, false), SPACE_USER),
					   x));
	return y ? ast_binary(s->arena, at, ops[step], x, y)
		 : ast_unary(s->arena, at, ops[step], x);
}

/* What the operations compute; NULL: they are not a computation. */
static struct expr *run_ops(struct sema *s, struct span at, const struct user_local *l)
{
	struct expr *stack[LOCAL_OPS];
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n_ops; i++) {
		const struct local_op *op = &l->ops[i];
		bool is_two = op->step >= LOCAL_ADD;

		if (op->step == LOCAL_REGISTER || op->step == LOCAL_NUMBER) {
			stack[n++] = op->step == LOCAL_NUMBER
					     ? ast_int(s->arena, at, (uint64_t)op->number)
					     : register_value(s, at, op);
			continue;
		}
		if (n < 1u + is_two)
			return NULL;
		n -= is_two;
		stack[n - 1] = computed(s, at, op->step, stack[n - 1], is_two ? stack[n] : NULL);
	}
	return n == 1 ? stack[0] : NULL;
}

static struct expr *value_of(struct sema *s, struct span at, const struct user_local *l)
{
	struct expr *e = is_readable(l) ? run_ops(s, at, l) : NULL;

	if (!e)
		return NULL;
	if (!l->is_value)
		return ast_unary(s->arena, at, OP_DEREF,
				 sema_cast(s, at, type_pointer(s->arena, l->type, SPACE_USER), e));
	if (l->type->kind == TY_BOOL) /* of a register only the lowest byte counts */
		e = sema_cast(s, at, type_int(1, false), e);
	return sema_cast(s, at, l->type, e);
}

static bool is_same(const struct user_local *x, const struct user_local *y)
{
	if (x->state != y->state || x->is_value != y->is_value || x->n_ops != y->n_ops ||
	    !x->type != !y->type || (x->type && !type_equal(x->type, y->type)))
		return false;
	for (uint32_t i = 0; i < x->n_ops; i++)
		if (x->ops[i].step != y->ops[i].step || x->ops[i].reg != y->ops[i].reg ||
		    x->ops[i].number != y->ops[i].number)
			return false;
	return true;
}

bool name_local(struct sema *s, struct expr *e)
{
	const struct attach_target *first = NULL;
	struct local_search f, other;
	struct expr *value;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		for (uint32_t j = 0; is_inside(p) && j < p->n_targets; j++) {
			if (!look_up(s, &p->targets[j], e->name.name, first ? &other : &f))
				return false;
			if (first && !is_same(&f.found, &other.found)) {
				diag_error(
					s->diags, e->span, "no-variable",
					"the variable '%s' is not at the same place in %s and %s",
					e->name.name, first->function, p->targets[j].function);
				diag_hint(s->diags,
					  "write a probe for each: uprobe:FILE:FUNCTION+OFFSET");
				return true;
			}
			first = first ? first : &p->targets[j];
		}
	}
	if (!first || !f.found.name)
		return false;
	value = value_of(s, e->span, &f.found);
	if (value)
		*e = *value;
	else
		refuse(s, e, first, &f);
	return true;
}

bool name_hint_local(struct sema *s, const struct expr *e)
{
	const struct attach_point *p = s->probe->n_points ? &s->probe->points[0] : NULL;
	struct local_search f;

	if (!p || !is_inside(p) || !look_up(s, p->targets, e->name.name, &f) || !f.list)
		return false;
	if (f.near.best)
		return diag_hint(s->diags, "did you mean '%s'?", f.near.best), true;
	return diag_hint(s->diags, "the variables that are here: %s", f.list), true;
}
