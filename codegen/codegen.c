/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of code generation: LLVM context, helpers, maps, programs, passes, output. LLVM's
 * objects are created here. They are normally not freed, because the process ends soon and freeing
 * takes 1 ms.
 */
#include "parser/base/diag.h"
#include "codegen/emit.h"
#include "codegen/stack_depth.h"
#include <llvm/Config/llvm-config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

/* The map that holds the state of a probe's spans. */
static LLVMValueRef declare_span(struct gen *g, uint32_t id)
{
	const struct plan_span *state = &g->plan->probes[id].state;

	return gen_di_map(g, arena_printf(g->arena, "span_%u", id), state->bpf_type, state->flags,
			  state->max_entries, state->key_size,
			  state->head + state->slots * state->slot_bytes);
}

static void declare_maps(struct gen *g)
{
	const struct plan *p = g->plan;

	g->maps = arena_alloc(g->arena, (p->n_maps + 1) * sizeof(*g->maps));
	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct plan_map *m = &p->maps[i];

		g->maps[i] = gen_di_map(g, m->symbol, m->bpf_type, m->flags, m->max_entries,
					m->key_size, m->value_size);
	}
	g->spans = arena_alloc(g->arena, (p->n_probes + 1) * sizeof(*g->spans));
	for (uint32_t i = 0; i < p->n_probes; i++)
		if (p->probes[i].state.kind != SPAN_NO && p->probes[i].state.owner == i)
			g->spans[i] = declare_span(g, i);
}

/* BPF helpers marked gpl_only require a licence compatible with the GPL. All licences that a script
 * can choose are. sonde's own BPF code is dual-licensed. */
static void declare_license(struct gen *g)
{
	const char *license = config_word(g->arena, &g->program->config, "license");
	LLVMValueRef text =
		LLVMConstStringInContext(g->llvm, license, (unsigned)strlen(license) + 1, true);
	LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(text), "sonde_license");

	LLVMSetInitializer(global, text);
	LLVMSetSection(global, "license");
	/* libbpf's linker demands BTF of global symbols */
	LLVMSetLinkage(global, LLVMInternalLinkage);
	LLVMSetAlignment(global, 1);
}

static void set_flag(struct gen *g, LLVMModuleFlagBehavior behavior, const char *name,
		     uint32_t value)
{
	LLVMAddModuleFlag(g->module, behavior, name, strlen(name),
			  LLVMValueAsMetadata(LLVMConstInt(g->i32, value, false)));
}

/* Debug info is needed for BTF only. LLVM writes no DWARF for a module that has the flag "CodeView"
 * (the debug format of Windows) and no DWARF version; that saves 2 ms. The helpers' bitcode has a
 * DWARF version, so the flag must override. */
static void set_no_dwarf(struct gen *g)
{
	set_flag(g, LLVMModuleFlagBehaviorWarning, "Debug Info Version",
		 LLVMDebugMetadataVersion());
	set_flag(g, LLVMModuleFlagBehaviorOverride, "Dwarf Version", 0);
	set_flag(g, LLVMModuleFlagBehaviorWarning, "CodeView", 1);
}

/* The place in the script that a message of LLVM names: "FILE:LINE:COLUMN: in function p0_begin
 * …". */
static struct span span_of(const struct gen *g, const char *message)
{
	const struct source *source = g->program->source;
	size_t file = strlen(source->name);
	uint32_t line, col, at;

	if (strncmp(message, source->name, file) ||
	    sscanf(message + file, ":%" SCNu32 ":%" SCNu32, &line, &col) != 2 || line == 0 ||
	    col == 0 || line > source->n_lines)
		return SPAN_NONE;
	at = source->lines[line - 1] + col - 1;
	return (struct span){at, at + 1};
}

/* Report a function that takes too much stack, once: LLVM has an error for each access beyond the
 * limit. */
static void report_stack(struct gen *g, const char *message)
{
	struct span span = span_of(g, message);
	const char *name = strstr(message, " in function ");

	name = name ? name : "";
	if (g->stack_error && strcmp(g->stack_error, name) == 0)
		return;
	g->stack_error = arena_strdup(g->arena, name);
	for (uint32_t i = 0; i < g->plan->n_probes; i++)
		if (g->plan->probes[i].span.start == span.start)
			span = g->plan->probes[i].span;
	diag_error(g->diags, span, "limit-stack",
		   "this probe takes more than the 512 bytes of stack that a BPF program has");
	diag_hint(g->diags, "use fewer variables, or compute less in one statement");
}

