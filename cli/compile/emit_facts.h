/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdio.h>

struct kernel;
struct program;

/* Write what a checked script needs to know about the kernel as a --kernel-facts FILE:
 * capabilities, tracepoint formats, functions. Other facts have no format yet and become a
 * comment. */
void emit_facts(struct kernel *k, const struct program *program, FILE *out);
