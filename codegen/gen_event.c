/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that send records, laid out by plan->events.
 */
#include "parser/base/limits.h"
#include "codegen/gen.h"
#include "parser/base/regs.h"

static const struct value nothing = {.kind = V_NONE, .type = &type_void};

/* The hook of calls that are replaced at compile time: it generates nothing. */
struct value gen_nothing(struct gen *g, struct expr *e)
{
	return nothing;
}

static void store_member(struct gen *g, LLVMValueRef record, size_t offset, LLVMValueRef v)
{
	LLVMBuildStore(g->b, v, gen_at(g, record, (uint32_t)offset));
}

/* Reserve a record for event `id`. The caller generates code that fills it, then end_record(). */
static LLVMValueRef begin_record(struct gen *g, uint32_t id, LLVMValueRef size,
				 LLVMBasicBlockRef *skip)
{
	LLVMValueRef record =
		GEN_CALL(g, "sonde_ring_begin", gen_u32(g, g->probe.id), size, gen_u32(g, id));
	LLVMBasicBlockRef fill = gen_block(g, "record");

	*skip = gen_block(g, "record.end");
	gen_if(g, record, fill, *skip);
	return record;
}

static void end_record(struct gen *g, LLVMValueRef record, LLVMValueRef size,
		       LLVMBasicBlockRef skip)
{
	GEN_CALL(g, "sonde_ring_submit", record, size);
	gen_enter(g, skip);
}

static void store_fields(struct gen *g, const struct plan_event *ev, struct gen_kept *values,
			 LLVMValueRef record)
{
	for (uint32_t i = 0; i < ev->n_fields; i++)
		gen_store(g, gen_kept_value(g, &values[i]), ev->fields[i].type,
			  gen_at(g, record, ev->fields[i].offset));
}

/* Store the arguments in a record. The values are computed before it is reserved: computing them
 * may itself send a record (a stack that is seen for the first time). */
static void gen_fields(struct gen *g, uint32_t id, struct expr **args, uint32_t n)
{
	const struct plan_event *ev = &g->plan->events[id];
	struct gen_kept values[LIMIT_CALL_ARGS];
	LLVMBasicBlockRef skip;
	LLVMValueRef record, size = gen_u64(g, ev->size);

	for (uint32_t i = 0; i < n; i++)
		values[i] = gen_keep(g, gen_expr(g, args[i]));
	record = begin_record(g, id, size, &skip);
	store_fields(g, ev, values, record);
	end_record(g, record, size, skip);
}

struct value gen_printf(struct gen *g, struct expr *e)
{
	if (prog_kind_is(g->prog.plan->kind, PK_ITER))
		return gen_iter_printf(g, e);
	return gen_formatted(g, e);
}

/* printf() and other calls with a format: the record holds the values, and user space formats
 * them. */
struct value gen_formatted(struct gen *g, struct expr *e)
{
	gen_fields(g, (uint32_t)e->call.event, e->call.args + 1, e->call.n_args - 1);
	return nothing;
}

struct value gen_row(struct gen *g, struct expr *e)
{
	gen_fields(g, (uint32_t)e->call.event, e->call.args, e->call.n_args);
	return nothing;
}

struct value gen_time(struct gen *g, struct expr *e)
{
	gen_fields(g, (uint32_t)e->call.event, NULL, 0);
	return nothing;
}

/* -k: an address of the array, or a string, could not be read. */
static void warn_of_join(struct gen *g, LLVMValueRef errors, bool is_user)
{
	for (uint32_t i = 0; i < 2; i++)
		gen_warn_read(g, gen_word(g, gen_at(g, errors, 8 * i)), is_user, i == 1);
	gen_buffer_end(g, errors, 16);
}

/* join(): the strings are read to scratch memory first, because a reserved record should be
 * complete soon. After the end there is space for one more string. */
