/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings and other bytes of user memory whose address can be computed before a body runs:
 * str(arg0), buf(args.data, 16), str(args.job->name). A sleepable program faults their memory in at
 * its start, where it holds no locks or references yet. Excluded are those whose address the body
 * looks up in a map, computes in a loop, or assigns to a variable in several places.
 */
#pragma once
#include "parser/lang/ast.h"

enum { PREFAULT_CONDS = 16 };

/* A condition of a read: `if (expr)`, or the branch where it is false. */
struct prefault_cond {
	struct expr *expr;
	bool is_true;
};

/* A read of user memory. */
struct prefault_read {
	struct expr *expr; /* a call of str() or buf(), or a place: ast_is_place() */
	const struct prefault_cond *conds;
	uint32_t n_conds; /* those of its conditions that can be computed before the body, too */
};

typedef void prefault_fn(const struct prefault_read *read, void *ctx);

/* Call `fn` for each such read of the predicate and the body. `has_span`: values of entry() can be
 * read. */
void prefault_body_reads(const struct probe *p, bool has_span, prefault_fn *fn, void *ctx);
/* The same for the arguments of entry(). */
void prefault_entry_reads(const struct probe *p, prefault_fn *fn, void *ctx);
/* True for a number computed from registers and constants, without reading memory or maps. */
bool prefault_is_plain(const struct expr *e);
/* The only value that the probe assigns to the variable; NULL if there are several or none. */
struct expr *prefault_value(const struct probe *p, const struct var *v);
