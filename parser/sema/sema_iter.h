/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of iter probes: ctx.FIELD, builtins about the object's thread, the kernel's printf.
 */
#pragma once
#include "parser/lang/builtin.h"
#include "parser/lang/kernel.h"

struct format_spec;

/* True when the builtin can be used at this attach point; else it is reported. */
bool iter_check_where(struct sema *s, const struct builtin *b, struct span span,
		      const struct attach_point *p);
/* Report arguments that the kernel cannot format; returns the type of the call. */
const struct type *iter_check_printf(struct sema *s, struct expr *e,
				     const struct format_spec *spec);
