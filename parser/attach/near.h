/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Did you mean: the attach points nearest to one that matches nothing, compared part by part.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct diags;

enum { NEAR_PARTS = 4, NEAR_SHOWN = 3 };

struct near_names {
	struct arena *arena;
	const char *wanted[NEAR_PARTS]; /* patterns */
	const char *letters[NEAR_PARTS];
	uint32_t n_wanted;
	const char *best[NEAR_SHOWN];
	uint32_t n;
	unsigned edits; /* of each of `best` */
	bool is_full;	/* more names are as near */
	bool has_names; /* at least one was offered */
};

/* Look for names near to `wanted`, patterns with ':' between them. */
void near_init(struct near_names *near, struct arena *a, const char *wanted);
/* Compare `wanted` with the parts of `name`, wherever in it they begin. What is kept is `before`
 * and the name, in which parts that match stand as they were written, and "*" for what follows. */
void near_offer(struct near_names *near, const char *before, const char *name);
/* Hint at what was found: "did you mean A, B or C?". -1; 0 when nothing is near. */
int near_hint(struct diags *d, const struct near_names *near);
/* "A, B or C", NULL when nothing is near. */
const char *near_text(const struct near_names *near);
