/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 3: every rule that does not concern names or types. Where a builtin may be used, how
 * loops nest, and which part of a predicate can be tested when a span starts.
 * Before: names and types are resolved. After: probe->start_conds is set, and a program without
 * errors can be planned and compiled.
 */
#include "bpf_helpers/shared.h"
#include "parser/lang/agg.h"
#include "parser/lang/span_kind.h"
#include "parser/sema/sema_type.h"

static void check_block(struct block *b, void *ctx);

/* The probe type that sees the return of calls whose entry `id` sees. */
static enum probe_id return_of(enum probe_id id)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (i != id && probe_rows[i].entry == id)
			return i;
	return id;
}

/* arg1 at a tracepoint of a system call: the field of that argument. */
static bool hint_field(struct sema *s, const struct builtin *b, const struct attach_point *p)
{
	const struct tp_format *format = point_tracepoint(p)->format;
	uint32_t n = (uint32_t)b->arg;

	if (!(b->traits & TR_ARGS) || !format || format->is_unchecked ||
	    strncmp(format->event, "sys_enter_", strlen("sys_enter_")) != 0)
		return false;
	n += format->n_fields && strcmp(format->fields[0].name, "__syscall_nr") == 0;
	if (n >= format->n_fields)
		return false;
	return diag_hint(s->diags, "write args.%s: 'sonde -lv tracepoint:%s:%s' lists the fields",
			 format->fields[n].name, format->category, format->event),
	       true;
}

/* Hint where a builtin is available that is not at `p`. */
static void hint_where(struct sema *s, const struct builtin *b, const struct attach_point *p)
{
	const char *list = NULL;
	enum probe_context context = probe_rows[p->id].context;

	if (context == CTX_TRACEPOINT && b->where == W_RETURN) {
		diag_hint(s->diags,
			  "a system call's result is args.ret in its sys_exit_ tracepoint");
		return;
	}
	if (b->where == W_ENTRY && context == CTX_TRACEPOINT && hint_field(s, b, p))
		return;
	if (b->where == W_ENTRY && (context == CTX_TRACEPOINT || probe_is_typed(p))) {
		diag_hint(s->diags, context != CTX_TRACEPOINT
					    ? "the function's arguments are args.NAME"
					    : "a tracepoint's fields are args.FIELD");
		return;
	}
	if (b->where & 1u << CTX_REGS_ENTRY && context == CTX_REGS_RETURN) {
		diag_hint(s->diags, "entry(%s) is its value when the function was called", b->name);
		return;
	}
	if (b->where & 1u << CTX_REGS_RETURN && context == CTX_REGS_ENTRY) {
		diag_hint(s->diags, "it is known only when the function returns: probe %s:…",
			  probe_rows[return_of(p->id)].name);
		return;
	}
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (builtin_exists_in(b, i))
			list = list ? arena_join(s->arena, list, ", ", probe_title(i))
				    : probe_title(i);
	diag_hint(s->diags, "it is available in: %s", list);
}

static void check_where(struct sema *s, const struct builtin *b, struct span span)
{
	for (uint32_t i = 0; b && i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (!iter_check_where(s, b, span, p))
			return;
		if (builtin_exists_in(b, p->id))
			continue;
		diag_error(s->diags, span, "wrong-probe", "'%s' is not available in %s probes",
			   b->name, probe_title(p->id));
		hint_where(s, b, p);
		return;
	}
}

static void check_value_string(struct sema *s, const struct expr *e)
{
	uint64_t max_strlen = s->program->config.max_strlen;
	uint64_t most = max_strlen > LIMIT_STRING ? max_strlen : LIMIT_STRING;

	if (e->string.len < most)
		return;
	diag_error(s->diags, e->span, "limit-string",
		   "a string of %u bytes is too long for a value", e->string.len);
	diag_hint(
		s->diags,
		"at most %u bytes, or %d with config = { max_strlen = %d }; a printf format may be longer",
		(uint32_t)most - 1, LIMIT_STR_REQUESTED - 1, LIMIT_STR_REQUESTED);
}

/* A loop variable over a map whose values are aggregations that cannot be read as numbers. */
static void check_map_entry(struct sema *s, const struct expr *e)
{
	const struct type *t = e->var.var->map->value;

	if (!t || t->kind != TY_AGG || agg_rows[t->agg].is_readable)
		return;
	diag_error(s->diags, e->span, "agg-read", "a %s cannot be read as a number",
		   sema_name_of(s, t));
	diag_hint(s->diags, "the key is %s.0; print the map for its values", e->var.name);
}

