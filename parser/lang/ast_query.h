/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the checked tree that sema, plan and codegen all ask. Nothing here changes the
 * tree or reports errors.
 */
#pragma once
#include "parser/lang/ast.h"
#include "parser/lang/probe.h"

/* True when argument `i` of `call` names a whole map: print(@m), clear(@m), delete(@m, key). */
bool ast_is_whole_map(const struct expr *call, uint32_t i);
/* True when argument `i` is a variable that the call assigns to. */
bool ast_is_set_by(const struct expr *call, uint32_t i);
/* True for a map whose values have an entry for each key and bucket. */
bool ast_is_keyed_histogram(const struct expr *m);
/* True for ==, !=, <, <=, > and >=. */
static inline bool ast_is_comparison(const struct expr *e)
{
	return e->kind == EX_BINARY && e->binary.op >= OP_EQ && e->binary.op <= OP_GE;
}
/* True for the call of an aggregation. */
bool ast_is_agg_call(const struct expr *e);
/* True for `args`, the object of args.FIELD. */
bool ast_is_args(const struct expr *e);
/* Is it args.FIELD? */
bool ast_is_args_field(const struct expr *e);
/* True for `ctx`. */
bool ast_is_context(const struct expr *e);
/* The keys of a map access as separate expressions, also when they are written as one tuple. NULL
 * when the key is a tuple value that is not a literal. */
struct expr **ast_key_parts(const struct expr *m);
/* True when `e` can be built directly in the memory that will hold a value of type `t`: a tuple or
 * record literal, or a string read by str(). */
bool ast_is_built_in_place(const struct expr *e, const struct type *t);
/* What a place is a part of, or what points to it; NULL: `e` has no such part. */
struct expr *ast_place_object(const struct expr *e);
/* True when `e` is read at an address of the traced memory: *p, p->a, p[1], p->a.b[2]. */
bool ast_is_place(const struct expr *e);
/* The address space of that memory as far as the types tell; SPACE_NONE also if it is no place. */
enum type_space ast_place_space(const struct expr *e);
/* True if both expressions have the same value when one is evaluated directly after the other. */
bool ast_is_same(const struct expr *x, const struct expr *y);
/* True when `e` may read the variable. */
bool ast_mentions(struct expr *e, const struct var *v);
/* The kind of span whose end runs the probe's body; SPAN_NO when the event itself does. The attach
 * points of a probe may have different kinds, but either all or none have one. */
enum span_kind ast_span(const struct probe *p);
/* True if an attach point of the probe is of a type with that trait. */
bool ast_has_trait(const struct probe *p, uint32_t trait);
/* True if the probe's body also runs for spans that are open when tracing ends (`open_spans`). */
bool ast_counts_open(const struct program *p, const struct probe *probe);
/* The address space of the probe's addresses when their type does not tell. */
enum type_space ast_space(const struct probe *p);
/* As probe_address_space(). */
enum type_space ast_number_space(const struct probe *p, const struct type *t);

/* True for a number of nanoseconds, as far as the script tells: see sema_unit.c. */
bool ast_is_time(const struct expr *e);
/* Is this time a point in time, as nsecs is? What is between two is none. */
bool ast_is_clock(const struct expr *e);

/* True for while, for and unroll. */
bool ast_is_loop(const struct stmt *st);
/* What a `let` or an assignment sets, and to what: NULL for other statements, and a `let` without
 * a value. */
struct expr *ast_target(const struct stmt *st);
struct expr *ast_assigned(const struct stmt *st);
