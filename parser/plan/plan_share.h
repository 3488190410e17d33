/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many probes may share a program: the kernel allows a program 64 maps, some of which are
 * sonde's own, and jumps over at most 32767 instructions.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct plan_map;
struct probe;

/* The maps that a program or a probe uses: the script's, one bit each, and states of spans. */
struct map_use {
	uint64_t maps[SONDE_MAX_MAPS / 64];
	uint32_t n_spans;
	uint32_t weight;			/* expressions: the length of the code */
	bool has_hits;				/* its program counts them */
	bool has_keys, has_records, has_stacks; /* so it uses some of sonde's own maps */
	bool has_scratch;			/* likewise */
	bool has_scope; /* likewise: it tests the scope, which for spans their start does */
};

/* The maps of each program so far, by plan->progs index. */
struct share {
	struct map_use *progs;
	uint32_t n;
};

/* Collect the maps that the predicate, body and entry() of `p` use. */
void share_collect(struct probe *p, const struct plan_map *maps, struct map_use *out);
struct diags;
/* Report a probe that has too many maps even for a program of its own. Maps that only codegen
 * knows of are left to the verifier. */
bool share_check(struct diags *d, const struct probe *p, const struct map_use *use);
/* True when the maps of both ends of a span fit into one program. */
bool share_fits_session(const struct map_use *use);
/* True when a probe that uses `use` fits into program `prog`. */
bool share_fits(const struct share *s, uint32_t prog, const struct map_use *use);
/* Add the probe's maps to program `prog`. */
void share_add(struct share *s, struct arena *a, uint32_t prog, const struct map_use *use);
