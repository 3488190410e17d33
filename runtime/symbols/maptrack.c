/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads perf records of mappings: see maptrack.h.
 *
 * Each CPU has its own ring, and a process that runs on several CPUs leaves records in several
 * rings. A drain collects the records of all rings, sorts them by time and then applies them.
 * Records that are younger than the start of the drain wait for the next one: a process moves to
 * another CPU only after its earlier record is complete, so all records older than the start have
 * been seen, regardless of the order in which the rings are read.
 *
 * The events cover all processes, even if only one is traced: per-thread events would make the
 * kernel wait for RCU when they are opened (1 to 20 ms), follow threads rather than processes, and
 * slow down every fork and context switch of the traced program. Records of processes that do not
 * descend from a known one are ignored here.
 *
 * All CPUs that are online at the start are followed, however many there are. One epoll descriptor
 * stands for all rings, so the session's loop polls the same number of descriptors on any machine.
 */
#include "runtime/symbols/maptrack.h"
#include "runtime/base/clock.h"
#include "runtime/base/cpu_list.h"
#include "runtime/symbols/procmap.h"
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { RING_BYTES = 64 * 1024 };

struct pending {
	uint64_t time_ns;
	uint64_t order; /* order of reading, which makes the sort stable */
	struct perf_event_header *record;
};

struct cpu_ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct maptrack {
	int epoll_fd;
	VEC(struct cpu_ring) rings;
	size_t page_bytes;
	bool only_known;
	VEC(struct pending) pending;
	uint64_t n_read, n_lost;
	maptrack_fn *observer; /* or NULL */
	void *observer_ctx;
	char scratch[UINT16_MAX + 1]; /* a record that wraps around the end of its ring */
};

/* Records as the kernel lays them out. */
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
	char comm[PROCMAP_COMM_BYTES]; /* shorter ones are padded to a multiple of 8 */
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

/* The end of each record, which sample_id_all appends for PERF_SAMPLE_TID | PERF_SAMPLE_TIME. */
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

static int map_ring(const struct maptrack *t, struct cpu_ring *r)
{
	struct epoll_event readable = {.events = EPOLLIN};
	void *page = mmap(NULL, t->page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			  r->fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	r->page = page;
	return epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, r->fd, &readable) ? -errno : 0;
}

static void close_ring(const struct maptrack *t, const struct cpu_ring *r)
{
	if (r->page)
		munmap(r->page, t->page_bytes + RING_BYTES);
	close(r->fd);
}

static int open_cpu(struct maptrack *t, uint32_t cpu)
{
	struct cpu_ring r = {.fd = open_event((int)cpu)};
	int err;

	if (r.fd == -ENODEV)
		return 0; /* the CPU has just gone offline */
	if (r.fd < 0)
		return r.fd;
	err = map_ring(t, &r) ?: vec_push(&t->rings, r);
	if (err)
		close_ring(t, &r);
	return err;
}

int maptrack_open_cpus(struct maptrack **out, const struct cpu_list *cpus, bool only_known)
{
	struct maptrack *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	t->only_known = only_known;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = t->epoll_fd < 0 ? -errno : 0;
	for (size_t i = 0; i < cpus->n && !err; i++)
		err = open_cpu(t, cpus->items[i]);
	if (!err && !t->rings.n)
		err = -ENODEV;
	if (err)
		maptrack_close(t);
	else
		*out = t;
	return err;
}

int maptrack_open(struct maptrack **out, bool only_known)
{
	struct cpu_list cpus = {0};
	int err = cpu_list_online(&cpus);

	if (!err)
		err = maptrack_open_cpus(out, &cpus, only_known);
	vec_free(&cpus);
	return err;
}

void maptrack_close(struct maptrack *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->rings.n; i++)
		close_ring(t, &t->rings.items[i]);
	for (size_t i = 0; i < t->pending.n; i++)
		free(t->pending.items[i].record);
	vec_free(&t->pending);
	vec_free(&t->rings);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	free(t);
}

void maptrack_observe(struct maptrack *t, maptrack_fn *fn, void *ctx)
{
	t->observer = fn;
	t->observer_ctx = ctx;
}

static void report(const struct maptrack *t, struct maptrack_event e)
{
	if (t->observer)
		t->observer(&e, t->observer_ctx);
}

int maptrack_fd(const struct maptrack *t)
{
	return t->epoll_fd;
}

/* ---- reading ---- */

static void collect(struct maptrack *t, const struct perf_event_header *record)
{
	struct pending p = {.order = t->n_read++};
	struct record_tail tail;

	if (record->type == PERF_RECORD_LOST && record->size >= sizeof(struct lost_record)) {
		t->n_lost += ((const struct lost_record *)record)->n;
		return;
	}
	if (record->size < sizeof(*record) + sizeof(tail))
		return;
	memcpy(&tail, (const char *)record + record->size - sizeof(tail), sizeof(tail));
	p.time_ns = tail.time_ns;
	p.record = malloc(record->size);
	if (p.record)
		memcpy(p.record, record, record->size);
	if (!p.record || vec_push(&t->pending, p)) {
		free(p.record);
		t->n_lost++;
	}
}

