/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Java virtual machines of processes: see jvm.h.
 */
#include "runtime/unwind/jvm.h"
#include "runtime/base/log.h"
#include "runtime/unwind/hotspot.h"
#include "runtime/unwind/store.h"

/* How long a machine may start: its tables are not relocated, or there are no heaps yet. */
#define START_NS 10000000000u
/* It may add heaps for so long after the first. */
#define SETTLE_NS 1000000000u

enum state {
	READY,
	SETTLES, /* it may get more heaps: it is to be read again */
	STARTS,	 /* it is being loaded, or has no code yet */
	REFUSED, /* it cannot be read: its frames are walked by frame pointers */
};

struct unwind_jvm {
	uint32_t refs;
	enum state state;
	uint64_t since_ns;	       /* when it was seen first */
	uint64_t read_ns;	       /* when it was read first; 0: not yet */
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
		       uint64_t now_ns, struct unwind_jvm *j)
{
	int err = hotspot_read(tgid, m, &j->table);

	if (!err)
		j->address = unwind_store_add(store, &j->table, UNWIND_HOTSPOT_WORDS);
	if (!err && !j->read_ns)
		j->read_ns = now_ns;
	if (err)
		j->state = now_ns - j->since_ns < START_NS ? STARTS : REFUSED;
	else if (!j->address)
		j->state = REFUSED;
	else
		j->state = now_ns - j->read_ns < SETTLE_NS ? SETTLES : READY;
	if (j->state == REFUSED)
		log_verbose("unwind: process %u: %s: frames of Java are walked by frame pointers: "
			    "%s",
			    tgid, m->path, err ? strerror(-err) : "the store is full");
}

int unwind_jvm_note(struct unwind_store *store, uint32_t tgid, const struct proc_mapping *m,
		    uint64_t now_ns, struct unwind_jvm *old, struct unwind_jvm **jvm)
{
	struct unwind_jvm *j = old;
	bool is_same;

	if (*jvm || !m->inode || !is_library(m->path))
		return 0;
	is_same = j && j->start == m->start && j->device == m->device && j->inode == m->inode;
	if (is_same && (j->state == READY || j->state == REFUSED)) {
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
				 .since_ns = is_same ? old->since_ns : now_ns,
				 .read_ns = is_same ? old->read_ns : 0};
	read_table(store, tgid, m, now_ns, j);
	if (is_same && old->state == SETTLES &&
	    (!j->address || !memcmp(&j->table, &old->table, sizeof(j->table)))) {
		if (now_ns - old->read_ns >= SETTLE_NS)
			old->state = READY;
		old->refs++;
		unwind_jvm_release(store, j);
		j = old;
	}
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

/* Add what is in no heap, if there will be no more heaps. */
static int add_rest(const struct unwind_jvm *jvm, const struct unwind_range *r, uint64_t end,
		    struct unwind_ranges *out)
{
	return jvm->state == READY ? unwind_directory_add_plain(r->start, end, r->flags, out) : 0;
}

/* Add the parts of a range that are in heaps, and those that are not. `next`: where the next range
 * starts. */
static int mark(struct unwind_ranges *out, struct unwind_range r, uint64_t next,
		const struct unwind_jvm *jvm)
{
	const struct unwind_hotspot *h = &jvm->table;
	int err = 0;

	for (uint32_t i = 0; i < h->n_heaps && !err; i++) {
		const struct hotspot_heap *heap = &h->heaps[i];
		struct unwind_range part = r;

		if (r.start >= heap->end || r.end <= heap->low)
			continue;
		part.start = r.start > heap->low ? r.start : heap->low;
		part.end = heap->end < next ? heap->end : next;
		part.origin = jvm->address;
		part.flags |= UNWIND_RANGE_HOTSPOT | i << UNWIND_RANGE_HEAP_BIT;
		err = add_rest(jvm, &r, part.start, out);
		if (!err)
			err = out->n < UNWIND_RANGES ? vec_push(out, part) : -E2BIG;
		r.start = part.end;
	}
	return err ?: add_rest(jvm, &r, r.end, out);
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
		else if (jvm->state != STARTS)
			err = mark(&out, *r, next, jvm);
	}
	if (err == -E2BIG) {
		vec_free(&out);
		log_verbose("unwind: a Java virtual machine has too many executable mappings: its "
			    "frames are walked by frame pointers");
		return 0;
	}
	vec_free(ranges);
	*ranges = out;
	return err;
}
