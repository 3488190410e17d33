/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the maps of probes, to decide which probes share a program (plan_build.h).
 */
#include "parser/plan/plan_build.h"
#include "parser/lang/builtin.h"

enum {
	KERNEL_MAPS = 64,     /* the kernel's limit for a program */
	PROGRAM_WEIGHT = 300, /* expressions in a program, each up to 100 instructions */
	OWN_MAPS =
		12, /* sonde's own maps, at most: ring, losses, stacks, scratch, scope, control … */
};

struct collector {
	const struct plan_map *maps;
	struct map_use *use;
};

/* True when codegen computes the expression in scratch memory. String literals are stored where
 * they are used; an aggregation's value is never copied. */
static bool takes_scratch(const struct expr *e, const struct plan_map *maps)
{
	if (e->kind == EX_STRING || !e->type)
		return false;
	if (e->kind == EX_MAP && e->map.map && maps[e->map.map->id].key_size > LIMIT_KEY_ON_STACK)
		return e->map.n_keys > 0;
	return type_is_memory(e->type) && e->type->size > LIMIT_ON_STACK;
}

static void collect(struct expr *e, void *ctx)
{
	struct collector *c = ctx;
	struct map_use *use = c->use;
	const struct builtin *b = ast_builtin(e);

	use->has_scratch |= takes_scratch(e, c->maps);
	if (e->kind == EX_MAP && e->map.map) {
		use->maps[e->map.map->id / 64] |= 1ull << e->map.map->id % 64;
		use->has_keys |= e->map.map->n_keys > 0;
	}
	use->has_stacks |= b && b->traits & TR_STACK;
	use->has_records |= b == &builtins[BI_ustack]; /* the first occurrence of each stack */
	use->has_records |= b == &builtins[BI_exit];   /* if another probe sends any */
	use->has_records |= e->kind == EX_CALL && e->call.event >= 0 && b != &builtins[BI_entry];
	ast_each_child(e, collect, c);
}

void share_collect(struct probe *p, const struct plan_map *maps, struct map_use *out)
{
	struct collector c = {.maps = maps, .use = out};

	*out = (struct map_use){.n_spans = ast_span(p) != SPAN_NO};
	if (p->predicate)
		collect(p->predicate, &c);
	for (uint32_t i = 0; i < p->n_entries; i++)
		collect(p->entries[i], &c);
	ast_each_in_block(&p->body, collect, &c);
}

static uint32_t count(const struct map_use *use)
{
	uint32_t n = use->n_spans;

	for (uint32_t i = 0; i < SONDE_MAX_MAPS / 64; i++)
		n += (uint32_t)__builtin_popcountll(use->maps[i]);
	return n;
}

/* Sonde's own maps that the program uses for certain: the control block; losses, where something
 * can be lost, which count hits, too, and the configuration, which says where; the ring and its
 * wake-up; the store of stacks and the buffer they are collected in; scratch memory; the flags of
 * -c, which count even without -c. */
static uint32_t count_own(const struct map_use *use)
{
	bool has_losses = use->has_keys || use->has_records || use->has_stacks ||
			  use->has_scratch || use->has_hits;

	return 1u + has_losses + use->has_scratch + 2u * use->has_records + 2u * use->has_stacks +
	       (has_losses || use->has_scope) + use->has_scope;
}

bool share_check(struct diags *d, const struct probe *p, const struct map_use *use)
{
	uint32_t n = count(use) - use->n_spans, own = count_own(use) + use->n_spans;

	if (n + own <= KERNEL_MAPS)
		return true;
	diag_error(
		d, p->points[0].span, "limit-probe-maps",
		"this probe uses %u maps: the kernel allows a program %d, of which sonde needs %u",
		n, KERNEL_MAPS, own);
	diag_hint(
		d,
		"replace several maps by one with keys, @[\"reads\"] and @[\"writes\"], or move some to another probe on the same event");
	return false;
}

bool share_fits_session(const struct map_use *use)
{
	struct map_use both = *use;

	both.has_scope = true; /* tested at the start */
	both.has_keys = true;  /* losses: returns that were missed */
	return count(&both) + count_own(&both) <= KERNEL_MAPS;
}

static void join(struct map_use *to, const struct map_use *from)
{
	to->n_spans += from->n_spans;
	to->weight += from->weight;
	for (uint32_t i = 0; i < SONDE_MAX_MAPS / 64; i++)
		to->maps[i] |= from->maps[i];
}

bool share_fits(const struct share *s, uint32_t prog, const struct map_use *use)
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
