/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a script through all stages.
 */
#pragma once

struct kernel;
struct options;

/* The kernel that the options name, the running one or that of a file. NULL after a message, then
 * *status is the exit status. */
struct kernel *walk_open_kernel(const struct options *o, int *status);
/* From the script to the end of tracing, or to what the options end it with. The exit status. */
int walk(const struct options *o);
/* The same with a kernel that is open already, and stays open. */
int walk_in(const struct options *o, struct kernel *k);
/* Compile a small script, so that children which are forked later find the compiler initialized and
 * the kernel's types read. */
void walk_warm(struct kernel *k);
