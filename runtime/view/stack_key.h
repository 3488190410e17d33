/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keys of maps with stacks, for formats that add up their values along stacks: which maps those
 * are, what a row adds, and the parts of its key in the order in which they lead to it.
 */
#pragma once
#include "runtime/view/view.h"

enum { STACK_KEY_PARTS = 64 };

/* The parts of a row's key, and those of its tuples: of each thread the other parts, then its user
 * stack, then its kernel stack. */
struct stack_key {
	struct view parts[STACK_KEY_PARTS];
	const char *names[STACK_KEY_PARTS]; /* as the script writes them; NULL: not known */
	uint32_t n;
};

/* Is it a stack? */
static inline bool stack_key_is_stack(const struct type *t)
{
	return t->kind == TY_KSTACK || t->kind == TY_USTACK;
}

/* Is it a stack, or a tuple with one? */
bool stack_key_has_stack(const struct type *t);
/* Can values of that type be added up: are they counts or sums? */
bool stack_key_has_weight(const struct type *t);
/* What a value adds; 0 if it is negative. */
uint64_t stack_key_weight(const struct view *v);
/* Does the map's key have a stack, and can its values be added up? */
bool stack_key_takes(const struct view_map *m);
void stack_key_make(struct stack_key *k, const struct view_map *m, const struct view_row *r);
