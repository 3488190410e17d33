/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the plan share, and nobody else includes: plan.c has programs, probes and
 * spans, plan_body.c maps, records and what a body needs.
 */
#pragma once
#include "ast.h"
#include "plan.h"
#include "plan_share.h"

struct planner {
	struct arena *arena;
	struct diags *diags;
	struct kernel *kernel;
	struct program *program;
	struct plan *plan;
	struct share share;
	struct map_use use; /* of the probe under way */
	uint32_t room_bytes; /* likewise */
	enum plan_run run;
	bool is_iter; /* the probe under way is one: the kernel prints */
};

enum {
	RING_BYTES_EVENTS = 8 << 20,  /* a burst of 200,000 records while the reader is away */
	RING_BYTES_STACKS = 256 << 10, /* first sightings of stacks only */
};

static inline uint32_t plan_align(uint32_t n, uint32_t align)
{
	return (n + align - 1) / align * align;
}

/* What an integer becomes in a record or a span's state: 64 bits of its sign. */
const struct type *plan_recorded(const struct type *t);
/* Lay out a map: its id, key and value. */
void plan_map(struct planner *pl, struct map *map);
/* plan_room.c: bytes of long values that `p` has in memory at the same time, after the maps were
 * laid out. Said when there is no room for them. */
uint32_t plan_room(struct planner *pl, struct probe *p);
/* The records that an expression or a block sends, and what the runtime must provide for it. */
void plan_expr(struct expr *e, void *planner);
void plan_block(struct planner *pl, struct block *b);
