/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen_* hooks of builtins.def, except for those of clocks, threads, iterators, and of calls
 * that send records (gen_event.c). The subject is the thread that the values are about: at the end
 * of a span the thread that is back, given by a typed pointer; elsewhere the current thread.
 */
#include "parser/lang/field_type.h"
#include "codegen/gen_prog.h"

static LLVMValueRef low32(struct gen *g, LLVMValueRef v)
{
	return gen_masked(g, v, UINT32_MAX);
}

LLVMValueRef gen_task(struct gen *g)
{
	LLVMValueRef v = g->body.subject ? g->body.subject : g->body.current;

	if (v)
		return v;
	return LLVMBuildIntToPtr(g->b, gen_helper(g, BPF_FUNC_get_current_task_btf, NULL, 0),
				 g->ptr, "");
}

struct value gen_rand(struct gen *g, struct expr *e)
{
	return gen_int_value(low32(g, gen_helper(g, BPF_FUNC_get_prandom_u32, NULL, 0)), e->type);
}

struct value gen_ncpus(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_call_helper(g, "sonde_config_cpus", NULL, 0), e->type);
}

/* Calls whose value is their argument: the type says what it means. */
struct value gen_argument(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_int(g, e->call.args[0]), e->type);
}

struct value gen_strftime(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_int(g, e->call.args[1]), e->type);
}

/* usym(): the value is an address and its address space: the process id, and the process's count of
 * execve calls. */
struct value gen_usym(struct gen *g, struct expr *e)
{
	LLVMValueRef address = gen_int(g, e->call.args[0]), buf = gen_big_buffer(g, e->type->size);

	LLVMBuildStore(g->b, address, buf);
	LLVMBuildStore(g->b, GEN_CALL(g, "sonde_task_space", gen_task(g)), gen_at(g, buf, 8));
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_cpu(struct gen *g, struct expr *e)
{
	if (g->probe.is_open && g->probe.plan->state.kind == SPAN_SLICE)
		return gen_int_value(low32(g, GEN_CALL(g, "sonde_task_cpu", g->body.subject)),
				     e->type);
	return gen_int_value(low32(g, gen_helper(g, BPF_FUNC_get_smp_processor_id, NULL, 0)),
			     e->type);
}

uint32_t gen_tracer_frames(const struct gen *g)
{
	uint32_t frames = prog_rows[g->prog.plan->kind].tracer_frames,
		 n = frames ? frames + g->body.loop_frames : 0;

	return n < SONDE_TRACER_FRAMES ? n : SONDE_TRACER_FRAMES;
}

bool gen_is_kernel_entry(const struct gen *g)
{
	const struct plan_prog *prog = g->prog.plan;

	return prog_kind_is(prog->kind, PK_KERNEL_FUNCTION) &&
	       !prog_kind_is(prog->kind, PK_RETURN | PK_TRAMPOLINE | PK_SESSION) &&
	       plan_n_targets(prog) && !prog->targets->recorded;
}

/* The function that captures a kernel stack where the program is. */
static const char *stack_function(const struct gen *g)
{
	if (prog_kind_is(g->prog.plan->kind, PK_TRAMPOLINE))
		return "sonde_stack_trampoline";
	if (prog_kind_is(g->prog.plan->kind, PK_EVENT | PK_PERIOD) &&
	    !prog_kind_is(g->prog.plan->kind, PK_TRACER))
		return "sonde_stack_interrupted";
	return gen_is_kernel_entry(g) ? "sonde_stack_entry" : "sonde_stack_kernel";
}

/* Can kernel stacks be recalled (keep_recall.bpf.c)? In the body of a loop, bpf_loop is among the
 * callers. Stacks of programs from number SONDE_MAX_PROGS on keep the tracer's frames. */
static bool is_at_system_call(const struct gen *g)
{
	return !g->body.loop_frames && g->prog.id < SONDE_MAX_PROGS &&
	       prog_kind_is(g->prog.plan->kind, PK_SYSCALL) &&
	       !prog_kind_is(g->prog.plan->kind, PK_RECORD);
}

/* The hash of this stack in the span's slot; NULL: it is not stored there. */
static LLVMValueRef kept_stack(struct gen *g, const struct plan_kept_stack *stacks, uint32_t n,
			       const struct expr *e)
{
	const struct plan_kept_stack *k =
		plan_find_stack(stacks, n,
				(struct plan_kept_stack){e->name.limit, e->name.walk, {0}});

	return g->body.span && k ? gen_word(g, gen_at(g, g->body.span, k->field.offset)) : NULL;
}

/* Which rows of runtimes.def a walk takes, as in sonde_stack_runs(). */
static uint32_t runtimes_of(enum stack_walk walk)
{
	static const char *const names[] = {
		"",
#define RUNTIME(id, name, ...) name,
#include "bpf_helpers/runtimes.def"
	};
	bool is_key = walk == WALK_RUNTIME_FUNC;
	uint32_t of = is_key;

	for (uint32_t i = 1; i < sizeof(names) / sizeof(*names); i++)
		of |= (uint32_t)(is_key || !strcmp(names[i], stack_walk_name(walk))) << i;
	return of;
}

LLVMValueRef gen_user_stack(struct gen *g, LLVMValueRef task, LLVMValueRef probe, uint32_t limit,
			    enum stack_walk walk)
{
	uint32_t how = walk == WALK_fp ? STACK_BY_FP : walk == WALK_native ? STACK_NATIVE : 0;