static void check_expr(struct expr *e, void *ctx);

/* entry(EXPR): check EXPR as part of the probe that starts the span. */
static void check_entry(struct sema *s, struct expr *e)
{
	struct probe *here;

	if (s->probe->is_start || e->call.n_args != 1)
		return;
	arena_push(s->arena, s->probe->entries, s->probe->n_entries, e);
	if (!sema_check_entry(s, e))
		return;
	here = sema_to_start(s);
	check_expr(e->call.args[0], s);
	s->probe = here;
}

/* With open_spans = count the body may run before the call returns. Rewrite `args.NAME` to
 * entry(args.NAME): the value is stored at the entry, and is the same that the return would see. */
static void keep_args(struct sema *s, struct expr *e)
{
	if (e->kind != EX_FIELD || !ast_is_args(e->field.object) || !s->probe->n_points ||
	    !probe_is_typed(&s->probe->points[0]) || !sema_is_open_end(s))
		return;
	sema_wrap(s, e, "entry");
}

/* True if a call of a function with TR_LOOPS becomes a loop. Short strings are compared and
 * measured without one. */
static bool takes_loop(const struct expr *e)
{
	const struct type *t = e->call.n_args ? e->call.args[0]->type : &type_error;

	if (ast_is_whole_map(e, 0) || t->kind == TY_POINTER)
		return true;
	return e->call.n_args > 1 || (t->kind == TY_STRING && t->size > SONDE_STRING_WORDS);
}

static void check_depth(struct sema *s, const struct expr *e)
{
	if (!(e->call.builtin->traits & TR_LOOPS) || s->loop_depth < LIMIT_LOOPS || !takes_loop(e))
		return;
	diag_error(s->diags, e->span, "limit-nesting",
		   "%s is a loop itself, and the kernel allows %d nested loops", e->call.name,
		   LIMIT_LOOPS);
}

/* Of the object of a member access only the member is copied; &x reads nothing. */
static void check_children(struct expr *e, struct sema *s)
{
	bool is_address = e->kind == EX_UNARY && e->unary.op == OP_ADDRESS;
	struct expr *object = is_address ? e->unary.operand : ast_place_object(e);

	while (object && ast_is_place(object)) {
		if (e->kind == EX_INDEX)
			check_expr(e->index.at, s);
		e = object;
		object = ast_place_object(e);
	}
	ast_each_child(e, check_expr, s);
}

static void check_expr(struct expr *e, void *ctx)
{
	struct sema *s = ctx;
	const struct builtin *b;

	keep_args(s, e);
	b = e->kind == EX_CALL ? e->call.builtin : NULL;
	if (e->kind == EX_NAME)
		check_where(s, e->name.builtin, e->span);
	if (e->kind == EX_STRING)
		check_value_string(s, e);
	if (b) {
		check_where(s, b, e->call.name_span);
		if (b->kind == BUILTIN_AGG) {
			diag_error(s->diags, e->span, "agg-target",
				   "%s() must be assigned to a map", e->call.name);
			diag_hint(s->diags, "write @ = %s(…)", e->call.name);
		}
		if (b->traits & TR_ENTRY) {
			check_entry(s, e);
			return;
		}
		check_depth(s, e);
		if (b->traits & TR_FORMAT) {
			for (uint32_t i = 1; i < e->call.n_args; i++)
				check_expr(e->call.args[i], s);
			return;
		}
	}
	if (e->kind == EX_BLOCK) {
		ast_each_below(e, check_expr, check_block, s);
		return;
	}
	if (e->kind == EX_VAR && e->var.var && e->var.var->map)
		check_map_entry(s, e);
	struct_check_value(s, e);
	if (e->kind == EX_FIELD && e->field.object->kind == EX_VAR)
		return; /* .0 and .1 of a map entry: checked by pass 2 */
	check_children(e, s);
}

static void check_assign(struct sema *s, struct stmt *st)
{
	struct expr *v = st->assign.value;

	ast_each_child(st->assign.target, check_expr, s);
	if (ast_is_agg_call(v) && st->assign.target->kind == EX_MAP)
		ast_each_child(v, check_expr, s);
	else
		check_expr(v, s);
	if (st->assign.op == OP_NONE)
		sema_check_fit(s, st->assign.target, v);
}

