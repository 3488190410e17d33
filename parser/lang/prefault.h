/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings whose address is known before a body runs: str(arg0), str(retval + 8). A sleepable
 * program faults their memory in at its start, where it holds no locks or references yet.
 * Excluded are strings that only some runs read (under `if`, `? :`, `&&`), and those whose
 * address the body computes or looks up.
 */
#pragma once
#include "parser/lang/ast.h"

typedef void prefault_fn(struct expr *str, void *ctx);

/* Call `fn` for each such str() in the predicate and the body. */
void prefault_body_strings(const struct probe *p, prefault_fn *fn, void *ctx);
/* The same for the arguments of entry(). */
void prefault_entry_strings(const struct probe *p, prefault_fn *fn, void *ctx);
/* True for a number computed from registers and constants, without reading memory or maps. */
bool prefault_is_plain(const struct expr *e);
