/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --emit facts: what a script needs to know about this kernel.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct arena;
struct kernel;
struct program;
struct tp_format;
struct typed_function;

/* Write what a checked script needs to know about the kernel as a --kernel-facts FILE:
 * capabilities, tracepoint formats, functions. Other facts have no format yet and become a
 * comment. */
void emit_facts(struct kernel *k, const struct program *program, FILE *out);
/* Write the prototype of a function of the kernel or of a raw tracepoint, of one of a program. */
void emit_typed(const struct typed_function *f, bool is_raw, FILE *out);
void emit_arguments(struct arena *a, struct kernel *k, const struct typed_function *f,
		    const char *path, const char *symbol, FILE *out);
struct type_enum;
/* Write an enum, whose tag in the file may be another. */
void emit_enum(const struct type_enum *e, const char *tag, FILE *out);
/* Write the format of one tracepoint. */
void emit_format(const struct tp_format *f, bool has_raw, FILE *out);

/* ---- emit_types.c: types of C for --emit facts. */

struct c_types;

/* Write the types that the script used, which are not its own, as lines of a facts file. */
void emit_types(struct c_types *c, FILE *out);
