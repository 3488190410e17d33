/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen_* hooks of builtins that are about a thread: the subject (gen_call.c), or one whose
 * struct task_struct or number a call is given.
 */
#include "codegen/gen.h"

/* pid, tid: in the tracer's pid namespace, or with (init) in the initial one. */
struct value gen_number(struct gen *g, struct expr *e)
{
	bool is_init = e->kind == EX_NAME && e->name.word == NUMBER_INIT;
	const char *helper = arena_printf(g->arena, "sonde_%s_%s", is_init ? "task" : "number",
					  ast_builtin(e)->name);

	return gen_int_value(GEN_CALL(g, helper, gen_task(g)), e->type);
}

/* A property of the subject: a call of sonde_task_NAME() of bpf_helpers/task.bpf.c; for another
 * thread, of sonde_task_at_NAME(). Names are written to a buffer. */
struct value gen_task_property(struct gen *g, struct expr *e)
{
	bool is_other = e->kind == EX_CALL;
	LLVMValueRef task = is_other ? gen_int(g, e->call.args[0]) : gen_task(g), buf;
	char helper[64];

	snprintf(helper, sizeof(helper), "sonde_%s_%s", is_other ? "task_at" : "task",
		 ast_builtin(e)->name);
	if (!type_is_memory(e->type))
		return gen_int_value(GEN_CALL(g, helper, task), e->type);
	buf = gen_big_buffer(g, e->type->size);
	GEN_CALL(g, helper, task, buf);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_username(struct gen *g, struct expr *e)
{
	return gen_int_value(GEN_CALL(g, "sonde_task_uid", gen_task(g)), e->type);
}

struct value gen_curtask(struct gen *g, struct expr *e)
{
	LLVMValueRef task = g->body.subject ? g->body.subject : g->body.current;

	return gen_int_value(task ? GEN_CALL(g, "sonde_memory_number", task)
				  : gen_helper(g, BPF_FUNC_get_current_task, NULL, 0),
			     e->type);
}

struct value gen_context(struct gen *g, struct expr *e)
{
	LLVMValueRef buf = gen_big_buffer(g, e->type->size);

	GEN_CALL(g, "sonde_context_name", g->body.ctx, gen_u32(g, g->probe.id), buf);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_cgroup(struct gen *g, struct expr *e)
{
	/* kernel 6.1 does not offer the helper to programs of tests */
	if (g->body.subject || prog_kind_is(g->prog.plan->kind, PK_TEST))
		return gen_int_value(GEN_CALL(g, "sonde_task_cgroup", gen_task(g)), e->type);
	return gen_int_value(gen_helper(g, BPF_FUNC_get_current_cgroup_id, NULL, 0), e->type);
}

struct value gen_comm(struct gen *g, struct expr *e)
{
	LLVMValueRef buf = gen_big_buffer(g, e->type->size);

	if (e->kind == EX_CALL)
		GEN_CALL(g, "sonde_pid_comm", gen_int(g, e->call.args[0]), buf);
	else
		GEN_CALL(g, "sonde_task_comm", gen_task(g), buf);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}
