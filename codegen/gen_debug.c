/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debugf(): bpf_trace_printk(). The kernel formats the text; integers have 64 bits.
 */
#include "parser/base/arena.h"
#include "parser/lang/format_spec.h"
#include "codegen/gen.h"
#include "codegen/gen_hooks.h"
#include <linux/bpf.h>
#include <string.h>

enum { MOST_ARGS = 3 };

/* The conversion as bpf_trace_printk() spells it. */
static const char *conversion(struct gen *g, const struct format_piece *p)
{
	const char *width = p->width > 0 ? arena_printf(g->arena, "%d", p->width) : "";
	const char *base = strchr("di", p->conv) ? "lld" : p->conv == 'u' ? "llu" : "llx";

	return arena_printf(g->arena, "%s%%%s%s%s%s%s", p->conv == 'p' ? "0x" : "",
			    p->left ? "-" : "", p->plus ? "+" : "", p->zero ? "0" : "", width,
			    p->conv == 's' ? "s" : base);
}

static const char *kernel_format(struct gen *g, const struct format_spec *spec)
{
	const char *text = "";

	for (const struct format_piece *p = spec->pieces; p < spec->pieces + spec->n_pieces; p++) {
		for (uint32_t i = 0; i < p->text_len; i++)
			text = arena_printf(g->arena, p->text[i] == '%' ? "%s%%%%" : "%s%c", text,
					    p->text[i]);
		if (p->conv)
			text = arena_printf(g->arena, "%s%s", text, conversion(g, p));
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
	text = kernel_format(g, &spec);
	for (uint32_t i = 0; i < n && i < MOST_ARGS; i++) {
		struct value v = gen_expr(g, e->call.args[1 + i]);

		if (v.kind != V_INT)
			v.v = gen_text_address(g, v);
		values[i] = gen_keep(g, v);
	}
	args[0] =
		LLVMBuildPtrToInt(g->b, gen_constant(g, text, (uint32_t)strlen(text)), g->i64, "");
	args[1] = gen_u64(g, strlen(text) + 1);
	for (uint32_t i = 0; i < n && i < MOST_ARGS; i++) {
		args[2 + i] = gen_kept_value(g, &values[i]).v;
		if (LLVMGetTypeKind(LLVMTypeOf(args[2 + i])) == LLVMPointerTypeKind)
			args[2 + i] = LLVMBuildPtrToInt(g->b, args[2 + i], g->i64, "");
	}
	gen_helper(g, BPF_FUNC_trace_printk, args, 2 + n);
	return (struct value){.kind = V_NONE, .type = &type_void};
}