	if (stack_walk_is_of_runtime(walk))
		return GEN_CALL(g, "sonde_stack_runs", task, probe, gen_u32(g, limit),
				gen_u32(g, runtimes_of(walk)));
	return GEN_CALL(g, "sonde_stack_user", g->body.ctx, task, probe, gen_u32(g, limit),
			gen_u32(g, how));
}

struct value gen_kstack(struct gen *g, struct expr *e)
{
	const struct plan_span *state = &g->probe.plan->state;
	LLVMValueRef kept = kept_stack(g, state->kstacks, state->n_kstacks, e);
	LLVMValueRef probe = gen_u32(g, g->probe.id), limit = gen_u32(g, e->name.limit), v;

	if (kept)
		v = GEN_CALL(g, "sonde_stack_left", kept, g->body.subject, probe, limit);
	else if (g->body.subject)
		v = GEN_CALL(g, "sonde_stack_task", g->body.subject, probe, limit, gen_u32(g, 0));
	else if (!e->name.limit && is_at_system_call(g))
		v = GEN_CALL(g, "sonde_stack_syscall", g->body.ctx, gen_u32(g, g->prog.id), probe);
	else
		v = GEN_CALL(g, stack_function(g), g->body.ctx, gen_u32(g, g->prog.id),
			     gen_u32(g, gen_tracer_frames(g)), probe, limit);
	return gen_int_value(v, e->type);
}

struct value gen_ustack(struct gen *g, struct expr *e)
{
	const struct plan_span *state = &g->probe.plan->state;
	LLVMValueRef kept = kept_stack(g, state->stacks, state->n_stacks, e);

	if (kept)
		return gen_int_value(kept, e->type);
	return gen_int_value(gen_user_stack(g, gen_task(g), gen_u32(g, g->probe.id), e->name.limit,
					    e->name.walk),
			     e->type);
}

LLVMValueRef gen_name_at(struct gen *g, LLVMValueRef table, LLVMValueRef index)
{
	LLVMValueRef at = LLVMBuildGEP2(g->b, g->i32, table, &index, 1, "");

	return gen_extended(g, LLVMBuildLoad2(g->b, g->i32, at, ""));
}

/* The name ids of the system calls that share this body, indexed by the calls' numbers: a constant
 * in .rodata. */
static LLVMValueRef name_table(struct gen *g)
{
	const char *symbol = arena_printf(g->arena, "names_%u", g->probe.id);
	LLVMValueRef rows[SONDE_SYSCALLS], global = LLVMGetNamedGlobal(g->module, symbol);

	if (global)
		return global;
	for (uint32_t i = 0; i < SONDE_SYSCALLS; i++)
		rows[i] = gen_u32(g, 0);
	rows[g->probe.plan->syscall.number] = gen_u32(g, g->probe.plan->name_id);
	for (uint32_t i = 0; i < g->probe.plan->syscall.n_more; i++)
		rows[g->probe.plan->syscall.more[i]] = gen_u32(g, g->probe.plan->syscall.names[i]);
	return gen_constant_data(g, LLVMConstArray2(g->i32, rows, SONDE_SYSCALLS), symbol,
				 ".rodata.names");
}

static LLVMValueRef name_of_call(struct gen *g)
{
	return gen_name_at(g, name_table(g), GEN_CALL(g, "sonde_syscall_index", g->body.syscall));
}

LLVMValueRef gen_whole_cookie(struct gen *g)
{
	return gen_helper(g, BPF_FUNC_get_attach_cookie, &g->body.ctx, 1);
}

LLVMValueRef gen_cookie(struct gen *g)
{
	LLVMValueRef cookie = gen_whole_cookie(g);

	if (!g->plan->needs.tracer_time)
		return cookie;
	return gen_masked(g, cookie, (1ull << SONDE_COST_BIT) - 1);
}

LLVMValueRef gen_cookie_format(struct gen *g)
{
	return gen_shifted(g, gen_cookie(g), PLAN_FORMAT_BIT);
}

LLVMValueRef gen_cookie_function(struct gen *g)
{
	LLVMValueRef cookie = gen_cookie(g);

	if (!g->prog.plan->by_condition && !g->prog.plan->has_loops && !g->prog.plan->has_jumps)
		return cookie;
	return gen_masked(g, cookie, (1ull << PLAN_FORMAT_BIT) - 1);
}

/* After tracing has ended: the cookie in the slot of an open call; NULL if it has none. */
static LLVMValueRef kept_cookie(struct gen *g)
{
	const struct plan_probe *q = g->probe.plan;

	if (!g->probe.is_open || q->state.kind != SPAN_RETURN ||
	    !plan_has_cookie(&g->plan->progs[q->prog]))
		return NULL;
	return gen_word(g, gen_at(g, g->body.span, 16));
}

LLVMValueRef gen_probe_name(struct gen *g)
{
	LLVMValueRef kept = kept_cookie(g);

	if (kept)
		return gen_shifted(g, kept, 32);
	if (g->probe.plan->syscall.n_more)
		return name_of_call(g);
	if (!plan_has_cookie(g->prog.plan) || g->probe.is_open)
		return gen_u64(g, g->probe.plan->name_id);
	return point_has(g->probe.point, ARM_USDT) ? gen_usdt_name(g)
						   : gen_shifted(g, gen_cookie_function(g), 32);
}

LLVMValueRef gen_func_name(struct gen *g)
{
	LLVMValueRef kept = kept_cookie(g);

	if (kept)
		return low32(g, kept);
	if (plan_has_cookie(g->prog.plan) && !g->probe.is_open)
		return low32(g, gen_cookie(g));
	return gen_u64(g, g->probe.plan->func_id);
}

struct value gen_probe(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_probe_name(g), e->type);
}