struct value gen_join(struct gen *g, struct expr *e)
{
	struct expr *array = e->call.args[0];
	bool is_user =
		type_is_in_user_space(array->type, probe_space(g->probe.point) == SPACE_USER);
	LLVMValueRef from = gen_int(g, array), errors = gen_buffer(g, 16), buf, used, record, size;
	uint32_t mark = g->probe.scratch.used;
	LLVMBasicBlockRef skip;

	buf = gen_big_buffer(g, SONDE_JOIN_BYTES + SONDE_JOIN_STRING);
	gen_zero(g, errors, 16);
	used = GEN_CALL(g, "sonde_join", buf, from, gen_u32(g, g->probe.id), gen_u32(g, is_user),
			errors);
	warn_of_join(g, errors, is_user);
	size = GEN_CALL(g, "sonde_join_record", used);
	record = begin_record(g, (uint32_t)e->call.event, size, &skip);
	GEN_CALL(g, "sonde_join_store", record, buf, used);
	end_record(g, record, size, skip);
	gen_scratch_release(g, mark);
	return nothing;
}

/* ---- span() ------------------------------------------------------------------------------- */

/* The name of a span that the script does not name: an index in plan->names. It is the text of the
 * attach point, which contains the program's file and the function; the runtime shows the
 * function. */
static struct value default_name(struct gen *g)
{
	bool is_named = point_has(g->probe.point, ARM_USER) && !g->probe.point->is_named;
	LLVMValueRef id =
		g->probe.plan->func_id && !is_named ? gen_func_name(g) : gen_probe_name(g);

	return gen_int_value(id, &type_name);
}

static LLVMValueRef span_flags(struct gen *g)
{
	uint64_t end = g->probe.is_left ? SONDE_SPAN_LEFT : g->probe.is_open ? SONDE_SPAN_OPEN : 0;
	LLVMValueRef is_inner;

	if (!g->body.depth)
		return gen_u64(g, end);
	is_inner = gen_compare(g, LLVMIntUGT, g->body.depth, 1);
	return LLVMBuildSelect(g->b, is_inner, gen_u64(g, SONDE_SPAN_NESTED | end), gen_u64(g, end),
			       "");
}

/* The flags of a span, with the one for a time off or on the CPU that began before tracing did. */
static LLVMValueRef span_all_flags(struct gen *g)
{
	LLVMValueRef cut = g->body.cut;

	if (!cut)
		return span_flags(g);
	cut = LLVMBuildSelect(g->b, gen_truth(g, cut), gen_u64(g, SONDE_SPAN_CUT), gen_u64(g, 0),
			      "");
	return LLVMBuildOr(g->b, span_flags(g), cut, "");
}

/* With the tracer's time in the span, if that is subtracted. */
static LLVMValueRef span_flags_and_tracer(struct gen *g)
{
	LLVMValueRef flags = span_all_flags(g), tracer;

	if (!g->body.length)
		return flags;
	tracer = LLVMBuildSub(g->b, g->body.length, g->body.delta, "");
	tracer = LLVMBuildShl(g->b, tracer, gen_u64(g, SONDE_SPAN_TRACER_BIT), "");
	return LLVMBuildOr(g->b, flags, tracer, "");
}

static LLVMValueRef low_half(struct gen *g, LLVMValueRef v)
{
	return LLVMBuildTrunc(g->b, v, g->i32, "");
}

/* The thread, or of a call of Go the goroutine: its address without the bits that are always 0. The
 * runtime numbers goroutines. */
static LLVMValueRef span_tid(struct gen *g, LLVMValueRef task)
{
	if (g->probe.plan->state.kind != SPAN_GOROUTINE)
		return GEN_CALL(g, "sonde_number_tid", task);
	return gen_shifted(g, gen_register(g, regs.goroutine), 4);
}

struct value gen_span_call(struct gen *g, struct expr *e)
{
	const struct plan_event *ev = &g->plan->events[e->call.event];
	LLVMValueRef task, pid, tid, record, size = gen_u64(g, ev->size);
	uint32_t n_before = e->call.n_args ? e->call.n_args - ev->n_fields : 0;
	struct gen_kept kept[LIMIT_CALL_ARGS];
	LLVMBasicBlockRef skip;

