/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perf records of mappings: see maptrack.h.
 *
 * A process that runs on several CPUs leaves its records in several rings, so they are collected,
 * sorted by time and then applied. Records younger than the start of a drain wait for the next one:
 * a process moves to another CPU only after its earlier record is complete, so what is older than
 * the drain's start has all been seen, whatever the order in which rings are read.
 * The events are for all processes, also when only one is traced: events of a thread would make the
 * kernel wait for RCU when they are opened (1 to 20 ms), follow threads rather than processes, and
 * slow each fork and switch of what is traced. What does not descend from a known process is left
 * out here.
 */
#define _GNU_SOURCE
#include "runtime/symbols/maptrack.h"
#include "runtime/base/clock.h"
#include "runtime/symbols/procmap.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { RING_BYTES = 64 * 1024, CPUS_MAX = 8192 };

struct pending {
	uint64_t time_ns;
	uint64_t order; /* as read: keeps the sort stable */
	struct perf_event_header *record;
};

struct maptrack {
	int *fds;
	struct perf_event_mmap_page **rings;
	int n;
	size_t page_bytes;
	bool only_known;
	struct pending *pending;
	size_t n_pending, capacity;
	uint64_t n_read, n_lost;
	char scratch[UINT16_MAX + 1]; /* a record that wraps around the ring's end */
};

/* The layouts behind perf_event_header. */
struct mmap2_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t address, length, file_offset;
	uint32_t major_number, minor_number;
	uint64_t inode, inode_generation;
	uint32_t protection, flags;
	char path[];
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct lost_record {
	struct perf_event_header header;
	uint64_t id, n;
};

/* What sample_id_all appends for PERF_SAMPLE_TID | PERF_SAMPLE_TIME. */
struct record_tail {
	uint32_t pid, tid;
	uint64_t time_ns;
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 4,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int open_cpu(struct maptrack *t, int cpu)
{
	void *ring;
	int err, fd = open_event(cpu);

	if (fd == -ENODEV)
		return 0; /* not online */
	if (fd < 0)
		return fd;
	ring = mmap(NULL, t->page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		err = -errno;
		close(fd);
		return err;
	}
	t->fds[t->n] = fd;
	t->rings[t->n++] = ring;
	return 0;
}

int maptrack_open(struct maptrack **out, bool only_known)
{
	long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct maptrack *t = calloc(1, sizeof(*t));
	int err = -ENOMEM;

	if (!t)
		return -ENOMEM;
	if (n_cpus < 1 || n_cpus > CPUS_MAX)
		n_cpus = 1;
	t->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	t->only_known = only_known;
	t->fds = calloc((size_t)n_cpus, sizeof(*t->fds));
	t->rings = calloc((size_t)n_cpus, sizeof(*t->rings));
	if (!t->fds || !t->rings)
		goto out;
	err = 0;
	for (int cpu = 0; cpu < n_cpus && !err; cpu++)
		err = open_cpu(t, cpu);
	if (!err && !t->n)
		err = -ENODEV;
out:
	if (err)
		maptrack_close(t);
	else
		*out = t;
	return err;
}

void maptrack_close(struct maptrack *t)
{
	if (!t)
		return;
	for (int i = 0; i < t->n; i++) {
		munmap(t->rings[i], t->page_bytes + RING_BYTES);
		close(t->fds[i]);
	}
	for (size_t i = 0; i < t->n_pending; i++)
		free(t->pending[i].record);
	free(t->pending);
	free(t->rings);
	free(t->fds);
	free(t);
}

int maptrack_fds(const struct maptrack *t, const int **fds)
{
	*fds = t->fds;
	return t->n;
}

/* ---- reading ---- */

static void collect(struct maptrack *t, const struct perf_event_header *record)
{
	struct record_tail tail;
	struct pending *all = t->pending;

	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(struct lost_record)) {
		t->n_lost += ((const struct lost_record *)record)->n;
		return;
	}
	if (record->size < sizeof(*record) + sizeof(tail))
		return;
	if (t->n_pending == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 64;

		all = realloc(all, capacity * sizeof(*all));
		if (!all) {
			t->n_lost++;
			return;
		}
		t->pending = all;
		t->capacity = capacity;
	}
	memcpy(&tail, (const char *)record + record->size - sizeof(tail), sizeof(tail));
	all += t->n_pending;
	*all = (struct pending){tail.time_ns, t->n_read++, malloc(record->size)};
	if (!all->record) {
		t->n_lost++;
		return;
	}
	memcpy(all->record, record, record->size);
	t->n_pending++;
}