static void check_let(struct sema *s, struct stmt *st)
{
	if (!st->let.value)
		return;
	check_expr(st->let.value, s);
	sema_check_fit(s, st->let.var, st->let.value);
}

static void check_effect(struct sema *s, const struct expr *e)
{
	if (e->kind == EX_INCDEC || e->type->kind == TY_VOID || e->type->kind == TY_ERROR)
		return;
	if (e->kind == EX_CALL &&
	    (e->call.imported || (e->call.builtin && e->call.builtin->traits & TR_ACT)))
		return;
	if (e->kind == EX_BLOCK && e->block.body.n)
		return; /* a macro may be called for what it does */
	diag_warning(s->diags, e->span, "no-effect", "this value is unused");
	if (e->kind == EX_BINARY && e->binary.op == OP_EQ &&
	    (e->binary.left->kind == EX_VAR || e->binary.left->kind == EX_MAP))
		diag_hint(s->diags, "to assign it, write %s = …",
			  e->binary.left->kind == EX_VAR ? e->binary.left->var.name
							 : e->binary.left->map.name);
	else
		diag_hint(s->diags, "print it: print(…)");
}

/* How often an unroll's body is copied: its own count times those of the unrolls around it. */
static uint64_t count_copies(const struct stmt *st)
{
	uint64_t n = 1;

	for (; st && n <= LIMIT_UNROLLED; st = st->loop.around)
		if (st->kind == ST_UNROLL && st->loop.count->kind == EX_INT &&
		    st->loop.count->integer.value <= LIMIT_UNROLL)
			n *= st->loop.count->integer.value;
	return n;
}

static void check_unroll(struct sema *s, const struct stmt *st)
{
	const struct expr *n = st->loop.count;
	uint64_t n_copies = count_copies(st);

	if (n->kind != EX_INT && n->type->kind != TY_ERROR) {
		diag_error(s->diags, n->span, "unroll-count",
			   "unroll needs a literal number, 1 to %d", LIMIT_UNROLL);
		diag_hint(s->diags,
			  "write unroll (3) { … }; for ($i : 0..n) { … } takes any number");
	} else if (n->kind == EX_INT && (!n->integer.value || n->integer.value > LIMIT_UNROLL)) {
		diag_error(s->diags, n->span, "unroll-count",
			   "unroll makes 1 to %d copies of its body, not %llu", LIMIT_UNROLL,
			   (unsigned long long)n->integer.value);
	} else if (n_copies > LIMIT_UNROLLED && count_copies(st->loop.around) <= LIMIT_UNROLLED) {
		diag_error(
			s->diags, n->span, "limit-unroll",
			"nested in other unrolls, this makes %llu copies of its body, at most %d are allowed",
			(unsigned long long)n_copies, LIMIT_UNROLLED);
		diag_hint(s->diags, "use a loop instead: for ($i : 0..%llu) { … }",
			  (unsigned long long)n->integer.value);
	}
}

static void check_loop(struct sema *s, struct stmt *st)
{
	if (st->kind != ST_UNROLL)
		s->probe->has_loops = true;
	if (st->kind == ST_WHILE)
		check_expr(st->loop.cond, s);
	if (st->loop.from) {
		check_expr(st->loop.from, s);
		check_expr(st->loop.to, s);
	}
	if (st->kind == ST_UNROLL)
		check_unroll(s, st);
	s->loop_depth += st->kind != ST_UNROLL;
	check_block(&st->loop.body, s);
	s->loop_depth -= st->kind != ST_UNROLL;
}

static void check_stmt(struct sema *s, struct stmt *st)
{
	if (st->kind == ST_ASSIGN) {
		check_assign(s, st);
	} else if (st->kind == ST_LET) {
		check_let(s, st);
	} else if (ast_is_loop(st)) {
		check_loop(s, st);
	} else {
		ast_each_head(st, check_expr, s);
		if (st->kind == ST_EXPR && !st->is_discard)
			check_effect(s, st->expr);
		ast_each_block(st, check_block, s);
	}
}

static bool block_leaves(const struct block *b)
{
	return b->n && sema_leaves(b->items[b->n - 1]);
}

