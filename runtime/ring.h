/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a BPF ring buffer (BPF_MAP_TYPE_RINGBUF, kernel 5.8; the layout is that of
 * kernel/bpf/ringbuf.c and of bpf(2)'s mmap: a page that the reader writes, a page that the kernel
 * writes, the data twice in a row, so that no record is cut by the end).
 *
 * Why not libbpf's reader: it tells the kernel of each record that it is done with. Every probe
 * reads that position, so it went from CPU to CPU for each event. Here room is given back in
 * pieces.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct ring;

/* Called for each record, which lives until the call returns. Else than 0: stop after this one. */
typedef int (*ring_fn)(void *ctx, const void *record, size_t size);

/* A ring buffer of `bytes`, a power of two in pages, by its map's descriptor, which stays the
 * caller's and can be polled (POLLIN: something is there). NULL and errno if it cannot be mapped. */
struct ring *ring_open(int fd, uint32_t bytes);
void ring_close(struct ring *r);

/* All records that are there and complete, in the order they were reserved in, and those that come
 * meanwhile, until fn stops it. A record under way ends it: what is behind it waits for the next
 * time. Room is given back at the end, and before that every so often. */
void ring_consume(struct ring *r, ring_fn fn, void *ctx);
