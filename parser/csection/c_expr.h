/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant expressions of C: #if, enum constants, sizes of arrays, widths of bit-fields.
 */
#pragma once
#include "parser/csection/c_token.h"

struct diags;

struct c_value {
	uint64_t bits;
	bool is_unsigned;
};

struct c_eval {
	struct diags *diags;
	const struct c_token *tokens; /* with a CT_END at the end */
	uint32_t at;		      /* the next token */
	uint32_t depth;
	uint32_t n_skipped; /* > 0: in an operand that is not evaluated */
	bool is_wrong;	    /* an error was reported */
	/* Evaluate and skip the operand that begins with the name tokens[at]. False after an error.
	 */
	bool (*name)(struct c_eval *e, struct c_value *out);
	/* True if tokens[at] is the name of a type, so that the '(' before it begins a cast. NULL:
	 * there are no types here. cast() skips the type and converts `v`. */
	bool (*is_type)(struct c_eval *e);
	bool (*skip_type)(struct c_eval *e, uint32_t *size, bool *is_unsigned);
	void *ctx;
};

/* Evaluate the expression at e->at up to a token that does not belong to it. False after an error,
 * which has been reported. */
bool c_evaluate(struct c_eval *e, struct c_value *out);
/* Report that tokens[at] is not what was expected, unless an error was reported before. Returns
 * false. */
bool c_expected(struct c_eval *e, const char *what);
