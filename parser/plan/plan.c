/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed AST to plan: the kernel programs, the layout of maps, records and hidden state, and what
 * the runtime has to provide. Only plan*.c assign map and event ids and compute offsets; they
 * write the ids back into the tree (map.id, call.event) for codegen. This file plans probes and
 * puts the plan together; programs are in plan_prog.c, spans in plan_span.c, maps and records in
 * plan_body.c.
 * Before: sema_run returned 0. After: the plan does not refer to the AST.
 */
#include "parser/lang/builtin.h"
#include "parser/plan/plan.h"
#include "parser/base/find.h"
#include "parser/base/pattern.h"
#include "parser/lang/call_value.h"
#include "parser/lang/prefault.h"
#include "parser/lang/reason.h"
#include "parser/plan/plan_build.h"

/* ---- what a probe reads of its context --------------------------------------------------- */

const struct plan_kept_stack *plan_find_stack(const struct plan_kept_stack *stacks, uint32_t n,
					      struct plan_kept_stack like)
{
	return FIND(stacks, n, item->limit == like.limit && item->walk == like.walk);
}

static void add_stack(struct reads *r, const struct expr *e)
{
	struct plan_kept_stack k = {.limit = e->name.limit, .walk = e->name.walk};

	if (!(e->name.builtin->traits & TR_STACK))
		return;
	if (!(e->name.builtin->needs & NEEDS_USTACK)) {
		if (!plan_find_stack(r->kstacks, r->n_kstacks, k))
			arena_push(r->arena, r->kstacks, r->n_kstacks, k);
	} else if (!plan_find_stack(r->stacks, r->n_stacks, k)) {
		arena_push(r->arena, r->stacks, r->n_stacks, k);
	}
}

static void add_read(struct reads *r, const struct expr *e)
{
	r->args = true;
	for (uint32_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i]->field.name, e->field.name) == 0)
			return;
	arena_push(r->arena, r->fields, r->n_fields, e);
}

/* The type of `call`; NULL: another expression. */
static const struct type *type_of_call(const struct expr *e)
{
	return ast_builtin(e) && e->type && e->type->kind == TY_CALL ? e->type : NULL;
}

static void read_expr(struct expr *e, void *ctx)
{
	struct reads *r = ctx;
	const struct builtin *b = ast_builtin(e);

	r->n_exprs++;
	r->interrupted |= b && b->traits & TR_INTERRUPTED;
	r->inside |= b && b->traits & TR_INSIDE;
	r->call = type_of_call(e) ?: r->call;
	r->reason |= b && b->needs & NEEDS_REASON;
	if (b && b->traits & TR_ENTRY)
		return; /* evaluated when the span starts: plan_span */
	if (e->kind == EX_NAME && e->name.builtin)
		add_stack(r, e);
	if (e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_probe)
		r->probe = true;
	if (ast_is_args_field(e))
		add_read(r, e);
	r->in_record |= e->kind == EX_UNARY && e->unary.op == OP_ADDRESS &&
			ast_is_args_field(e->unary.operand);
	ast_each_child(e, read_expr, r);
}

static void note_walks(struct plan_needs *needs, struct reads *r, bool is_special)
{
	for (uint32_t i = 0; i < r->n_stacks; i++) {
		r->walks |= r->stacks[i].walk != WALK_fp;
		needs->dwarf |= r->stacks[i].walk == WALK_dwarf;
		needs->frame_pointers |= r->stacks[i].walk == WALK_fp;
	}
	needs->unwind |= r->walks;
	needs->own_unwind |= is_special && r->walks;
}

static void read_probe(struct planner *pl, struct probe *p, struct reads *r)
{
	struct reads of_start = {.arena = pl->arena};

	*r = (struct reads){.arena = pl->arena};
	for (uint32_t i = 0; i < p->n_entries; i++)
		read_expr(p->entries[i]->call.args[0], &of_start);
	r->entry_of_point = of_start.args || of_start.probe;
	r->n_entry_exprs = of_start.n_exprs;
	ast_each_in_probe(p, read_expr, r);
	note_walks(&pl->plan->needs, r, ast_has_trait(p, PR_SPECIAL));
	note_walks(&pl->plan->needs, &of_start, false);
	r->walks |= of_start.walks;
}

