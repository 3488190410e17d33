/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages after the plan: print what it compiles to, or trace.
 */
#pragma once

struct kernel;
struct options;
struct plan;
struct program;

/* --emit ast, types, facts (`plan` is not used), plan: to -o FILE or standard output. The exit
 * status. */
int run_dump(const struct options *o, struct kernel *k, const struct program *program,
	     const struct plan *plan);
/* --emit ir, ir-opt, asm, elf: to -o FILE or standard output. The exit status. */
int run_emit(const struct options *o, const struct program *program, const struct plan *plan,
	     const struct kernel *k);
/* --check: does the plan compile? The exit status. */
int run_check(const struct program *program, const struct plan *plan, const struct kernel *k);
/* Check that the process of -p exists. 0, or the exit status after a message. */
int run_check_pid(const struct options *o);
/* Compile, load, attach, trace, print. The exit status. */
int run_trace(const struct options *o, const struct program *program, const struct plan *plan,
	      struct kernel *k);
