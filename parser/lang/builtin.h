/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of builtins (variables, functions, aggregations) out of builtins.def, its lookup, and
 * the reader of its signatures. codegen/ expands the gen column of the same rows.
 */
#pragma once
#include "parser/lang/probe.h"
#include "parser/lang/type.h"
#include <stdbool.h>
#include <stdint.h>

struct sema;
struct expr;

enum builtin_id {
#define VAR(id, ...) BI_##id,
#define FN(id, ...) BI_##id,
#define AGG(id, ...) BI_##id,
#include "parser/lang/builtins.def"
#undef VAR
#undef FN
#undef AGG
	BI_COUNT,
};

enum builtin_kind { BUILTIN_VAR, BUILTIN_FN, BUILTIN_AGG };

/* Contexts (of probes.def) in which a builtin exists. */
enum {
	W_ANY = ~0u >> 1,
	W_NOTE = 1u << CTX_NOTE,
	W_ENTRY = 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_TYPED_EVENT, /* arguments by number */
	W_RETURN = 1u << CTX_REGS_RETURN | 1u << CTX_TYPED_RETURN,
	W_FUNCTION = 1u << CTX_REGS_ENTRY | W_NOTE | 1u << CTX_TYPED_ENTRY | W_RETURN,
};

enum builtin_traits {
	TR_TASK = 1,
	TR_CONST = 2,
	TR_NOW = 4,
	TR_STACK = 8,
	TR_START = 16,
	TR_ACT = 32,
	TR_MAP = 64,
	TR_THREAD = 128, /* never changes in a thread's life */
	TR_ENTRY = 256,	 /* its argument is of the event that starts the span */
	TR_END = 512,	 /* known only where a span ends */
	TR_TEXT = 1024,	 /* of a parameter, its first argument takes the text */
	TR_HERE = 2048,	 /* of the processor or the process in which the probe fires */
	/* Where a clock of the kernel's fires it is another than in a thread of ours. */
	TR_INTERRUPTED = TR_TASK | TR_STACK | TR_END | TR_HERE,
};

enum { SIGNATURE_MAX_PARAMS = 4 };

enum param_kind { PARAM_ANY, PARAM_INT, PARAM_STRING, PARAM_MAP };

struct param {
	enum param_kind kind;
	bool is_const, is_optional;
	char name[16];
};

/* A signature, read. */
struct signature {
	const struct type *result; /* NULL: the check hook finds it ("any") */
	struct param params[SIGNATURE_MAX_PARAMS];
	uint32_t n_params;
	bool has_rest; /* "..." */
};

typedef const struct type *check_fn(struct sema *s, struct expr *e);

struct builtin {
	enum builtin_id id;
	enum builtin_kind kind;
	const char *name;
	const char *signature;
	uint32_t where;
	uint32_t traits;
	enum agg_kind agg;
	/* Type of the expression, or &type_error after a report. */
	check_fn *check;
	const char *doc;
};

extern const struct builtin builtins[BI_COUNT];

/* The check column's functions: sema_check.c. */
check_fn chk_func, /* sema_usdt.c */
	chk_args, chk_delta, chk_oncpu, chk_printf, chk_print, chk_clear, chk_delete, chk_agg,
	chk_hist, chk_lhist, chk_quantiles, chk_str, chk_strftime, chk_has_key, chk_len,
	chk_curtask, chk_ustack, chk_depth, chk_open, chk_entry, chk_retval, chk_argn, chk_ctx;

/* Does it exist in probes of this type? */
static inline bool builtin_exists_in(const struct builtin *b, enum probe_id id)
{
	return b->where >> probe_rows[id].context & 1;
}

/* The row of `name`, or NULL. */
const struct builtin *builtin_find(const char *name);
/* Read a row's signature. False for a bad one; rows are ours, test_builtin.c reads all. */
bool builtin_signature(const struct builtin *b, struct signature *out);
