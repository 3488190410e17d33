/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of the ring that programs write records to: struct sonde_ring and sonde_record_head in
 * bpf_helpers/shared.h say how it is laid out, bpf_helpers/ring.bpf.c writes.
 *
 * Why not a BPF ring buffer (kernel 5.8) and libbpf's reader: its two calls and its lock were a
 * quarter of what a printf costs the traced program.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "parser/plan/plan.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the array map that holds the ring. */
struct ring_layout {
	uint32_t bytes; /* of the ring, a power of two */
	uint32_t limit; /* less: room for records that are begun at the same time */
	uint32_t segments;
	uint32_t segment_bytes;
	uint32_t element_bytes; /* of the map's value: a segment and the longest record */
};

/* What the plan's records need on so many CPUs: plan->needs.ring_bytes or, where the longest record
 * asks for it, more. */
struct ring_layout ring_layout(const struct plan *plan, uint32_t n_cpus);

struct ring;

/* Called for each record, which lives until the call returns. Else than 0: stop after this one. */
typedef int (*ring_fn)(void *ctx, const void *record, size_t size);

/* The ring in the map of descriptor `fd`, its positions in `positions`, mapped too. `wake_fd` is
 * the BPF ring buffer by which writers wake the reader; it stays the caller's, who polls it
 * (POLLIN). NULL and errno if something cannot be mapped. */
struct ring *ring_open(int fd, int wake_fd, const struct ring_layout *layout,
		       volatile struct sonde_ring *positions);
void ring_close(struct ring *r);

/* All records that are there and complete, in the order they were begun in, and those that come
 * meanwhile, until fn stops it. A record under way ends it: what is behind it waits for the next
 * time. Room is given back at the end, and before that every so often: writers read that position,
 * so for each record it would go from CPU to CPU.
 * 0, or -EOVERFLOW when writers have taken what was not free: nothing can be read any more. */
int ring_consume(struct ring *r, ring_fn fn, void *ctx);

/* Is there a record that has been begun and not been read? */
bool ring_under_way(const struct ring *r);
