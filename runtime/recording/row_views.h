/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of rows as views of a recording: rows, rows_2, …, with a column for each of row()'s.
 */
#pragma once
#include "parser/plan/plan.h"

/* Executes a statement of SQL. 0 or an error. */
typedef int row_view_fn(void *ctx, const char *sql);

/* Make the views with `make`. `kind` is "VIEW" or "TEMP VIEW". The calls of rows are the first ones,
 * in the order of the plan. Returns the first error of `make`, or -ENOMEM. */
int row_views_make(const struct plan *plan, const char *kind, row_view_fn *make, void *ctx);
/* True if each field of a row has a name that can be one of a column. */
bool row_views_fit(const struct plan_event *e);