/* ---- probes ------------------------------------------------------------------------------ */

/* True when the fields that the body reads have the same layout at attach points i and j. */
static bool same_fields(const struct reads *r, uint32_t i, uint32_t j)
{
	for (uint32_t k = 0; k < r->n_fields; k++) {
		const struct tp_field *f = r->fields[k]->field.fields[i];
		const struct tp_field *g = r->fields[k]->field.fields[j];

		if (f->offset != g->offset || f->size != g->size || f->is_signed != g->is_signed)
			return false;
	}
	return true;
}

static bool has_call(const struct plan_probe *q, int64_t number)
{
	bool has = q->syscall.number == number;

	for (uint32_t i = 0; i < q->syscall.n_more; i++)
		has |= q->syscall.more[i] == number;
	return has;
}

/* A list of more attach points is like a pattern: its names are not told apart in messages, and the
 * body is compiled once. */
enum { LIST_MOST_APART = 16 };

/* True if attach points of probe p belong together: of one pattern, or of one long list. */
static bool are_together(const struct probe *p, const struct attach_point *a,
			 const struct attach_point *b)
{
	return plan_is_same(a->pattern, b->pattern) &&
	       (a->pattern || p->n_points > LIST_MOST_APART);
}

/* System calls matched by one pattern become one probe if the body is the same for all of them, and
 * one program is for all system calls.
 * Adds the attach point to the probe planned last when it can; a pattern that occurs twice fires
 * twice. */
static bool joins_pattern(struct planner *pl, uint32_t ast, uint32_t index,
			  enum plan_prog_kind kind, const struct reads *r)
{
	const struct probe *p = pl->program->probes[ast];
	const struct attach_point *point = &p->points[index];
	struct plan_probe *last =
		pl->plan->n_probes ? &pl->plan->probes[pl->plan->n_probes - 1] : NULL;
	const struct attach_point *first = last ? &p->points[last->point] : NULL;
	int64_t number = probe_syscall(point);

	if (!prog_kind_is(kind, PK_SYSCALL) || !last || last->ast != ast || r->entry_of_point ||
	    number < 0 || number >= SONDE_SYSCALLS || last->syscall.number < 0 ||
	    last->syscall.number >= SONDE_SYSCALLS || !are_together(p, first, point) ||
	    strncmp(point_tracepoint(first)->format->event, point_tracepoint(point)->format->event,
		    strlen("sys_enter")) != 0 ||
	    has_call(last, number) || !same_fields(r, last->point, index))
		return false;
	arena_push(pl->arena, last->syscall.more, last->syscall.n_more, number);
	if (point->pattern)
		last->name = point->is_named ? point->name : point->pattern;
	else
		last->name = arena_printf(pl->arena, "%s and %u more", first->name,
					  last->syscall.n_more);
	arena_push(pl->arena, last->syscall.names, last->syscall.n_names,
		   plan_name_id(pl, point->name));
	return true;
}

