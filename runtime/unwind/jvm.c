/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java virtual machines of processes: see jvm.h.
 */
#include "runtime/unwind/jvm.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/unwind/hotspot.h"
#include "runtime/unwind/store.h"

/* How long a machine may start: its tables are not relocated, or there are no heaps yet. */
#define START_NS 10000000000u

enum state {
	READY,
	STARTS,	 /* it is being loaded, or has no code yet */
	REFUSED, /* it cannot be read: its frames are walked by frame pointers */
};

struct unwind_jvm {
	uint32_t refs;
	enum state state;
	uint64_t since_ns;	       /* when it was seen first */
	uint64_t start, device, inode; /* of the mapping of its code */
	uint32_t address;	       /* of the table in the store; 0: it is not there */
	struct unwind_hotspot table;
};

static bool is_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !strcmp(slash, "/libjvm.so");
}

static void read_table(struct unwind_store *store, uint32_t tgid, const struct proc_mapping *m,
		       struct unwind_jvm *j)
{
	int err = hotspot_read(tgid, m, &j->table);

	j->state = !err ? READY : monotonic_ns() - j->since_ns < START_NS ? STARTS : REFUSED;
	if (!err)
		j->address = unwind_store_add(store, &j->table, UNWIND_HOTSPOT_WORDS);
	if (j->state == READY && !j->address)
		j->state = REFUSED;
	if (j->state == REFUSED)
		log_verbose("unwind: process %u: %s: frames of Java are walked by frame pointers: "
			    "%s",
			    tgid, m->path, err ? strerror(-err) : "the store is full");
}

int unwind_jvm_note(struct unwind_store *store, uint32_t tgid, const struct proc_mapping *m,
		    struct unwind_jvm *old, struct unwind_jvm **jvm)
{
	struct unwind_jvm *j = old;
	bool is_same;

	if (*jvm || !m->inode || !is_library(m->path))
		return 0;
	is_same = j && j->start == m->start && j->device == m->device && j->inode == m->inode;
	if (is_same && j->state != STARTS) {
		j->refs++;
		*jvm = j;
		return 0;
	}
	j = calloc(1, sizeof(*j));
	if (!j)
		return -ENOMEM;
	*j = (struct unwind_jvm){.refs = 1,
				 .start = m->start,
				 .device = m->device,
				 .inode = m->inode,
				 .since_ns = is_same ? old->since_ns : monotonic_ns()};
	read_table(store, tgid, m, j);
	*jvm = j;
	return 0;
}

void unwind_jvm_keep(struct unwind_jvm **kept, struct unwind_jvm **newer)
{
	struct unwind_jvm *j = *kept;

	*kept = *newer;
	*newer = j;
}

void unwind_jvm_release(struct unwind_store *store, struct unwind_jvm *jvm)
{
	if (!jvm || --jvm->refs)
		return;
	unwind_store_drop(store, jvm->address, UNWIND_HOTSPOT_WORDS);
	free(jvm);
}

/* ---- ranges --------------------------------------------------------------------------------- */

/* Add the parts of a range that are in heaps, and those that are not. `next`: where the next range
 * starts. */
static int mark(struct unwind_ranges *out, struct unwind_range r, uint64_t next,
		const struct unwind_hotspot *h, uint32_t at)
{
	int err = 0;

	for (uint32_t i = 0; i < h->n_heaps && !err; i++) {
		const struct hotspot_heap *heap = &h->heaps[i];
		struct unwind_range part = r;

		if (r.start >= heap->end || r.end <= heap->low)
			continue;
		part.start = r.start > heap->low ? r.start : heap->low;
		part.end = heap->end < next ? heap->end : next;
		part.origin = at;
		part.flags |= UNWIND_RANGE_HOTSPOT | i << UNWIND_RANGE_HEAP_BIT;
		err = unwind_directory_add_plain(r.start, part.start, r.flags, out);
		if (!err)
			err = out->n < UNWIND_RANGES ? vec_push(out, part) : -E2BIG;
		r.start = part.end;
	}
	return err ?: unwind_directory_add_plain(r.start, r.end, r.flags, out);
}

int unwind_jvm_mark(const struct unwind_jvm *jvm, struct unwind_ranges *ranges)
{
	struct unwind_ranges out = {0};
	int err = 0;

	if (!jvm || jvm->state == REFUSED)
		return 0;

	for (size_t i = 0; i < ranges->n && !err; i++) {
		const struct unwind_range *r = &ranges->items[i];
		uint64_t next = i + 1 < ranges->n ? r[1].start : UINT64_MAX;

		if (!(r->flags & UNWIND_RANGE_ANONYMOUS))
			err = vec_push(&out, *r);
		else if (jvm->state == READY)
			err = mark(&out, *r, next, &jvm->table, jvm->address);
	}
	vec_free(ranges);
	*ranges = out;
	return err;
}
