/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of probes that share a program (plan_share.h), and whether one probe has too many for
 * any.
 */
#include "parser/plan/plan_share.h"
#include "parser/base/arena.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/builtin.h"
#include "parser/base/diag.h"

enum {
	KERNEL_MAPS = 64,     /* a program may use */
	PROGRAM_WEIGHT = 300, /* expressions in a program: one takes up to 100 instructions */
	OWN_MAPS = 12,	      /* of ours at most: ring, losses, stacks, scratch, scope, control … */
};

static void collect(struct expr *e, void *ctx)
{
	struct map_use *use = ctx;
	const struct builtin *b = ast_builtin(e);

	if (e->kind == EX_MAP && e->map.map) {
		use->maps[e->map.map->id / 64] |= 1ull << e->map.map->id % 64;
		use->has_keys |= e->map.map->n_keys > 0;
	}
	use->has_stacks |= b && b->traits & TR_STACK;
	use->has_records |= b == &builtins[BI_ustack]; /* its first sighting */
	use->has_records |= b == &builtins[BI_exit];   /* where some other probe sends any */
	use->has_records |= e->kind == EX_CALL && e->call.event >= 0 && b != &builtins[BI_entry];
	ast_each_child(e, collect, use);
}

void share_collect(struct probe *p, struct map_use *out)
{
	*out = (struct map_use){.n_spans = ast_span(p) != SPAN_NO};
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

/* Maps of ours that are certain: the control block; losses, where something can be lost; the ring
 * and what wakes its reader; the store of stacks and what they are put together in; the
 * configuration; the room; the flags of -c, which count even where there is none. */
static uint32_t count_own(const struct map_use *use)
{
	bool has_losses = use->has_keys || use->has_records || use->has_stacks || use->has_room;

	return 1u + has_losses + use->has_room + 2u * use->has_records + 2u * use->has_stacks +
	       (use->has_records || use->has_stacks || use->has_scope) + use->has_scope;
}

bool share_check(struct diags *d, const struct probe *p, const struct map_use *use)
{
	uint32_t n = count(use) - use->n_spans, own = count_own(use) + use->n_spans;

	if (n + own <= KERNEL_MAPS)
		return true;
	diag_error(d, p->points[0].span, "limit-probe-maps",
		   "this probe uses %u maps: the kernel allows a program %d, and sonde takes %u of "
		   "them",
		   n, KERNEL_MAPS, own);
	diag_hint(d,
		  "one map with keys takes the place of many, @[\"reads\"] and @[\"writes\"]; or "
		  "use some of them in another probe on the same event");
	return false;
}

bool share_has_session_room(const struct map_use *use)
{
	struct map_use both = *use;

	both.has_scope = true; /* at the start */
	both.has_keys = true;  /* losses: of returns that were not seen */
	return count(&both) + count_own(&both) <= KERNEL_MAPS;
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