static void read_ring(struct maptrack *t, struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + t->page_bytes;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->data_tail;

	while (tail < head) {
		size_t at = tail % RING_BYTES, to_end = RING_BYTES - at;
		/* Record sizes are multiples of 8 bytes, so a header never wraps. */
		const struct perf_event_header *record = (const void *)(data + at);
		size_t size = record->size;

		if (size < sizeof(*record) || size > head - tail) {
			tail = head; /* this cannot happen; do not loop on it */
			break;
		}
		if (size > to_end) {
			memcpy(t->scratch, record, to_end);
			memcpy(t->scratch + to_end, data, size - to_end);
			record = (const void *)t->scratch;
		}
		collect(t, record);
		tail += size;
	}
	__atomic_store_n(&ring->data_tail, tail, __ATOMIC_RELEASE);
}

/* ---- applying ---- */

static void apply_mmap(const struct maptrack *t, struct procmap *maps, const struct mmap2_record *r,
		       uint64_t time_ns)
{
	struct mapping m = {.start = r->address,
			    .end = r->address + r->length,
			    .file_offset = r->file_offset,
			    .seen_ns = time_ns};
	size_t path_bytes;

	if (r->header.size < sizeof(*r) + sizeof(struct record_tail))
		return;
	path_bytes = r->header.size - sizeof(*r) - sizeof(struct record_tail);
	if (strnlen(r->path, path_bytes) == path_bytes)
		return;
	procmap_mmap(maps, r->pid, &m, r->path, makedev(r->major_number, r->minor_number),
		     r->inode);
	report(t, (struct maptrack_event){.kind = MAPTRACK_MMAP,
					  .is_file = r->inode,
					  .tgid = r->pid,
					  .start = m.start,
					  .end = m.end,
					  .time_ns = time_ns});
}

static void apply_exec(const struct maptrack *t, struct procmap *maps, const struct comm_record *r,
		       uint64_t time_ns)
{
	size_t head = offsetof(struct comm_record, comm), n;
	char comm[PROCMAP_COMM_BYTES] = "";

	if (!(r->header.misc & PERF_RECORD_MISC_COMM_EXEC) ||
	    r->header.size < head + sizeof(struct record_tail))
		return;
	n = r->header.size - head - sizeof(struct record_tail);
	memcpy(comm, r->comm, n < sizeof(comm) - 1 ? n : sizeof(comm) - 1);
	procmap_exec(maps, r->pid, time_ns, t->only_known, comm);
	report(t,
	       (struct maptrack_event){.kind = MAPTRACK_EXEC, .tgid = r->pid, .time_ns = time_ns});
}

static void apply_task(const struct maptrack *t, struct procmap *maps, const struct task_record *r,
		       uint64_t time_ns)
{
	if (r->header.size < sizeof(*r))
		return;
	if (r->header.type == PERF_RECORD_FORK) {
		procmap_fork(maps, r->parent_pid, r->pid, time_ns);
		if (r->parent_pid != r->pid)
			report(t, (struct maptrack_event){.kind = MAPTRACK_FORK,
							  .tgid = r->parent_pid,
							  .child = r->pid,
							  .time_ns = time_ns});
	} else if (r->pid == r->tid) {
		procmap_exit(maps, r->pid, time_ns);
		report(t, (struct maptrack_event){.kind = MAPTRACK_EXIT,
						  .tgid = r->pid,
						  .time_ns = time_ns});
	}
}

static void apply(const struct maptrack *t, struct procmap *maps, const struct pending *p)
{
	const void *record = p->record;

	switch (p->record->type) {
	case PERF_RECORD_MMAP2: apply_mmap(t, maps, record, p->time_ns); break;
	case PERF_RECORD_COMM: apply_exec(t, maps, record, p->time_ns); break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT: apply_task(t, maps, record, p->time_ns); break;
	}
}

COMPARE(compare_pending, struct pending, ORDER(a->time_ns, b->time_ns) ?: ORDER(a->order, b->order))

uint64_t maptrack_drain(struct maptrack *t, struct procmap *maps)
{
	uint64_t now_ns = monotonic_ns(), lost;
	struct pending *p;
	size_t n = 0;

	for (size_t i = 0; i < t->rings.n; i++)
		read_ring(t, t->rings.items[i].page);
	if (t->pending.n) {
		p = t->pending.items;
		qsort(p, t->pending.n, sizeof(*p), compare_pending);
		for (; n < t->pending.n && p[n].time_ns <= now_ns; n++) {
			apply(t, maps, &p[n]);
			free(p[n].record);
		}
		vec_remove(&t->pending, 0, n);
	}
	lost = t->n_lost;
	t->n_lost = 0;
	if (lost)
		procmap_sweep(maps, now_ns);
	procmap_expire(maps, now_ns);
	return lost;
}
