/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages after the plan: print what it compiles to, or trace.
 */
#pragma once
#include "cli/options/options.h"
#include <stdio.h>

struct events;
struct kernel;
struct plan;
struct program;

/* What the prompt and lessons want of a run. */
struct run_watch {
	FILE *rows; /* receives what is shown, too (runtime/output/out_tap.h); or NULL */
	/* Called at the end of tracing, while maps can be read; or NULL. */
	void (*after)(void *ctx, struct events *e, int status);
	void *ctx;
};

/* --emit ast, types, facts (`plan` is not used), plan: to -o FILE or standard output. The exit
 * status. */
int run_dump(const struct options *o, struct kernel *k, const struct program *program,
	     const struct plan *plan);
/* --emit ir, ir-opt, asm, elf: to -o FILE or standard output. The exit status. */
int run_emit(const struct options *o, const struct program *program, const struct plan *plan,
	     const struct kernel *k);
/* --emit-llvm: the IR before and after optimization, in two files. The exit status. */
int run_emit_llvm(const struct options *o, const struct program *program, const struct plan *plan,
		  const struct kernel *k);
/* -d: print the stage on standard error if it was asked for (EMIT_AST, EMIT_TYPES, EMIT_PLAN). */
void run_debug(const struct options *o, enum emit_stage stage, struct kernel *k,
	       const struct program *program, const struct plan *plan);
/* -d: the same for what codegen makes. The exit status. */
int run_debug_code(const struct options *o, const struct program *program, const struct plan *plan,
		   const struct kernel *k);
/* --check: does the plan compile? The exit status. */
int run_check(const struct program *program, const struct plan *plan, const struct kernel *k);
/* Check that the process of -p exists. 0, or the exit status after a message. */
int run_check_pid(const struct options *o);
/* Compile, load, attach, trace, print. The exit status. */
int run_trace(const struct options *o, const struct program *program, const struct plan *plan,
	      struct kernel *k);
/* Is this error of command_start() not the fault of the command's name? */
bool run_is_of_the_system(int err);