	for (uint32_t i = 0; i < ev->n_fields; i++)
		kept[i] = gen_keep(g, e->call.n_args ? gen_expr(g, e->call.args[n_before + i])
						     : default_name(g));
	record = begin_record(g, (uint32_t)e->call.event, size, &skip);
	task = gen_task(g);
	pid = GEN_CALL(g, "sonde_number_pid", task);
	tid = span_tid(g, task);
	store_member(g, record, offsetof(struct sonde_span_event, start_ns), g->body.began);
	/* the whole length, including the tracer's time: nested spans keep their places */
	store_member(g, record, offsetof(struct sonde_span_event, length_ns),
		     g->body.length ? g->body.length : g->body.delta);
	store_member(g, record, offsetof(struct sonde_span_event, pid), low_half(g, pid));
	store_member(g, record, offsetof(struct sonde_span_event, tid), low_half(g, tid));
	store_member(g, record, offsetof(struct sonde_span_event, flags), span_flags_and_tracer(g));
	GEN_CALL(g, "sonde_task_comm", task,
		 gen_at(g, record, offsetof(struct sonde_span_event, comm)));
	store_fields(g, ev, kept, record);
	end_record(g, record, size, skip);
	return nothing;
}

static void gen_map_event(struct gen *g, uint32_t id, LLVMValueRef epoch)
{
	uint32_t map = g->plan->events[id].map;
	LLVMBasicBlockRef skip;
	LLVMValueRef size = gen_u64(g, sizeof(struct sonde_map_event));
	LLVMValueRef record = begin_record(g, id, size, &skip);

	store_member(g, record, offsetof(struct sonde_map_event, map), gen_u32(g, map));
	store_member(g, record, offsetof(struct sonde_map_event, epoch), epoch);
	end_record(g, record, size, skip);
}

/* Advance the epoch at once, so that what this run adds from here on belongs to the new epoch.
 * Returns the previous one. */
static LLVMValueRef advance_epoch(struct gen *g, uint32_t map)
{
	LLVMValueRef old =
		GEN_CALL(g, "sonde_control_clear", gen_u32(g, map), gen_u32(g, g->probe.id));

	gen_epoch_refresh(g, map);
	return old;
}

struct value gen_print(struct gen *g, struct expr *e)
{
	uint32_t id = (uint32_t)e->call.event;

	switch (g->plan->events[id].kind) {
	case PE_PRINT_MAP: gen_map_event(g, id, gen_epoch(g, g->plan->events[id].map)); break;
	case PE_CLEAR_MAP:
	case PE_PRINT_CLEAR: gen_map_event(g, id, advance_epoch(g, g->plan->events[id].map)); break;
	default: gen_fields(g, id, e->call.args, 1); break;
	}
	return nothing;
}

struct value gen_clear(struct gen *g, struct expr *e)
{
	if (e->call.event >= 0) /* otherwise the preceding print() clears too */
		gen_map_event(g, (uint32_t)e->call.event,
			      advance_epoch(g, e->call.args[0]->map.map->id));
	return nothing;
}

/* exit(): the flag in the control block ends tracing even if the record is lost. The record marks
 * the end of the output that precedes the call. */
struct value gen_exit(struct gen *g, struct expr *e)
{
	LLVMValueRef code = e->call.n_args ? gen_int(g, e->call.args[0]) : gen_u64(g, 0);
	LLVMBasicBlockRef skip;
	LLVMValueRef record, size = gen_u64(g, sizeof(struct sonde_exit_event));

	GEN_CALL(g, "sonde_control_exit", code);
	if (g->plan->needs.ring_buffer) {
		record = begin_record(g, SONDE_EV_EXIT, size, &skip);
		store_member(g, record, offsetof(struct sonde_exit_event, code), code);
		end_record(g, record, size, skip);
	}
	LLVMBuildBr(g->b, g->body.exit);
	LLVMPositionBuilderAtEnd(g->b, gen_block(g, "dead"));
	return nothing;
}
