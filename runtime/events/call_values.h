/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments and results of calls as text (struct sonde_call).
 */
#pragma once
#include "parser/plan/plan.h"
#include "runtime/base/text_buffer.h"

/* Its function; NULL: the number is none. */
const struct plan_call *call_values_function(const struct plan *p, const void *call);
/* Put the arguments, such as `3, "x"`; `…` if nothing is known of them. `t`: the type of the
 * value. */
void call_values_arguments(struct text *to, const struct plan *p, const struct type *t,
			   const void *call);
/* Put the result. False: there is none, or it is not known. */
bool call_values_result(struct text *to, const struct plan *p, const struct type *t,
			const void *call);
/* Put all of it: f(3, "x") = -5. */
void call_values_text(struct text *to, const struct plan *p, const struct type *t,
		      const void *call);