/* LLVM's default handler prints an error and exits. A script can cause one kind of error: a stack
 * of more than 512 bytes. It is reported only when the second attempt fails too. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *ctx)
{
	struct gen *g = ctx;
	char *text;

	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	g->failed = true;
	text = LLVMGetDiagInfoDescription(info);
	if (!strstr(text, "stack"))
		snprintf(g->message, sizeof(g->message), "LLVM: %s", text);
	else if (!g->spills)
		g->exceeds_stack = true;
	else if (g->has_outlined)
		g->exceeds_calls = true;
	else if (!g->is_long)
		g->exceeds_length = true;
	else
		report_stack(g, text);
	LLVMDisposeMessage(text);
}

static int begin(struct gen *g)
{
	g->llvm = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(g->llvm, on_diagnostic, g);
	if (helper_begin(g))
		return -1;
	g->module = LLVMModuleCreateWithNameInContext("sonde", g->llvm);
	LLVMSetTarget(g->module, "bpfel");
	LLVMSetDataLayout(g->module, "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128");
	g->b = LLVMCreateBuilderInContext(g->llvm);
	g->i8 = LLVMInt8TypeInContext(g->llvm);
	g->i16 = LLVMInt16TypeInContext(g->llvm);
	g->i32 = LLVMInt32TypeInContext(g->llvm);
	g->i64 = LLVMInt64TypeInContext(g->llvm);
	g->ptr = LLVMPointerTypeInContext(g->llvm, 0);
	set_no_dwarf(g);
	gen_di_begin(g);
	return 0;
}

static int generate(struct gen *g)
{
	declare_maps(g);
	declare_license(g);
	for (uint32_t i = 0; i < g->plan->n_progs; i++)
		gen_program(g, i);
	gen_scratch_map(g);
	return g->failed ? -1 : 0;
}

static int print_ir(struct gen *g, struct codegen_output *out)
{
	char *text;

	emit_drop_unused(g);
	text = LLVMPrintModuleToString(g->module);
	out->bytes = strdup(text);
	out->len = strlen(text);
	LLVMDisposeMessage(text);
	return out->bytes ? 0 : -1;
}

/* The object files of functions that will be linked to the script's object; of all variants, those
 * whose calls nest deepest. */
extern const char sonde_object_keep[], sonde_object_keep_end[];
extern const char sonde_object_unwind[], sonde_object_unwind_end[];

static struct stack_depth depth_of(struct gen *g, const struct codegen_output *out)
{
	const struct stack_object object = {out->bytes, out->len};
	const char *bytes = g->plan->needs.ustack ? sonde_object_unwind : sonde_object_keep;
	const char *end = g->plan->needs.ustack ? sonde_object_unwind_end : sonde_object_keep_end;
	const struct stack_object linked = {bytes, (size_t)(end - bytes)};
	bool has_stacks = g->plan->needs.ustack || g->plan->needs.kstack;

	return stack_depth_of(g->arena, &object, has_stacks ? &linked : NULL);
}

/* The place of a program's probe in the script. */
static struct span span_of_program(const struct gen *g, const char *symbol)
{
	for (uint32_t i = 0; i < g->plan->n_progs; i++) {
		const struct plan_prog *p = &g->plan->progs[i];

		if (p->n_probes && strcmp(p->symbol, symbol) == 0)
			return g->plan->probes[p->probes[0]].span;
	}
	return SPAN_NONE;
}

static void report_frames(struct gen *g, const struct stack_depth *depth)
{
	g->failed = true;
	diag_error(g->diags, span_of_program(g, depth->nested), "limit-calls",
		   "this probe takes %u nested calls, and a BPF program has %d: each loop is one, "
		   "and so are the search and comparison of long strings",
		   depth->frames, STACK_FRAMES);
	diag_hint(g->diags, "nest loops less, or compute such values outside of them");
}

static void report_functions(struct gen *g, const struct stack_depth *depth)
{
	g->failed = true;
	diag_error(g->diags, span_of_program(g, depth->widest), "limit-functions",
		   "this probe takes %u functions, and a BPF program has %d: each loop is one",
		   depth->functions, STACK_FUNCTIONS);
	diag_hint(g->diags, "write fewer loops, or spread them over several probes");
}

static void report_length(struct gen *g, const struct stack_depth *depth)
{
	g->failed = true;
	diag_error(g->diags, span_of_program(g, depth->longest), "limit-length",
		   "this probe is too long: it jumps over %u instructions, and a BPF program can "
		   "jump over %d",
		   depth->jump, STACK_JUMP);
	diag_hint(g->diags, "spread it over several probes on the same event, or write a loop");
}

static void report_depth(struct gen *g, const struct stack_depth *depth)
{
	g->failed = true;
	diag_error(g->diags, span_of_program(g, depth->program), "limit-stack",
		   "this probe and what it calls take %u bytes of stack, and a BPF program has %d",
		   depth->bytes, STACK_BYTES);
	diag_hint(g->diags, "use fewer variables, or nest loops less");
}