struct value gen_func(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_func_name(g), e->type);
}

struct value gen_delta(struct gen *g, struct expr *e)
{
	return gen_int_value(g->body.delta, e->type);
}

struct value gen_self(struct gen *g, struct expr *e)
{
	return gen_int_value(g->body.self, e->type);
}

struct value gen_depth(struct gen *g, struct expr *e)
{
	return gen_int_value(g->body.depth ? g->body.depth : gen_u64(g, 1), e->type);
}

struct value gen_open(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_u64(g, g->probe.is_open), e->type);
}

struct value gen_cut(struct gen *g, struct expr *e)
{
	return gen_int_value(g->body.cut ? g->body.cut : gen_u64(g, 0), e->type);
}

/* entry(EXPR): the value that the start of the span has stored. */
struct value gen_entry(struct gen *g, struct expr *e)
{
	const struct plan_field *f = &g->probe.plan->state.entries[e->call.event];

	return gen_load(g, f->type, gen_at(g, g->body.span, f->offset));
}

/* ---- args.FIELD -------------------------------------------------------------------------- */

static const struct rebuilt_field {
	const char *event, *field;
	int thread;
	const char *helper, *of_task;
} rebuilt[] = {
#define REBUILT(event, field, thread, helper, of_task) {event, field, thread, helper, of_task},
#include "parser/lang/rebuilt.def"
};

/* Which of the table's fields it is. */
static const struct rebuilt_field *rebuilt_field(const char *event, const char *field)
{
	const struct rebuilt_field *f = rebuilt, *end = f + sizeof(rebuilt) / sizeof(*rebuilt);

	while (f < end && (strcmp(f->event, event) != 0 || strcmp(f->field, field) != 0))
		f++;
	return f < end ? f : NULL;
}

bool gen_is_thread_field(const char *field)
{
	const struct rebuilt_field *f = rebuilt_field("sched_switch", field);

	return f && f->of_task;
}

/* A field of `args` that is computed, not read. In a program that visits open spans there is no
 * event: the fields are those of a thread that has left the CPU. */
struct value gen_rebuilt_field(struct gen *g, const char *field, const struct type *type)
{
	const struct rebuilt_field *f =
		rebuilt_field(point_tracepoint(g->probe.point)->format->event, field);
	const char *helper = g->probe.is_open ? f->of_task : f->helper;
	LLVMValueRef from, buf;

