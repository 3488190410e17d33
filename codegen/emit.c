/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the object's bytes from a module: a few passes (inline helpers, move memory to registers,
 * simplify), removal of unused code, then LLVM's BPF back end.
 */
#include "codegen/emit.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <unistd.h>

/* clang has optimized the helpers already. After inlining, little is left to do: move memory to
 * registers, propagate constants, remove dead code. */
static const char passes[] =
	"function(sroa<modify-cfg>,early-cse,simplifycfg,instsimplify,simplifycfg,adce)";

/* Switch off passes of the back end that take long and gain nothing for BPF programs. */
static void set_options(void)
{
	static const char *const options[] = {"sonde", "-disable-lsr", "-disable-constant-hoisting",
					      "-disable-copyprop", "-disable-postra-machine-licm"};

	static bool is_done; /* LLVM rejects an option that is given twice */

	if (!is_done)
		LLVMParseCommandLineOptions(sizeof(options) / sizeof(*options), options, NULL);
	is_done = true;
}

static int fail(struct gen *g, const char *what, char *llvm_message)
{
	snprintf(g->message, sizeof(g->message), "%s: %s", what, llvm_message ? llvm_message : "?");
	LLVMDisposeMessage(llvm_message);
	return -1;
}

static LLVMTargetMachineRef target_machine(struct gen *g)
{
	LLVMTargetRef target;
	char *message = NULL;

	set_options();
	LLVMInitializeBPFTargetInfo();
	LLVMInitializeBPFTarget();
	LLVMInitializeBPFTargetMC();
	LLVMInitializeBPFAsmPrinter();
	if (LLVMGetTargetFromTriple("bpfel", &target, &message)) {
		fail(g, "no BPF target in LLVM", message);
		return NULL;
	}
	return LLVMCreateTargetMachine(target, "bpfel", "v3", "", LLVMCodeGenLevelDefault,
				       LLVMRelocDefault, LLVMCodeModelDefault);
}

static bool is_used(LLVMValueRef v)
{
	return LLVMGetFirstUse(v) != NULL;
}

static bool is_program(LLVMValueRef fn)
{
	const char *section = LLVMGetSection(fn);

	return section && *section;
}

/* Delete functions without callers. Returns true if there were any: their deletion may leave others
 * without callers. */
static bool drop_functions(struct gen *g)
{
	bool found = false;

	for (LLVMValueRef next, v = LLVMGetFirstFunction(g->module); v; v = next) {
		next = LLVMGetNextFunction(v);
		if (is_used(v) || is_program(v))
			continue;
		LLVMDeleteFunction(v);
		found = true;
	}
	return found;
}

/* Delete maps and data of the helpers that neither programs nor linked functions use. */
static void drop_globals(struct gen *g)
{
	for (LLVMValueRef next, v = LLVMGetFirstGlobal(g->module); v; v = next) {
		const char *name = LLVMGetValueName(v);

		next = LLVMGetNextGlobal(v);
		if (!is_used(v) && strncmp(name, "sonde_", 6) == 0 &&
		    strcmp(name, "sonde_license") != 0 && !helper_is_linked(g, name))
			LLVMDeleteGlobal(v);
	}
}

void emit_drop_unused(struct gen *g)
{
	while (drop_functions(g))
		;
}

static int run_passes(struct gen *g, const char *names)
{
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef err = LLVMRunPasses(g->module, names, g->tm, options);
	char *message;

	LLVMDisposePassBuilderOptions(options);
	if (!err)
		return 0;
	message = LLVMGetErrorMessage(err);
	snprintf(g->message, sizeof(g->message), "passes: %s", message);
	LLVMDisposeErrorMessage(message);
	return -1;
}

static uint32_t count_instructions(LLVMValueRef fn)
{
	uint32_t n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	return n;
}

uint32_t emit_instructions(const struct gen *g, uint32_t *most)
{
	uint32_t sum = 0;

	*most = 0;
	for (LLVMValueRef fn = LLVMGetFirstFunction(g->module); fn; fn = LLVMGetNextFunction(fn)) {
		uint32_t n = count_instructions(fn);

		sum += n;
		*most = n > *most ? n : *most;
	}
	return sum;
}

/* Limits are of jumps (32,767 instructions), the stack (512 bytes; where variables do not fit, they
 * are not on it) and nested calls (8). These bounds are far below: an inlined function has 100
 * instructions at most, and loops are functions of their own. */
enum { SMALL_INSTRUCTIONS = 3000, SMALL_CALLS = 250, SMALL_LOOPS = 3 };

static uint32_t count_calls(LLVMValueRef fn)
{
	uint32_t n = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n += LLVMIsACallInst(i) != NULL;
	return n;
}

bool emit_is_small(const struct gen *g)
{
	uint32_t n_loops = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(g->module); fn; fn = LLVMGetNextFunction(fn)) {
		uint32_t n = count_instructions(fn), calls = count_calls(fn);

		n_loops += n && !is_program(fn);
		if (n > SMALL_INSTRUCTIONS || calls > SMALL_CALLS || n_loops > SMALL_LOOPS)
			return false;
	}
	return true;
}

/* Link the functions that programs call, and inline them. */
static int link_functions(struct gen *g)
{
	bool is_long = outline_is_wanted(g);

	if (helper_link(g))
		return -1;
	outline_choose(g, is_long);
	outline_drop_places(g);
	LLVMDIBuilderFinalize(g->di);
	return run_passes(g, "always-inline");
}

int emit_optimize(struct gen *g)
{
	g->tm = target_machine(g);
	if (!g->tm || link_functions(g))
		return -1;
	emit_drop_unused(g); /* the helpers that were inlined at every call */
#ifdef SONDE_ASAN	     /* verifying takes 1 ms, so only sanitizer builds do it */
	char *message = NULL;

	if (LLVMVerifyModule(g->module, LLVMReturnStatusAction, &message))
		return fail(g, "bad IR", message);
	LLVMDisposeMessage(message);
#endif
	if (run_passes(g, passes))
		return -1;
	emit_drop_unused(g); /* the functions that only unreachable code called */
	drop_globals(g);
	return 0;
}

/* LLVM calls this when it cannot continue. A script can cause that in one way: a jump over too many
 * instructions. */
static void on_fatal(const char *reason)
{
	if (strstr(reason, "out of insn range"))
		_exit(CODEGEN_TOO_LONG);
	fprintf(stderr, "sonde: LLVM: %s\n", reason);
	abort();
}

int emit_machine(struct gen *g, struct codegen_output *out)
{
	LLVMMemoryBufferRef buf;
	char *message = NULL;

	LLVMInstallFatalErrorHandler(on_fatal);
	if (LLVMTargetMachineEmitToMemoryBuffer(g->tm, g->module, LLVMObjectFile, &message, &buf))
		return fail(g, "LLVM cannot emit BPF", message);
	out->len = LLVMGetBufferSize(buf);
	out->bytes = malloc(out->len + 1);
	if (out->bytes)
		memcpy(out->bytes, LLVMGetBufferStart(buf), out->len);
	LLVMDisposeMemoryBuffer(buf);
	return out->bytes ? 0 : fail(g, "out of memory", NULL);
}
