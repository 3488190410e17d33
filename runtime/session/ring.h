/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of the ring that programs write records to. Its layout is struct sonde_ring and struct
 * sonde_record_head in bpf_helpers/shared.h; the writer is bpf_helpers/ring.bpf.c.
 *
 * Not a BPF ring buffer (kernel 5.8), because its two calls and its lock were a quarter of the cost
 * of a printf in the traced program.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "parser/plan/plan.h"

/* The layout of the array map that holds the ring. */
struct ring_layout {
	uint32_t bytes; /* of the ring, a power of two */
	uint32_t limit; /* less than bytes: the rest is reserved for simultaneous records */
	uint32_t segments;
	uint32_t segment_bytes;
	uint32_t element_bytes; /* of a map value: a segment and the longest record */
};

/* The layout for the plan's records on n_cpus CPUs: plan->needs.ring_bytes, or more when the
 * longest record requires it. */
struct ring_layout ring_layout(const struct plan *plan, uint32_t n_cpus);

struct ring;

/* Called for each record, which is valid until the call returns. Nonzero: stop after this one. */
typedef int (*ring_fn)(void *ctx, const void *record, size_t size);

/* Map the ring of map `fd`; `positions` is mapped already. `wake_fd` is the BPF ring buffer through
 * which writers wake the reader. The caller keeps it and polls it (POLLIN). NULL with errno when
 * something cannot be mapped. */
struct ring *ring_open(int fd, int wake_fd, const struct ring_layout *layout,
		       volatile struct sonde_ring *positions);
void ring_close(struct ring *r);

/* Call fn for all complete records in the order in which they were begun, including those that
 * arrive meanwhile, until fn stops or an incomplete record is reached. Space is released in parts
 * and at the end, not for each record, because writers read that position, and its cache line would
 * move between CPUs. 0, or -EOVERFLOW when writers overwrote unread records: the ring cannot be
 * read any more. */
int ring_consume(struct ring *r, ring_fn fn, void *ctx);

/* Is there a record that was begun but not read? */
bool ring_under_way(const struct ring *r);
