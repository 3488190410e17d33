/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of probes that share a program (plan_share.h). A probe that needs too many by itself
 * gets a program of its own all the same, and the verifier says what is wrong with it.
 */
#include "plan_share.h"
#include "arena.h"
#include "ast.h"

enum {
	KERNEL_MAPS = 64, /* a program may use */
	PROGRAM_WEIGHT = 300, /* expressions in a program: one takes up to 100 instructions */
	OWN_MAPS = 12,	  /* of ours at most: ring, losses, stacks, scratch, scope, control … */
};

static void collect(struct expr *e, void *ctx)
{
	struct map_use *use = ctx;

	if (e->kind == EX_MAP && e->map.map)
		use->maps[e->map.map->id / 64] |= 1ull << e->map.map->id % 64;
	ast_each_child(e, collect, use);
}

void share_collect(struct probe *p, struct map_use *out)
{
	*out = (struct map_use){.n_spans = p->uses_delta};
	if (p->predicate)
		collect(p->predicate, out);
	for (uint32_t i = 0; i < p->n_entries; i++)
		collect(p->entries[i], out);
	ast_each_in_block(&p->body, collect, out);
}

static uint32_t count(const struct map_use *use)
{
	uint32_t n = use->n_spans;

	for (uint32_t i = 0; i < SONDE_MAX_MAPS / 64; i++)
		n += (uint32_t)__builtin_popcountll(use->maps[i]);
	return n;
}

static void join(struct map_use *to, const struct map_use *from)
{
	to->n_spans += from->n_spans;
	to->weight += from->weight;
	for (uint32_t i = 0; i < SONDE_MAX_MAPS / 64; i++)
		to->maps[i] |= from->maps[i];
}

bool share_has_room(const struct share *s, uint32_t prog, const struct map_use *use)
{
	struct map_use both = *use;

	if (prog >= s->n)
		return true;
	join(&both, &s->progs[prog]);
	return count(&both) <= KERNEL_MAPS - OWN_MAPS && both.weight <= PROGRAM_WEIGHT;
}

void share_add(struct share *s, struct arena *a, uint32_t prog, const struct map_use *use)
{
	while (s->n <= prog)
		arena_push(a, s->progs, s->n, (struct map_use){0});
	join(&s->progs[prog], use);
}