/* Check the stack of chains of calls, which the kernel limits; LLVM has checked that of each
 * function. Also check frames, functions, branches and jumps. */
static void check_stack(struct gen *g, const struct codegen_output *out)
{
	struct stack_depth depth = depth_of(g, out);

	if (g->has_outlined && (depth.frames > STACK_FRAMES || depth.functions > STACK_FUNCTIONS ||
				depth.bytes > STACK_BYTES)) {
		g->exceeds_calls = true;
		return;
	}
	if (depth.branches > STACK_BRANCHES && g->n_parts && !g->parts_loop) {
		g->exceeds_branches = true;
		return;
	}
	if (depth.frames > STACK_FRAMES)
		report_frames(g, &depth);
	if (depth.functions > STACK_FUNCTIONS)
		report_functions(g, &depth);
	/* Shorter functions keep fewer values on the stack. Newer kernels count depth.least. */
	if (depth.least > STACK_BYTES && g->spills && !g->is_long)
		g->exceeds_length = true;
	else if (depth.least > STACK_BYTES && g->spills)
		report_depth(g, &depth);
	else if (depth.bytes > STACK_BYTES && !g->spills && !g->failed)
		g->exceeds_stack = true;
	else if (depth.jump > STACK_JUMP && !g->is_long)
		g->exceeds_length = true;
	else if (depth.jump > STACK_JUMP && !g->failed)
		report_length(g, &depth);
}

/* LLVM fails on a jump over more than 32,767 BPF instructions. It makes 1 to 2 of them from each of
 * its own instructions. */
enum { MOST_INSTRUCTIONS = 15000 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int make(struct gen *g, struct codegen_output *out)
{
	uint64_t began = now_ns();
	int err = begin(g) ?: generate(g);

	out->gen_ns += now_ns() - began;
	return err;
}

static int run(struct gen *g, enum codegen_stage stage, struct codegen_output *out)
{
	uint32_t most;

	if (make(g, out))
		return -1;
	if (stage == CODEGEN_IR) {
		LLVMDIBuilderFinalize(g->di);
		return print_ir(g, out);
	}
	if (stage == CODEGEN_CHECK && emit_is_small(g))
		return g->failed ? -1 : 0;
	if (emit_optimize(g))
		return -1;
	emit_instructions(g, &most);
	if (!g->is_long && most > MOST_INSTRUCTIONS) {
		g->exceeds_length = true;
		return -1;
	}
	if (stage == CODEGEN_IR_OPT)
		return print_ir(g, out);
	if (emit_machine(g, out))
		return -1;
	if (!g->failed)
		check_stack(g, out);
	return g->failed ? -1 : 0;
}

static void dispose(struct gen *g)
{
	LLVMDisposeDIBuilder(g->di);
	LLVMDisposeBuilder(g->b);
	LLVMDisposeModule(g->module);
	if (g->library)
		LLVMDisposeModule(g->library);
	if (g->tm)
		LLVMDisposeTargetMachine(g->tm);
	LLVMContextDispose(g->llvm);
}

int codegen_run(const struct program *p, const struct plan *plan, enum codegen_stage stage,
		struct diags *d, struct codegen_output *out)
{
	struct arena *a = arena_new();
	struct gen *g = arena_new_of(a, struct gen);
	struct gen next = {.program = p, .plan = plan, .arena = a, .diags = d};
	uint64_t began = now_ns();
	int err;

	*g = next;
	out->kept = g;
	err = run(g, stage, out);
	while (g->exceeds_stack || g->exceeds_length || g->exceeds_calls || g->exceeds_branches) {
		next.spills |= g->exceeds_stack;
		next.is_long |= g->exceeds_length;
		next.parts_loop |= g->exceeds_branches;
		next.inlines |= g->exceeds_calls;
		dispose(g);
		free(out->bytes);
		*out = (struct codegen_output){.kept = g, .gen_ns = out->gen_ns};
		*g = next;
		err = run(g, stage, out);
	}
	out->llvm_ns = now_ns() - began - out->gen_ns;
	if (!err)
		return 0;
	free(out->bytes);
	out->bytes = strdup(g->message);
	out->len = strlen(g->message);
	return d->n_errors ? 1 : -1;
}

void codegen_free(struct codegen_output *out)
{
	struct arena *a = out->kept->arena;

	dispose(out->kept);
	arena_free(a);
	free(out->bytes);
	*out = (struct codegen_output){0};
}

const char *codegen_llvm_version(void)
{
	return LLVM_VERSION_STRING;
}
