/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel functions that other kernels have under another name: the rows of renamed.def.
 */
#pragma once
#include "parser/base/source.h"

struct probe_reader;

struct renamed_query {
	const struct probe_reader *r;
	const char *type; /* of the probe */
	/* True if a probe of that type can be on the function. */
	bool (*has)(const struct renamed_query *q, const char *function);
};

/* Hint what this kernel has in place of `function`, which it lacks. False: nothing is known. */
bool renamed_hint(const struct renamed_query *q, const char *function);
/* Warn at `at` if a probe on `function`, which this kernel has, is hardly ever hit. */
void renamed_warn(const struct renamed_query *q, struct span at, const char *function);
