/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a script through all stages.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct kernel;
struct options;
struct program;

/* The kernel that the options name, the running one or that of a file. NULL after a message. */
struct kernel *walk_open_kernel(const struct options *o);
/* Note the program of -c, which uprobe:FUNCTION without a path refers to. */
void walk_note_program(struct arena *a, const struct options *o, struct kernel *k);
/* Check the script that the options name, and print errors, but no warnings: the script runs later.
 * *has_stacks: it uses stacks. 0, or the exit status. */
int walk_check(struct arena *a, const struct options *o, struct kernel *k, struct program **program,
	       bool *has_stacks);
/* From the script to the end of tracing, or to what the options end it with. The exit status. */
int walk(const struct options *o);
/* The same with a kernel that is open already, and stays open. */
int walk_in(const struct options *o, struct kernel *k);
/* Compile a small script, so that children which are forked later find the compiler initialized and
 * the kernel's types read. */
void walk_warm(struct kernel *k);