static void plan_point(struct planner *pl, uint32_t ast, uint32_t index, const struct reads *r)
{
	struct probe *p = pl->program->probes[ast];
	const struct attach_point *point = &p->points[index];
	enum plan_prog_kind kind = plan_prog_choose(pl, p, point, r);
	struct plan_probe q = {.name = point->name,
			       .span = point->span,
			       .ast = ast,
			       .point = index,
			       .syscall.number = probe_syscall(point),
			       .divisor = pl->divisor,
			       .has_divisors = pl->has_divisors};
	uint32_t id = pl->plan->n_probes;
	struct plan_prog *g;
	uint32_t n_functions;
	const struct attach_target *function = probe_functions(point, &n_functions);

	if (joins_pattern(pl, ast, index, kind, r))
		return;
	q.func_id = plan_name_id(pl, point_has(point, ARM_USDT) ? point->targets->function
								: point->function);
	if (n_functions == 1 && point->function && pattern_is(point->function)) {
		/* a pattern that matched one function */
		q.name = point->is_named ? q.name : plan_target_name(pl, point, function);
		q.func_id = plan_name_id(pl, function->function);
	}
	q.name_id = plan_name_id(pl, q.name);
	q.type_id = plan_name_id(pl, probe_rows[point->id].traits & PR_SPECIAL
					     ? "special"
					     : probe_rows[point->id].name);
	pl->keeps_result = r->call != NULL;
	q.prog = plan_prog_for(pl, point, kind, r->n_exprs * (point->ends ? SPAN_WEIGHT : 1));
	if (point->ends)
		plan_span(pl, &q, point, r);
	arena_push(pl->arena, pl->plan->probes, pl->plan->n_probes, q);
	g = &pl->plan->progs[q.prog];
	arena_push(pl->arena, g->probes, g->n_probes, id);
	g->walks |= r->walks;
	if (q.state.kind && !g->fallback)
		g->fallback = plan_prog_pair(pl, g, p);
	if (q.state.kind)
		plan_span_start(pl, point, id, r);
	if (q.state.kind)
		plan_span_open(pl, id);
}

static void plan_probe(struct planner *pl, uint32_t ast)
{
	struct probe *p = pl->program->probes[ast];
	uint32_t n_run = 0;
	struct reads r;

	for (uint32_t i = 0; i < p->n_points; i++)
		n_run += plan_runs(pl->options, p, &p->points[i]);
	if (!n_run)
		return;
	pl->is_iter = p->n_points && point_has(&p->points[0], ARM_ITER);
	pl->divisor = (struct span){0};
	pl->has_divisors = false;
	if (p->predicate)
		plan_expr(p->predicate, pl);
	plan_block(&p->body, pl);
	for (uint32_t i = 0; i < p->n_entries; i++)
		p->entries[i]->call.event = (int32_t)i;
	read_probe(pl, p, &r);
	pl->plan->needs.times |= p->is_timed;
	share_collect(p, pl->plan->maps, &pl->use);
	pl->use.has_scope = ast_has_trait(p, PR_IN_PROCESS) && ast_span(p) == SPAN_NO;
	pl->use.has_hits =
		p->n_points && !prog_kind_is(probe_rows[p->points[0].id].program, PK_RUNS_ARE_HITS);
	if (!share_check(pl->diags, p, &pl->use))
		return;
	for (uint32_t i = 0; i < p->n_points; i++)
		if (plan_runs(pl->options, p, &p->points[i]))
			plan_point(pl, ast, i, &r);
}

/* The programs that pass the -c flag on. They come first, so that they are attached and run
 * before others on the same tracepoint: the exec that starts the command is already in scope. */
static void plan_scope(struct planner *pl, const struct plan_options *options)
{
	for (uint32_t i = 0; i < pl->program->n_probes; i++)
		pl->plan->needs.scope |= ast_has_trait(pl->program->probes[i], PR_IN_PROCESS);
	pl->plan->needs.only_cgroup = options->only_cgroup && pl->plan->needs.scope;
	pl->plan->needs.pid_namespace = options->pid_namespace;
	if (!options->scope_tree || !pl->plan->needs.scope)
		return;
	plan_prog_add(pl, (struct plan_prog){.kind = PP_SCOPE_FORK, .event = "sched_process_fork"},
		      "scope_fork");
	plan_prog_add(pl, (struct plan_prog){.kind = PP_SCOPE_EXEC, .event = "sched_process_exec"},
		      "scope_exec");
}

/* What asks for the tables of programs that begin, unless scope_exec does. */
static void plan_exec(struct planner *pl)
{
	if (pl->options->scope_all && pl->plan->needs.unwind)
		plan_prog_add(pl,
			      (struct plan_prog){.kind = PP_EXEC, .event = "sched_process_exec"},
			      "exec");
}

