/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of the compiler: LLVM's IR, BPF instructions, and the helpers that these call.
 */
#include "cli/compile/compile.h"
#include "cli/compile/emit_code.h"
#include "cli/compile/code_lines.h"
#include "cli/explain/explain.h"
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/explain/object_code.h"
#include "runtime/kernel/helper_name.h"

/* The text that --emit writes for a stage, in the arena; NULL after a message, with *status. */
static char *code_of(struct explain *x, enum emit_stage stage, size_t *len, int *status)
{
	char *text = NULL, *kept = NULL;
	FILE *f = open_memstream(&text, len);

	if (!f)
		arena_out_of_memory();
	*status = emit_code(stage, x->program, x->plan, f);
	fclose(f);
	if (!*status) {
		kept = arena_alloc(x->arena, *len + 1);
		memcpy(kept, text, *len + 1);
	}
	free(text);
	return kept;
}

/* Are the formats of tracepoints missing? Code needs them: it reads the fields at their offsets. */
static bool lacks_formats(struct explain *x, struct script_lines *t)
{
	if (x->kernel->unchecked)
		script_lines_add(
			t, 0,
			"this stage needs the formats of the tracepoints, which this user cannot read: run as "
			"root, or give them with --kernel-facts");
	return x->kernel->unchecked;
}

static int add_ir(struct explain *x, struct script_lines *t, enum emit_stage stage)
{
	size_t len;
	int status;
	char *ir;

	if (lacks_formats(x, t))
		return 0;
	ir = code_of(x, stage, &len, &status);
	if (ir)
		ir_lines_add(t, ir, len);
	return status;
}

int ex_ir(struct explain *x, struct script_lines *t)
{
	return add_ir(x, t, EMIT_IR);
}

int ex_ir_optimized(struct explain *x, struct script_lines *t)
{
	return add_ir(x, t, EMIT_IR_OPT);
}

/* Keep the object as it is: the loader links it itself. */
static int keep_object(struct explain *x, const struct compile *c)
{
	struct code_object *code = arena_new_of(x->arena, struct code_object);
	char *bytes = arena_alloc(x->arena, c->len);
	int err;

	memcpy(bytes, c->bytes, c->len);
	err = object_code_read(x->arena, bytes, c->len, code);
	if (err) {
		log_error("cannot read the object: %s", strerror(-err));
		return 2;
	}
	x->elf = bytes;
	x->elf_len = c->len;
	x->code = code;
	return 0;
}

int explain_compile(struct explain *x)
{
	struct compile c;
	int status = 2;

	if (x->code)
		return 0;
	if (!compile_start(&c, x->program, x->plan, CODEGEN_ELF))
		status = compile_wait(&c);
	if (!status)
		status = keep_object(x, &c);
	compile_end(&c);
	return status;
}

int ex_bpf(struct explain *x, struct script_lines *t)
{
	int status;

	if (lacks_formats(x, t))
		return 0;
	status = explain_compile(x);
	if (!status)
		code_lines_add(t, x->program->source, x->code);
	return status;
}

/* ---- helpers ---- */

enum { HELPERS_MOST = 256 };

static bool is_helper_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && !i->src_reg && i->imm > 0 &&
	       i->imm < HELPERS_MOST;
}

/* Count how often the programs call each helper. */
static void count_calls(const struct code_object *code, uint32_t calls[HELPERS_MOST])
{
	for (uint32_t i = 0; i < code->n_functions; i++) {
		const struct code_function *f = &code->functions[i];

		for (uint32_t j = 0; j < f->n_insns; j++)
			if (is_helper_call(&f->insns[j].insn))
				calls[f->insns[j].insn.imm]++;
	}
}

int ex_helpers(struct explain *x, struct script_lines *t)
{
	uint32_t calls[HELPERS_MOST] = {0};
	int status;

	if (lacks_formats(x, t))
		return 0;
	status = explain_compile(x);
	if (status)
		return status;
	count_calls(x->code, calls);
	for (uint32_t i = 0; i < HELPERS_MOST; i++) {
		const char *name = helper_name(i), *purpose = helper_purpose(i);

		if (calls[i])
			script_lines_add(t, 0, "bpf_%-26s number %-3u  %u call%s  %s",
					 name ? name : "?", i, calls[i], calls[i] == 1 ? " " : "s",
					 purpose ? purpose : "");
	}
	if (!t->lines.n)
		script_lines_add(t, 0, "none");
	return 0;
}
