/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See stack_key.h.
 */
#include "runtime/view/stack_key.h"
#include "runtime/view/agg.h"
#include <string.h>

bool stack_key_has_stack(const struct type *t)
{
	bool has = stack_key_is_stack(t);

	for (uint32_t i = 0; t->kind == TY_TUPLE && i < t->n_members; i++)
		has |= stack_key_has_stack(t->members[i].type);
	return has;
}

bool stack_key_has_weight(const struct type *t)
{
	if (t->kind == TY_AGG)
		return agg_rows[t->agg].layout == AL_SUM || agg_has_total(t) ||
		       (agg_has_buckets(t) && !agg_is_series(t));
	return t->kind == TY_INT;
}

uint64_t stack_key_weight(const struct view *v)
{
	uint64_t n;

	if (agg_has_buckets(v->type))
		return v->histogram.total;
	n = agg_has_total(v->type) ? v->stats.total : v->integer;
	return v->type->is_signed && (int64_t)n < 0 ? 0 : n;
}

bool stack_key_takes(const struct view_map *m)
{
	bool has_stack = false;

	for (uint32_t i = 0; m->n_rows && i < m->n_keys; i++)
		has_stack |= stack_key_has_stack(m->rows[0].keys[i].type);
	return has_stack && stack_key_has_weight(m->rows[0].value.type);
}

/* ---- the parts --------------------------------------------------------------------------- */

static void add_parts(struct stack_key *k, const struct view *v, const char *name)
{
	struct view part;

	if (v->type->kind != TY_TUPLE) {
		if (k->n < STACK_KEY_PARTS) {
			k->names[k->n] = name;
			k->parts[k->n++] = *v;
		}
		return;
	}
	for (uint32_t i = 0; i < v->type->n_members; i++) {
		view_part(v, i, &part);
		add_parts(k, &part, NULL);
	}
}

static uint32_t count_of(const struct stack_key *k, enum type_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		n += k->parts[i].type->kind == kind;
	return n;
}

/* Where the group of parts that begins at `from` ends: the stacks of one thread, and the labels
 * before them. A key with one stack of each kind is one group. */
static uint32_t group_end(const struct stack_key *k, uint32_t from)
{
	bool seen[2] = {false}, is_several;
	uint32_t last = k->n;

	is_several = count_of(k, TY_USTACK) > 1 || count_of(k, TY_KSTACK) > 1;
	while (last > from && !stack_key_is_stack(k->parts[last - 1].type))
		last--;
	for (uint32_t i = from; is_several && i < last; i++) {
		const struct type *t = k->parts[i].type;
		bool is_user = t->kind == TY_USTACK;

		if (stack_key_is_stack(t) ? seen[is_user] : seen[0] || seen[1])
			return i;
		seen[is_user] |= stack_key_is_stack(t);
	}
	return k->n;
}

/* Within a group: other parts, user stacks, kernel stacks. */
static int rank_of(const struct view *v)
{
	return v->type->kind == TY_KSTACK ? 2 : v->type->kind == TY_USTACK;
}

static void order_group(struct stack_key *k, uint32_t from, uint32_t end)
{
	struct view parts[STACK_KEY_PARTS];
	const char *names[STACK_KEY_PARTS];
	uint32_t at = from;

	memcpy(parts + from, k->parts + from, (end - from) * sizeof(*parts));
	memcpy(names + from, k->names + from, (end - from) * sizeof(*names));
	for (int rank = 0; rank <= 2; rank++)
		for (uint32_t i = from; i < end; i++)
			if (rank_of(&parts[i]) == rank) {
				k->parts[at] = parts[i];
				k->names[at++] = names[i];
			}
}

void stack_key_make(struct stack_key *k, const struct view_map *m, const struct view_row *r)
{
	k->n = 0;
	for (uint32_t i = 0; i < m->n_keys; i++)
		add_parts(k, &r->keys[i], m->key_names ? m->key_names[i] : NULL);
	for (uint32_t i = 0, end; i < k->n; i = end) {
		end = group_end(k, i);
		order_group(k, i, end);
	}
}
