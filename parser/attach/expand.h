/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expand hooks of probes.def: from the text after "TYPE:" to attach points.
 */
#pragma once
#include "parser/lang/probe.h"

/* The text to expand, and the resulting attach points. */
struct probe_expansion {
	const struct probe_reader *r;
	const struct attach_text *text; /* "TYPE:REST", as written */
	enum probe_id id;
	const char *rest; /* without quotes; NULL: there is no ':' */
	struct attach_point **points;
	uint32_t *n_points;
};

/* Compares names, for qsort(). */
int expand_by_name(const void *x, const void *y);
/* For a listing: add one point with names alone. */
void expand_to_names(struct probe_expansion *e, const char **names, uint32_t n);

/* See struct probe_row. 0, or -1 with the reason in r->diags. */
#define PROBE(id, name, alias, form, context, traits, parse, expand, ...) expand_fn expand;
#include "parser/lang/probes.def"

/* recorded.c: where all events are those of a recording (struct kernel, `recording`). */
/* Expand a text as its row does, and keep only what was recorded. 0, or -1 with the reason. */
int recorded_expand(struct probe_expansion *e);
/* Report that the recording does not have `text`, and what it has. Returns -1. */
int recorded_none(const struct probe_reader *r, struct span span, const char *text);
