/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages after the plan: print what it compiles to, or trace.
 */
#pragma once
#include "cli/options/options.h"
#include <sys/utsname.h>

struct events;

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
/* --check: does the plan compile? It is compiled as far as is needed to tell, or wholly. The exit
 * status. */
int run_check(const struct program *program, const struct plan *plan, const struct kernel *k,
	      bool is_whole);
/* Check that the process of -p exists. 0, or the exit status after a message. */
int run_check_pid(const struct options *o);
/* Compile, load, attach, trace, print. The exit status. */
int run_trace(const struct options *o, const struct program *program, const struct plan *plan,
	      struct kernel *k);
/* Is this error of command_start() not the fault of the command's name? */
bool run_is_of_the_system(int err);

/* ---- no_effect.c: options that change nothing in the output of a script. */

/* Warn about each. */
void no_effect_warn(const struct options *o, const struct plan *plan);

/* ---- scope_warn.c: probes that cannot fire in what the options choose. */

/* Warn, once for each file, of probes in files that the process of -p has not mapped, and of
 * addresses of a process that no option chooses. */
void scope_warn(const struct options *o, const struct program *p);

/* ---- rights.c: the rights of this process, and what it can do without them. */

/* Does the interpreter run the programs: on request, or because there are no rights to trace? */
bool rights_are_interpreted(const struct options *o);
/* Check a script that was parsed. 0, or the exit status after a message. */
int rights_check_program(const struct options *o, const struct program *p);
/* May this process trace, or can the interpreter run the plan? 0, or the exit status after a
 * message. */
int rights_check_plan(const struct options *o, const struct plan *plan);

/* ---- run_facts.c: what is known of a run before it begins, for a recording of it. */

enum { BOOT_ID_BYTES = 40 };

struct run_facts {
	struct view_run run; /* strings are in this struct, or outlive it */
	struct utsname system;
	char boot_id[BOOT_ID_BYTES];
	char *arguments;
};

void run_facts_make(struct run_facts *f, const struct options *o, const struct plan *plan);
void run_facts_free(struct run_facts *f);
