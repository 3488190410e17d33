/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts whose place is known before a body begins: str(arg0), str(retval + 8). A program that may
 * sleep brings their memory in there, where it holds nothing yet. Not those that only some runs
 * read (under `if`, `? :`, `&&`), and not those whose place the body has to compute or look up.
 */
#pragma once
#include "parser/lang/ast.h"

typedef void prefault_fn(struct expr *str, void *ctx);

/* Such calls of str() in the predicate and the body. */
void prefault_body_strings(const struct probe *p, prefault_fn *fn, void *ctx);
/* Those in the arguments of entry(). */
void prefault_entry_strings(const struct probe *p, prefault_fn *fn, void *ctx);
/* Is it a number out of registers and constants, which needs neither memory nor a map? */
bool prefault_is_plain(const struct expr *e);