	if (g->probe.is_open)
		from = g->body.subject;
	else
		from = f->thread < 0 ? g->body.words : prog_context_pointer(g, (uint32_t)f->thread);
	if (type->kind != TY_STRING)
		return gen_int_value(GEN_CALL(g, helper, from), type);
	buf = gen_big_buffer(g, type->size);
	GEN_CALL(g, helper, from, buf);
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

static struct value span_field(struct gen *g, const char *field)
{
	for (uint32_t i = 0; i < g->probe.plan->state.n_args; i++)
		if (strcmp(g->probe.plan->state.arg_names[i], field) == 0)
			return gen_load(g, g->probe.plan->state.args[i].type,
					gen_at(g, g->body.span,
					       g->probe.plan->state.args[i].offset));
	return gen_int_value(gen_u64(g, 0), type_int(8, false));
}

static LLVMValueRef syscall_word(struct gen *g, uint32_t i)
{
	return GEN_CALL(g, "sonde_syscall_arg",
			LLVMBuildIntToPtr(g->b, gen_register(g, 0), g->ptr, ""), gen_u32(g, i));
}

/* All arguments: args.args of raw_syscalls:sys_enter. */
static struct value syscall_words(struct gen *g, const struct type *type)
{
	LLVMValueRef buf = gen_big_buffer(g, type->size);

	for (uint32_t i = 0; i < type->size / 8; i++)
		LLVMBuildStore(g->b, syscall_word(g, i), gen_at(g, buf, i * 8));
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

/* Fields of the records of sys_enter_X (number, arguments) and sys_exit_X (number, result): words
 * after 8 bytes of common fields. The raw tracepoints have registers instead. */
static struct value syscall_field(struct gen *g, const struct tp_field *f, const struct type *type)
{
	uint32_t word = (f->offset - TP_COMMON_BYTES) / 8;
	LLVMValueRef v;

	if (word == 0)
		v = g->body.syscall;
	else if (g->probe.is_open)
		v = gen_u64(g, 0); /* the call has not returned */
	else if (prog_kind_is(g->prog.plan->kind, PK_RETURN))
		v = gen_register(g, 8);
	else if (type_is_memory(type))
		return syscall_words(g, type);
	else
		v = syscall_word(g, word - 1);
	return gen_int_value(gen_narrow(g, v, type), type);
}

static struct value data_loc(struct gen *g, const struct tp_field *f, const struct type *type)
{
	LLVMValueRef at = gen_at(g, g->body.ctx, f->offset);

	return gen_data_loc(g, gen_load(g, type_int(4, false), at).v, type);
}

LLVMValueRef gen_field_address(struct gen *g, const struct tp_field *f)
{
	const struct type *to = type_pointer(g->arena, &type_void, SPACE_KERNEL);

	if (f->is_data_loc)
		return data_loc(g, f, to).v;
	return gen_plus(g, GEN_CALL(g, "sonde_memory_number", g->body.ctx), f->offset);
}

static struct value record_field(struct gen *g, const struct tp_field *f, const struct type *type)
{
	LLVMValueRef buf;

	if (f->is_data_loc)
		return data_loc(g, f, type);
	if (!type_is_memory(type))
		return gen_load(g, type, gen_at(g, g->body.ctx, f->offset));
	/* BPF programs can load only whole words of the context; helpers can read any part of
	 * it. */
	buf = gen_big_buffer(g, type->size);
	GEN_CALL(g, "sonde_memory_read", buf, gen_u32(g, type->size),
		 gen_at(g, g->body.ctx, f->offset));
	return (struct value){.kind = V_MEM, .type = type, .v = buf};
}

struct value gen_args_field(struct gen *g, struct expr *e)
{
	const struct tp_field *f = e->field.fields[g->probe.plan->point];
	const struct type *type = field_type(g->arena, f);

	if (probe_rows[g->probe.point->id].context == CTX_REGS_ENTRY)
		return gen_user_arg(g, e, f);
	if (probe_is_typed(g->probe.point))
		return gen_int_value(gen_typed_arg(g, f), type);
	if (g->probe.plan->state.kind == SPAN_SWITCH && g->body.span)
		return span_field(g, e->field.name);
	if (g->probe.plan->state.kind == SPAN_SWITCH || g->probe.plan->state.kind == SPAN_SLICE)
		return gen_rebuilt_field(g, e->field.name, type);
	if (prog_kind_is(g->prog.plan->kind, PK_SYSCALL) || g->probe.is_open)
		return syscall_field(g, f, type);
	if (g->prog.plan->kind == PP_TP_BTF)
		return gen_rebuilt_field(g, e->field.name, type);
	return record_field(g, f, type);
}

/* ---- maps -------------------------------------------------------------------------------- */

struct value gen_has_key(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_map_has(g, e->call.args[0]), e->type);
}

struct value gen_delete(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_map_delete(g, e->call.args[0]), e->type);
}

struct value gen_find(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_map_find(g, e->call.args[0], e->call.args[1]->var.var), e->type);
}
