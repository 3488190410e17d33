/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of maps: read in batches where the kernel has them, per-CPU values merged over all
 * possible CPUs, entries of other epochs left out, rows sorted as spec/cli.md says.
 */
#pragma once
#include "runtime/output/view.h"

struct map_snapshot {
	uint32_t n_rows;
	uint8_t *keys;	  /* hashes: n_rows * plan_map.key_size, as in the kernel (epoch first) */
	uint64_t *values; /* aggregations: n_rows * plan_map.n_words merged words; else NULL */
	uint8_t *value_bytes; /* plain values: n_rows * plan_map.value_size; else NULL */
};

/* Read the entries of `epoch` and earlier ones down to `oldest` (arrays: of the slots of those). A
 * key found in several epochs is one row: aggregations add up, of plain values the newest counts.
 * 0 or -errno, *out then untouched. Free with map_snapshot_free. */
int map_snapshot_read(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch,
		      struct map_snapshot *out);
void map_snapshot_free(struct map_snapshot *s);
/* For print(@x) of a keyless map: a row of zeros when it was never written. 0 or -errno. */
int map_snapshot_add_zero(const struct plan_map *m, struct map_snapshot *s);
/* Delete the entries of epochs before `epoch` (arrays: zero the slots of oldest … epoch - 1).
 * 0 or -errno. */
int map_delete_before(const struct plan_map *m, int fd, uint32_t oldest, uint32_t epoch);
/* Give the keys of `s` a value of 0 in `epoch`, where they have none. 0 or -errno. */
int map_insert_zeros(const struct plan_map *m, int fd, const struct map_snapshot *s,
		     uint32_t epoch);
/* view_merge.c: rows of an aggregation whose keys show the same become one. 0 or -errno. */
int map_snapshot_merge(const struct plan_map *m, struct map_snapshot *s,
		       struct stack_source *stacks);
/* Sort and make views: everything in *out is allocated in one block freed by view_map_free; string
 * views point into the snapshot, which must live as long. 0 or -errno. */
int view_map_make(const struct plan_map *m, const struct map_snapshot *s,
		  struct stack_source *stacks, struct view_map *out);
/* print(@m, top, div): keep the last `top` rows (0: all), divide their values (0 and 1: not). */
void view_map_limit(struct view_map *v, uint32_t top, uint64_t divisor);
void view_map_free(struct view_map *v);
