/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debugf(): bpf_trace_printk(); and formats for the kernel, which iterators use, too.
 */
#include "parser/lang/format_spec.h"
#include "codegen/gen.h"

enum { MOST_ARGS = 3 };

/* The conversion as the kernel spells it: all integers have 64 bits. */
static const char *conversion_of(const struct format_piece *p, const struct type *type)
{
	if (p->conv == 'c')
		return "c";
	if (type->kind == TY_STRING || type->kind == TY_NAME)
		return "s";
	if (type->kind == TY_KSYM && p->conv == 's')
		return "ps";
	if (p->conv == 'x' || p->conv == 'p')
		return "llx";
	if (p->conv == 'X')
		return "llX";
	return p->conv == 'u' || (p->conv == 's' && !type->is_signed) ? "llu" : "lld";
}

const char *gen_kernel_format(struct gen *g, const struct format_piece *pieces, uint32_t n,
			      struct expr **args)
{
	const char *text = "";

	for (const struct format_piece *p = pieces; p < pieces + n; p++) {
		for (uint32_t i = 0; i < p->text_len; i++)
			text = arena_printf(g->arena, p->text[i] == '%' ? "%s%%%%" : "%s%c", text,
					    p->text[i]);
		if (p->conv)
			text = arena_printf(g->arena, "%s%s%%%s%s%s%s%s%s", text,
					    p->conv == 'p' ? "0x" : "", p->left ? "-" : "",
					    p->plus ? "+" : "", p->space ? " " : "",
					    p->zero ? "0" : "",
					    p->width > 0 ? arena_printf(g->arena, "%d", p->width)
							 : "",
					    conversion_of(p, args[p->field]->type));
	}
	return text;
}

struct value gen_debugf(struct gen *g, struct expr *e)
{
	const struct expr *fmt = e->call.args[0];
	struct format_spec spec;
	LLVMValueRef args[2 + MOST_ARGS];
	struct gen_kept values[MOST_ARGS];
	uint32_t n = e->call.n_args - 1;
	const char *text;

	format_parse(g->arena, fmt->string.text, fmt->string.len, &spec);
	text = gen_kernel_format(g, spec.pieces, spec.n_pieces, e->call.args + 1);
	for (uint32_t i = 0; i < n && i < MOST_ARGS; i++) {
		struct value v = gen_expr(g, e->call.args[1 + i]);

		if (v.kind != V_INT)
			v.v = gen_text_address(g, v);
		values[i] = gen_keep(g, v);
	}
	args[0] = gen_constant(g, text, (uint32_t)strlen(text));
	args[1] = gen_u64(g, strlen(text) + 1);
	for (uint32_t i = 0; i < n && i < MOST_ARGS; i++)
		args[2 + i] = gen_kept_value(g, &values[i]).v;
	gen_helper(g, BPF_FUNC_trace_printk, args, 2 + n);
	return (struct value){.kind = V_NONE, .type = &type_void};
}
