/* SPDX-License-Identifier: Apache-2.0 */
/*
 * printf formats, taken apart once: sema checks the arguments against the pieces, the plan keeps
 * them, the runtime prints by them.
 */
#pragma once
#include "parser/plan/plan.h"

struct format_spec {
	struct plan_piece *pieces;
	uint32_t n_pieces;
	uint32_t n_args;
	/* A conversion that cannot be: its place in the text; length 0 when all are well. */
	uint32_t bad_at, bad_len;
};

/* Take `text` apart. Conversions: %[-+ #0][width][.precision][hh h l ll j z t](d i u x X o c p
 * s). */
void format_parse(struct arena *a, const char *text, uint32_t len, struct format_spec *out);
