/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen_* hooks of functions that act on the traced thread, and of those on kernel addresses.
 */
#include "codegen/gen.h"

/* signal(), signal_thread() */
struct value gen_signal(struct gen *g, struct expr *e)
{
	GEN_CALL(g, arena_printf(g->arena, "sonde_act_%s", e->call.builtin->name),
		 gen_int(g, e->call.args[0]), gen_u32(g, g->probe.id));
	return gen_nothing(g, e);
}

struct value gen_override(struct gen *g, struct expr *e)
{
	GEN_HELPER(g, BPF_FUNC_override_return, g->body.ctx, gen_int(g, e->call.args[0]));
	return gen_nothing(g, e);
}

struct value gen_unwatch(struct gen *g, struct expr *e)
{
	gen_int(g, e->call.args[0]);
	return gen_nothing(g, e);
}

/* write_user(): the second argument is a value, or a pointer to the bytes to write. */
struct value gen_write_user(struct gen *g, struct expr *e)
{
	struct expr *from = e->call.args[1];
	uint32_t n = (uint32_t)e->call.args[2]->integer.value, size = (n + 7) / 8 * 8;
	LLVMValueRef to = gen_int(g, e->call.args[0]), buf, done;
	struct value v;

	if (from->type->kind == TY_POINTER) {
		bool is_user = type_is_in_user_space(from->type,
						     probe_space(g->probe.point) == SPACE_USER);
		LLVMValueRef at = gen_int(g, from);

		buf = gen_big_buffer(g, size);
		gen_read_to(g, buf, n, at, is_user ? SPACE_USER : SPACE_KERNEL);
	} else {
		v = gen_expr(g, from);
		buf = gen_big_buffer(g, from->type->size > size ? from->type->size : size);
		gen_store(g, v, from->type, buf);
	}
	done = GEN_CALL(g, "sonde_act_write", to, buf, gen_u32(g, n), gen_u32(g, g->probe.id));
	return gen_int_value(done, e->type);
}

/* ---- kernel addresses --------------------------------------------------------------------- */

/* An error pointer is an address in the last page: -4095 to -1. */
struct value gen_is_err(struct gen *g, struct expr *e)
{
	LLVMValueRef is = gen_compare(g, LLVMIntUGE, gen_int(g, e->call.args[0]), (uint64_t)-4095);

	return gen_int_value(gen_extended(g, is), e->type);
}

struct value gen_percpu_kaddr(struct gen *g, struct expr *e)
{
	LLVMValueRef cpu = e->call.n_args > 1
				   ? gen_int(g, e->call.args[1])
				   : gen_helper(g, BPF_FUNC_get_smp_processor_id, NULL, 0);

	return gen_int_value(GEN_CALL(g, "sonde_memory_percpu", gen_u64(g, e->call.known[0]),
				      gen_u64(g, e->call.known[1]), cpu),
			     e->type);
}

/* ---- packets ------------------------------------------------------------------------------ */

/* The pointer is loaded from the context, so that the verifier knows its type. */
struct value gen_skboutput(struct gen *g, struct expr *e)
{
	const struct tp_field *f = e->call.args[1]->field.fields[g->probe.plan->point];
	LLVMValueRef length = gen_int(g, e->call.args[2]), offset = gen_int(g, e->call.args[3]);
	LLVMValueRef done = GEN_CALL(g, "sonde_packet_send", gen_register(g, f->offset),
				     gen_u32(g, (uint32_t)e->call.event), gen_u32(g, g->probe.id),
				     length, offset);

	return gen_int_value(done, e->type);
}

/* ---- sockets ------------------------------------------------------------------------------ */

/* The pointer is loaded from the context, so that the verifier knows its type. The cookie of no
 * socket is 0. */
struct value gen_socket_cookie(struct gen *g, struct expr *e)
{
	const struct tp_field *f = e->call.args[0]->field.fields[g->probe.plan->point];
	LLVMBasicBlockRef end = gen_block(g, "socket.end"), none = LLVMGetInsertBlock(g->b), some;
	LLVMValueRef socket = gen_register(g, f->offset), cookie;

	gen_only_if(g, socket, end);
	cookie = gen_helper(g, BPF_FUNC_get_socket_cookie, &socket, 1);
	some = LLVMGetInsertBlock(g->b);
	gen_enter(g, end);
	return gen_int_value(gen_phi(g, gen_u64(g, 0), none, cookie, some), e->type);
}
