/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expand hook of uprobe and uretprobe. A kernel program reads arguments in one way and finds
 * the return in one way, so a pattern that matches functions of several kinds (of Go and of C, for
 * example) becomes an attach point for each kind.
 */
#include "parser/attach/expand.h"
#include "parser/attach/probe_user.h"

static bool same_kind(const struct attach_target *x, const struct attach_target *y)
{
	return x->abi == y->abi && x->is_exit == y->is_exit && x->is_closed == y->is_closed;
}

uint32_t user_n_functions(const struct attach_point *p)
{
	uint32_t n = p->user.n_entries;

	for (uint32_t i = 0; i < p->n_targets; i++)
		n += !p->targets[i].is_exit;
	return n;
}

/* Name the part of a pattern after its function, if it has only one. */
static void name_part(struct arena *a, struct attach_point *part)
{
	uint32_t n;
	const struct attach_target *f = probe_functions(part, &n);

	if (n != 1 || !f->is_entry)
		return;
	part->function = f->function;
	part->name =
		arena_printf(a, "%s:%s:%s", probe_rows[part->id].name, target_path(f), f->function);
}

static bool is_mixed(const struct attach_point *p)
{
	for (uint32_t i = 1; i < p->n_targets; i++)
		if (!same_kind(&p->targets[0], &p->targets[i]))
			return true;
	return false;
}

/* The targets of `all` that are of the same kind as `like`, and their functions. */
static struct attach_point part_of(struct arena *a, const struct attach_point *all,
				   const struct attach_target *like)
{
	struct attach_point part = *all;

	part.targets = part.user.entries = NULL;
	part.n_targets = part.user.n_entries = 0;
	part.user.abi = like->abi;
	part.user.is_at_returns = like->is_exit;
	part.user.is_closed = like->is_closed;
	for (uint32_t i = 0; i < all->n_targets; i++)
		if (same_kind(&all->targets[i], like))
			arena_push(a, part.targets, part.n_targets, all->targets[i]);
	for (uint32_t i = 0; like->is_exit && i < all->user.n_entries; i++)
		if (all->user.entries[i].abi == like->abi)
			arena_push(a, part.user.entries, part.user.n_entries, all->user.entries[i]);
	name_part(a, &part);
	return part;
}

/* True if target i is the first of its kind. */
static bool is_first(const struct attach_point *p, uint32_t i)
{
	for (uint32_t j = 0; j < i; j++)
		if (same_kind(&p->targets[j], &p->targets[i]))
			return false;
	return true;
}

int exp_user(struct probe_expansion *e)
{
	struct arena *a = e->r->arena;
	struct attach_point all;

	if (probe_resolve(e->r, e->text, &all))
		return -1;
	if (all.is_listed || !is_mixed(&all)) {
		arena_push(a, *e->points, *e->n_points, all);
		return 0;
	}
	for (uint32_t i = 0; i < all.n_targets; i++)
		if (is_first(&all, i))
			arena_push(a, *e->points, *e->n_points, part_of(a, &all, &all.targets[i]));
	return 0;
}