/* What the bodies and the values of entry() of a program use. */
struct body_use {
	bool stack, loop, args, registers;
};

static void note_read(const struct prefault_read *read, void *is_read)
{
	(void)read;
	*(bool *)is_read = true;
}

static void note_use(struct expr *e, void *ctx)
{
	struct body_use *use = ctx;
	const struct builtin *b = ast_builtin(e);

	use->stack |= b && b->traits & TR_STACK;
	use->args |= b && (b->traits & TR_ARGS || (type_of_call(e) && call_is_known(e->type)));
	use->registers |= b && b->traits & TR_REGISTERS;
	ast_each_child(e, note_use, ctx);
}

static const struct plan_probe *probe_of(const struct planner *pl, const struct plan_prog *g,
					 uint32_t i)
{
	return &pl->plan->probes[i < g->n_probes ? g->probes[i] : g->starts[i - g->n_probes]];
}

/* delta, self, span() */
static void note_time(struct expr *e, void *is_timed)
{
	const struct builtin *b = ast_builtin(e);

	*(bool *)is_timed |= b && b->traits & TR_END && b->traits & (TR_NSECS | TR_ACT);
	ast_each_child(e, note_time, is_timed);
}

/* Does the program read user memory at an address that is known before the body? `apart`: known in
 * another program, too, which must not run within a span that ends here if its time is used. */
static bool can_prefault(const struct planner *pl, const struct plan_prog *g, bool apart)
{
	bool is_read = false;

	for (uint32_t i = 0; i < g->n_probes + g->n_starts; i++) {
		const struct plan_probe *q = probe_of(pl, g, i);
		const struct probe *p = pl->program->probes[q->ast];
		bool is_start = i >= g->n_probes, has_span = q->state.kind != SPAN_NO;
		bool is_timed = false;

		if (apart && has_span)
			ast_each_in_probe(p, note_time, &is_timed);
		if (!is_start && !is_timed)
			prefault_body_reads(p, has_span && !apart, note_read, &is_read);
		if (!is_start && !apart && q->state.call.type)
			is_read |= call_has_text(q->state.call.type);
		if (!is_start && !prog_kind_is(g->kind, PK_SESSION))
			continue;
		prefault_entry_reads(p, note_read, &is_read);
		is_read |= q->state.call.type && call_texts(q->state.call.type);
	}
	return is_read && !(apart && prog_kind_is(g->kind, PK_SESSION));
}

/* May the whole program be sleepable? */
static bool may_sleep(struct kernel *k, const struct body_use *use)
{
	return !k || (kernel_has(k, CAP_UPROBE_MULTI) && kernel_has(k, CAP_BTF) &&
		      ((!use->stack && !use->loop) || kernel_has(k, CAP_SLEEPABLE_BODIES)));
}

/* A sleepable program of its own, which runs before program `i`. The time that it takes would not
 * be known to a calibration. */
static void add_prefault(struct planner *pl, uint32_t i)
{
	const struct plan_prog *of = &pl->plan->progs[i];
	struct plan_prog g = *of;

	if (pl->plan->needs.tracer_time || !kernel_has(pl->kernel, CAP_SLEEPABLE_UPROBES) ||
	    !can_prefault(pl, of, true))
		return;
	g.prefaults = i + 1;
	g.n_probes = g.n_starts = 0;
	g.fallback = NULL;
	g.targets = arena_alloc(pl->arena, g.n_targets * sizeof(*g.targets));
	memcpy(g.targets, of->targets, g.n_targets * sizeof(*g.targets));
	plan_prog_add(pl, g, g.function);
}

/* User programs sleep, to fault in the memory of strings. */
static void plan_user_prog(struct planner *pl, uint32_t i)
{
	struct plan_prog *g = &pl->plan->progs[i];
	struct body_use use = {0};

	for (uint32_t j = 0; j < g->n_probes + g->n_starts; j++) {
		const struct probe *p = pl->program->probes[probe_of(pl, g, j)->ast];

		ast_each_in_probe(p, note_use, &use);
		use.loop |= p->has_loops;
	}
	g->reads_args = use.args;
	g->reads_registers = use.registers;
	if (!can_prefault(pl, g, false))
		return;
	g->is_sleepable = may_sleep(pl->kernel, &use);
	if (!g->is_sleepable)
		add_prefault(pl, i);
}

