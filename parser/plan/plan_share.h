/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many probes may share a program: the kernel lets one use 64 maps, a few of which are ours,
 * and jump over 32767 instructions.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct plan_map;
struct probe;

/* Maps that a program, or one probe, uses: the script's, a bit each, and states of spans. */
struct map_use {
	uint64_t maps[SONDE_MAX_MAPS / 64];
	uint32_t n_spans;
	uint32_t weight;			/* expressions: how long the code is */
	bool has_keys, has_records, has_stacks; /* so it uses maps of ours */
	bool has_scratch;			/* likewise */
	bool has_scope; /* likewise: it tests the scope, not the start of its span; the planner's */
};

/* What is in each program so far, by plan->progs index. */
struct share {
	struct map_use *progs;
	uint32_t n;
};

/* The maps that predicate, body and entry() of `p` name; every probe of it has a span's state or
 * none. */
void share_collect(struct probe *p, const struct plan_map *maps, struct map_use *out);
struct diags;
/* Does the probe fit into a program alone? Said when not. What the kernel counts too and only
 * codegen knows is left to the verifier. */
bool share_check(struct diags *d, const struct probe *p, const struct map_use *use);
/* Do the maps of both ends of its span fit into one program? */
bool share_fits_session(const struct map_use *use);
/* True when a probe that uses `use` fits into program `prog`. */
bool share_fits(const struct share *s, uint32_t prog, const struct map_use *use);
/* Put it in. */
void share_add(struct share *s, struct arena *a, uint32_t prog, const struct map_use *use);
