/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that are read from memory: buf(), macaddr(), and IP addresses.
 */
#include "codegen/gen.h"
#include <arpa/inet.h>

/* Where the bytes of a value are: in the program's own memory, or at an address of the traced
 * memory. */
struct origin {
	LLVMValueRef at;
	bool is_user;
};

/* Where the bytes of `e` are: `e` is a value in memory, or an address. A literal is stored in a
 * buffer of at least `least` bytes, padded with zeros. */
static struct origin origin_of(struct gen *g, struct expr *e, uint32_t least)
{
	struct value v = gen_expr(g, e);
	LLVMValueRef buf;

	if (v.kind == V_INT)
		return (struct origin){v.v,
				       type_is_in_user_space(e->type, probe_space(g->probe.point) ==
									      SPACE_USER)};
	if (v.kind != V_LITERAL)
		return (struct origin){v.v, false};
	buf = gen_big_buffer(g, least > v.type->size ? least : v.type->size);
	if (least > v.type->size)
		gen_zero(g, buf, least);
	gen_store(g, v, v.type, buf);
	return (struct origin){buf, false};
}

struct value gen_buf(struct gen *g, struct expr *e)
{
	uint32_t most = e->type->size - BUFFER_HEAD;
	LLVMValueRef buf = gen_big_buffer(g, e->type->size), n = gen_u64(g, most), err;
	struct expr *limit = e->call.n_args > 1 ? e->call.args[1] : NULL;
	struct gen_kept kept;
	struct origin from;

	gen_zero(g, buf, e->type->size);
	if (limit && limit->kind != EX_INT)
		n = gen_int(g, limit);
	if (limit && limit->kind != EX_INT && limit->type->is_signed)
		n = LLVMBuildSelect(g->b, gen_compare(g, LLVMIntSLT, n, 0), gen_u64(g, 0), n, "");
	kept = gen_keep(g, gen_int_value(n, type_int(8, false)));
	from = origin_of(g, e->call.args[0], most);
	err = GEN_CALL(g, "sonde_text_buffer", buf, gen_u32(g, most), from.at,
		       gen_kept_value(g, &kept).v, gen_u32(g, g->probe.id),
		       gen_u32(g, from.is_user));
	gen_warn_read(g, err, from.is_user, false);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_macaddr(struct gen *g, struct expr *e)
{
	LLVMValueRef buf = gen_big_buffer(g, 8);
	struct origin from;

	gen_zero(g, buf, 8);
	from = origin_of(g, e->call.args[0], 0);
	gen_read_to(g, buf, e->type->size, from.at, from.is_user ? SPACE_USER : SPACE_KERNEL);
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

/* ntop(): the value is a word with the address family, then the address, of at most 16 bytes. */
struct value gen_ntop(struct gen *g, struct expr *e)
{
	struct expr *data = e->call.args[e->call.n_args - 1];
	bool is_6 = data->type->size == 16;
	LLVMValueRef buf = gen_big_buffer(g, e->type->size),
		     family = gen_u64(g, is_6 ? AF_INET6 : AF_INET);
	struct value v;

	gen_zero(g, buf, e->type->size);
	if (e->call.n_args > 1)
		family = gen_int(g, e->call.args[0]);
	LLVMBuildStore(g->b, family, buf);
	v = gen_expr(g, data);
	if (v.kind == V_INT)
		gen_store(g, v, type_int(4, false), gen_at(g, buf, 8));
	else
		gen_store(g, v, data->type, gen_at(g, buf, 8));
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_pton(struct gen *g, struct expr *e)
{
	const char *text = e->call.args[0]->string.text;
	LLVMValueRef buf = gen_big_buffer(g, e->type->size < 8 ? 8 : e->type->size);
	uint64_t words[2] = {0};

	inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, words);
	for (uint32_t i = 0; i * 8 < e->type->size; i++)
		LLVMBuildStore(g->b, gen_u64(g, words[i]), gen_at(g, buf, i * 8));
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}