static void read_ring(struct maptrack *t, struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + t->page_bytes;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail;

	while (tail < head) {
		size_t at = tail % RING_BYTES, room = RING_BYTES - at;
		/* Records are multiples of 8 bytes: a header never wraps. */
		const struct perf_event_header *record = (const void *)(data + at);
		size_t size = record->size;

		if (size < sizeof(*record) || size > head - tail) {
			tail = head; /* cannot be; do not spin on it */
			break;
		}
		if (size > room) {
			memcpy(t->scratch, record, room);
			memcpy(t->scratch + room, data, size - room);
			record = (const void *)t->scratch;
		}
		collect(t, record);
		tail += size;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* ---- applying ---- */

static void apply_mmap(struct procmap *maps, const struct mmap2_record *r, uint64_t time_ns)
{
	struct mapping m = {.start = r->address,
			    .end = r->address + r->length,
			    .file_offset = r->file_offset,
			    .seen_ns = time_ns};
	size_t room;

	if (r->header.size < sizeof(*r) + sizeof(struct record_tail))
		return;
	room = r->header.size - sizeof(*r) - sizeof(struct record_tail);
	if (strnlen(r->path, room) == room)
		return;
	procmap_mmap(maps, r->pid, &m, r->path, makedev(r->major_number, r->minor_number),
		     r->inode);
}

static void apply_task(struct procmap *maps, const struct task_record *r, uint64_t time_ns)
{
	if (r->header.size < sizeof(*r))
		return;
	if (r->header.type == PERF_RECORD_FORK)
		procmap_fork(maps, r->parent_pid, r->pid, time_ns);
	else if (r->pid == r->tid)
		procmap_exit(maps, r->pid, time_ns);
}

static void apply(struct maptrack *t, struct procmap *maps, const struct pending *p)
{
	const void *record = p->record;
	const struct comm_record *comm = record;

	switch (p->record->type) {
	case PERF_RECORD_MMAP2: apply_mmap(maps, record, p->time_ns); break;
	case PERF_RECORD_COMM:
		if (p->record->misc & PERF_RECORD_MISC_COMM_EXEC &&
		    p->record->size >= sizeof(*comm))
			procmap_exec(maps, comm->pid, p->time_ns, t->only_known);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: apply_task(maps, record, p->time_ns); break;
	}
}

static int compare_pending(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

uint64_t maptrack_drain(struct maptrack *t, struct procmap *maps)
{
	uint64_t now_ns = monotonic_ns(), lost;
	size_t n = 0;

	for (int i = 0; i < t->n; i++)
		read_ring(t, t->rings[i]);
	if (t->n_pending) {
		qsort(t->pending, t->n_pending, sizeof(*t->pending), compare_pending);
		for (; n < t->n_pending && t->pending[n].time_ns <= now_ns; n++) {
			apply(t, maps, &t->pending[n]);
			free(t->pending[n].record);
		}
		t->n_pending -= n;
		memmove(t->pending, t->pending + n, t->n_pending * sizeof(*t->pending));
	}
	lost = t->n_lost;
	t->n_lost = 0;
	if (lost)
		procmap_sweep(maps, now_ns);
	procmap_expire(maps, now_ns);
	return lost;
}
