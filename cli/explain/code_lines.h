/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions, and LLVM's IR, as lines that know the line of the script.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct code_object;
struct explain;
struct explain_text;
struct source;

/* Add the instructions of an object. */
void code_lines_add(struct explain *x, struct explain_text *t, const struct source *s,
		    const struct code_object *code);
/* ir_lines.c: add the functions of a module that LLVM has printed. */
void ir_lines_add(struct explain *x, struct explain_text *t, const char *ir, size_t len);