/* The ring has a power of two of pages, because positions are masked to offsets. */
static void plan_ring(struct plan *plan)
{
	uint32_t bytes = 4096;

	if (plan->needs.ustack && !plan->needs.ring_buffer) {
		plan->needs.ring_buffer = true;
		plan->needs.ring_bytes = RING_BYTES_STACKS;
	}
	if (!plan->needs.ring_buffer || !plan->config.perf_rb_pages)
		return;
	while (bytes / 4096 < plan->config.perf_rb_pages)
		bytes *= 2;
	plan->needs.ring_bytes = bytes;
}

/* Said before the message of libbpf, which does not say what is missing. */
static void check_btf(struct planner *pl)
{
	if (!pl->kernel || !kernel_lacks(pl->kernel, CAP_BTF) || !plan_uses_core(pl->plan))
		return;
	diag_warning(pl->diags, SPAN_NONE, "no-btf",
		     "this kernel has no type information (BTF), by which programs find what they "
		     "read of threads: this script may not load");
	diag_hint(pl->diags, "run a kernel with CONFIG_DEBUG_INFO_BTF, which has "
			     "/sys/kernel/btf/vmlinux");
}

struct plan *plan_make(struct arena *a, struct program *p, const struct plan_options *options,
		       struct diags *d)
{
	static const struct plan_options ordinary = {.run = RUN_ORDINARY};
	struct planner pl = {.arena = a,
			     .diags = d,
			     .kernel = options ? options->kernel : NULL,
			     .program = p,
			     .options = options ? options : &ordinary,
			     .plan = arena_new_of(a, struct plan)};
	struct plan *plan = pl.plan;

	plan->source = p->source;
	plan->imports = p->bpf_imports;
	plan->n_imports = p->n_bpf_imports;
	plan->config = p->config;
	plan->allows_unsafe = p->unsafe;
	/* recorded times are what they were */
	plan->needs.tracer_time = p->config.calibrate && !(pl.kernel && pl.kernel->recording);
	plan_scope(&pl, options);
	for (uint32_t i = 0; i < p->n_maps; i++)
		plan_map(&pl, p->maps[i]);
	if (*plan->config.sort)
		plan_sort(&pl, plan->config.sort);
	if (options && options->sort)
		plan_sort(&pl, options->sort);
	for (uint32_t i = 0; i < p->n_probes; i++)
		plan_probe(&pl, i);
	plan_exec(&pl);
	if (options && options->warnings) {
		plan->needs.warnings = plan->needs.ring_buffer = true;
		plan->needs.ring_bytes = RING_BYTES_EVENTS;
	}
	for (uint32_t i = 0, n = plan->n_progs; i < n; i++)
		if (prog_kind_is(plan->progs[i].kind, PK_USER_FUNCTION))
			plan_user_prog(&pl, i);
	plan_ring(plan);
	if (plan->needs.reason)
		for (uint32_t i = 0; i < REASON_COUNT; i++)
			plan_name_id(&pl, reasons[i].word);
	if (plan->needs.kstack)
		for (uint32_t i = 0; i < plan->n_progs; i++)
			plan->needs.recall |= prog_kind_is(plan->progs[i].kind, PK_SYSCALL);
	if (plan->needs.kstack || plan->needs.ustack)
		plan->needs.stack_entries = options && options->max_stacks ? options->max_stacks
					    : p->config.max_stacks ? (uint32_t)p->config.max_stacks
								   : SONDE_STACK_ENTRIES;
	plan_check_run(p, plan, pl.options, d);
	plan_check_limits(plan, d);
	check_btf(&pl);
	return d->n_errors ? NULL : plan;
}