bool sema_leaves(const struct stmt *st)
{
	const struct expr *e = st->kind == ST_EXPR ? st->expr : NULL;

	switch (st->kind) {
	case ST_RETURN:
	case ST_BREAK:
	case ST_CONTINUE: return true;
	case ST_BLOCK: return block_leaves(&st->block);
	case ST_IF: return block_leaves(&st->branch.then) && block_leaves(&st->branch.otherwise);
	case ST_EXPR: return e->kind == EX_CALL && e->call.builtin == &builtins[BI_exit];
	default: return false;
	}
}

static void check_block(struct block *b, void *ctx)
{
	struct sema *s = ctx;
	bool is_reported = false;

	for (uint32_t i = 0; i < b->n; i++) {
		if (i && !is_reported && !s->diags->n_errors && sema_leaves(b->items[i - 1])) {
			diag_warning(s->diags, b->items[i]->span, "unreachable",
				     "this statement is never reached");
			diag_note(s->diags, b->items[i - 1]->span,
				  "this statement leaves the block");
			is_reported = true;
		}
		check_stmt(s, b->items[i]);
	}
}

struct same_at_both {
	const struct probe *probe;
	uint32_t traits; /* of values that are the same at both ends */
	bool yes;
};

/* True for expressions of literals and values that are the same at both ends of the span. */
static void same_at_both_ends(struct expr *e, void *ctx)
{
	struct same_at_both *same = ctx;

	switch (e->kind) {
	case EX_INT:
	case EX_STRING: return;
	case EX_NAME:
		if (!e->name.builtin || !(e->name.builtin->traits & same->traits))
			same->yes = false;
		return;
	case EX_UNARY:
	case EX_BINARY:
	case EX_TERNARY:
	case EX_CAST:
	case EX_TUPLE:
	case EX_RECORD:
	case EX_INDEX:
		same->yes &= e->kind != EX_UNARY || e->unary.op != OP_DEREF;
		ast_each_child(e, same_at_both_ends, ctx);
		return;
	case EX_FIELD: same->yes &= sema_is_call_number(same->probe, e); return;
	case EX_VAR:
	case EX_MAP:
	case EX_CALL:
	case EX_INCDEC:
	case EX_PARAM:
	case EX_TYPE:
	case EX_BLOCK: same->yes = false; return;
	}
}

/* The N of `depth <= N` and its other forms, `depth < N`, `N >= depth`, `N > depth`; 0 of anything
 * else. Deeper calls are then left alone at their start. */
static uint64_t depth_at_most(const struct expr *e)
{
	const struct builtin *b;
	const struct expr *n;
	bool is_less;

	if (e->kind != EX_BINARY)
		return 0;
	is_less = e->binary.op == OP_LT || e->binary.op == OP_LE;
	if (!is_less && e->binary.op != OP_GT && e->binary.op != OP_GE)
		return 0;
	b = ast_builtin(is_less ? e->binary.left : e->binary.right);
	n = is_less ? e->binary.right : e->binary.left;
	if (!b || b->check != chk_depth || n->kind != EX_INT)
		return 0;
	return n->integer.value - (e->binary.op == OP_LT || e->binary.op == OP_GT);
}

static void note_depth(struct probe *p, const struct expr *e)
{
	uint64_t most = depth_at_most(e);

	if (most && most < SONDE_SPAN_CALLS && (!p->max_depth || most < p->max_depth))
		p->max_depth = (uint32_t)most;
}

/* Collect the top-level && operands of a span probe's predicate that can be tested at the start. */
static void split_predicate(struct sema *s, struct probe *p, struct expr *e)
{
	struct same_at_both same = {.probe = p,
				    .traits = TR_TASK | TR_THREAD | TR_CONST,
				    .yes = true};

	if (e->kind == EX_BINARY && e->binary.op == OP_LAND) {
		split_predicate(s, p, e->binary.left);
		split_predicate(s, p, e->binary.right);
		return;
	}
	note_depth(p, e);
	for (uint32_t i = 0; i < p->n_points; i++)
		same.traits &= span_rows[p->points[i].ends].same;
	same_at_both_ends(e, &same);
	if (same.yes)
		arena_push(s->arena, p->start_conds, p->n_start_conds, e);
}

void sema_checks(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++) {
		struct probe *p = s->program->probes[i];

		s->probe = p;
		if (p->predicate)
			check_expr(p->predicate, s);
		check_block(&p->body, s);
		if (p->predicate && ast_span(p) != SPAN_NO && ast_span(p) != SPAN_SLICE)
			split_predicate(s, p, p->predicate);
	}
	sema_check_sizes(s);
}
