/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdio.h>

struct kernel;
struct program;

/* Write what a checked script asked of the kernel in the form of --kernel-facts FILE: capabilities,
 * formats of tracepoints, functions. What has no form yet is a comment. */
void emit_facts(struct kernel *k, const struct program *program, FILE *out);
