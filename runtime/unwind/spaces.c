/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces: see spaces.h.
 *
 * A BPF program that meets an unknown address stores the time in `asked`, and sends a record. It
 * asks again a second later, or when `asked` is 0 again. If reading the mappings brings nothing
 * new, `asked` is reset later: after 100 ms at first, doubled up to UNWIND_READ_MAX_MS. So a
 * process whose stacks lead nowhere costs next to nothing.
 */
#include "runtime/unwind/spaces.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/unwind/files.h"
#include "runtime/unwind/jvm.h"
#include "runtime/unwind/store.h"
#include <signal.h>

enum { BACKOFF_MS = 100, MMAP_DELAY_MS = 2, MMAP_MS = 100 };
#define MS 1000000ull

/* What a process has mapped: an array of ranges in the store, and the files that these refer to. A
 * forked child shares its parent's layout until the mappings of one of the two are read again. */
struct layout {
	uint32_t refs;
	uint32_t address; /* address of the ranges; 0: there are none */
	uint32_t n;
	VEC(struct unwind_binary *) binaries;
	struct unwind_jvm *jvm; /* or NULL */
	uint32_t v8;		/* word address; 0: none */
};

struct space {
	/* ordered by the time at which a program asked last, the oldest first */
	TAILQ_ENTRY(space) link;
	TAILQ_ENTRY(space) due;
	uint32_t tgid, exec_id;
	struct layout *layout; /* NULL: its mappings were not read */
	uint64_t read_ns;      /* when the last reading began */
	uint64_t next_read_ns; /* the next reading may not begin before */
	uint64_t due_ns;       /* when there is something to do; 0: never */
	uint32_t backoff_ms;   /* delay after a reading that brought nothing new */
	bool is_asked;	       /* a BPF program has asked, and should not ask again yet */
	bool is_dirty;	       /* its mappings are to be read again when it is due */
};

TAILQ_HEAD(space_list, space);
HASH_TABLE(space_table, struct space *);

struct unwind_spaces {
	struct unwind_store *store;
	struct unwind_files *files;
	struct space_table table;
	struct space_list all, due;
	const struct space *busy; /* this process is being read, and may not be dropped */
	uint32_t max;
	uint64_t n_evicted;
};

HASH_INTEGER_FUNCTIONS(space_table, struct space *, uint32_t, hash_u32, (*e)->tgid, *e)

static struct space *find(const struct unwind_spaces *s, uint32_t tgid)
{
	struct space **found = space_table_find(&s->table, tgid);

	return found ? *found : NULL;
}

/* ---- layouts ------------------------------------------------------------------------------- */

static void layout_release(struct unwind_spaces *s, struct layout *l)
{
	if (!l || --l->refs)
		return;
	for (size_t i = 0; i < l->binaries.n; i++)
		unwind_files_release(s->files, l->binaries.items[i]);
	unwind_store_drop(s->store, l->address, l->n * UNWIND_RANGE_WORDS);
	unwind_jvm_release(s->store, l->jvm);
	vec_free(&l->binaries);
	free(l);
}

struct reading {
	struct unwind_files *files;
	struct unwind_store *store;
	const struct space *space; /* what is known of the process */
	struct layout *layout;
	struct unwind_ranges ranges;
	uint32_t n_mappings;
};

static int add_mapping(const struct proc_mapping *m, void *ctx)
{
	bool is_vdso = strcmp(m->path, "[vdso]") == 0;
	bool is_kernels = is_vdso || strcmp(m->path, "[vsyscall]") == 0;
	uint32_t flags = is_kernels ? UNWIND_RANGE_FIXED : m->inode ? 0 : UNWIND_RANGE_ANONYMOUS;
	const struct unwind_range *directory;
	struct unwind_binary *b = NULL;
	struct reading *r = ctx;
	const struct space *p = r->space;
	size_t n, first = r->ranges.n;
	int err;

	r->n_mappings++;
	if (!m->is_executable)
		return 0;
	if (m->inode)
		b = unwind_files_of_mapping(r->files, p->tgid, m);
	else if (is_vdso)
		b = unwind_files_vdso(r->files, p->tgid, m);
	if (!b)
		return unwind_directory_add_plain(m->start, m->end, flags, &r->ranges);
	if (unwind_jvm_note(r->store, p->tgid, m, p->read_ns, p->layout ? p->layout->jvm : NULL,
			    &r->layout->jvm) ||
	    vec_push(&r->layout->binaries, b)) {
		unwind_files_release(r->files, b);
		return -ENOMEM;
	}
	r->layout->v8 = r->layout->v8 ?: unwind_files_v8(b);
	directory = unwind_files_ranges(b, &n);
	err = unwind_directory_map(directory, n, m->start, m->end, m->file_offset, &r->ranges);
	for (size_t i = first; i < r->ranges.n; i++)
		r->ranges.items[i].flags |= flags;
	return err;
}

/* Read the mappings of a process, and compile files that are new. *out is a new layout, or NULL if
 * that of the process (which may be NULL) has not changed. Returns 0 or -errno; -ESRCH or -ENOENT:
 * the process has ended. */
static int layout_read(struct unwind_spaces *s, const struct space *p, struct layout **out)
{
	struct reading r = {.files = s->files,
			    .store = s->store,
			    .space = p,
			    .layout = calloc(1, sizeof(*r.layout))};
	const struct layout *old = p->layout;
	bool changed = false;
	uint32_t n;
	int err;

	*out = NULL;
	if (!r.layout)
		return -ENOMEM;
	r.layout->refs = 1;
	err = proc_maps_each(p->tgid, add_mapping, &r);
	if (err == -E2BIG) { /* the ranges beyond are walked by frame pointers */
		log_verbose("unwind: process %u has too many executable mappings", p->tgid);
		err = 0;
	}
	err = err ?: r.n_mappings ? unwind_jvm_mark(r.layout->jvm, &r.ranges) : -ESRCH; /* zombie */
	n = (uint32_t)r.ranges.n;
	if (!err && (!old || old->n != n ||
		     (n && memcmp(unwind_store_at(s->store, old->address), r.ranges.items,
				  n * sizeof(*r.ranges.items)) != 0))) {
		r.layout->address =
			unwind_store_add(s->store, r.ranges.items, n * UNWIND_RANGE_WORDS);
		changed = !n || r.layout->address;
		r.layout->n = changed ? n : 0;
		err = changed ? 0 : -ENOSPC;
	}
	vec_free(&r.ranges);
	if (!changed && !err) /* so there is an old layout */
		unwind_jvm_keep(&p->layout->jvm, &r.layout->jvm);
	if (changed)
		*out = r.layout;
	else
		layout_release(s, r.layout);
	return err;
}

/* ---- spaces -------------------------------------------------------------------------------- */

static void set_due(struct unwind_spaces *s, struct space *p, uint64_t due_ns)
{
	if (p->due_ns && !due_ns)
		TAILQ_REMOVE(&s->due, p, due);
	else if (!p->due_ns && due_ns)
		TAILQ_INSERT_TAIL(&s->due, p, due);
	p->due_ns = due_ns;
}

static void drop(struct unwind_spaces *s, struct space *p, bool from_programs)
{
	if (from_programs)
		unwind_store_remove_space(s->store, p->tgid);
	set_due(s, p, 0);
	TAILQ_REMOVE(&s->all, p, link);
	space_table_remove(&s->table, p->tgid);
	layout_release(s, p->layout);
	free(p);
}

bool unwind_spaces_shrink(struct unwind_spaces *s)
{
	struct space *p = TAILQ_FIRST(&s->all);

	while (p && p == s->busy)
		p = TAILQ_NEXT(p, link);
	if (!p)
		return false;
	s->n_evicted++;
	drop(s, p, true);
	return true;
}

/* The space of a process, which is added if it is not known. NULL: no memory. */
static struct space *get(struct unwind_spaces *s, uint32_t tgid)
{
	struct space *p = find(s, tgid);

	if (p) {
		TAILQ_REMOVE(&s->all, p, link);
		TAILQ_INSERT_TAIL(&s->all, p, link);
		return p;
	}
	if (s->table.n >= s->max)
		unwind_spaces_shrink(s);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct space){.tgid = tgid, .exec_id = UNWIND_ANY_EXEC};
	if (space_table_insert(&s->table, p)) {
		free(p);
		return NULL;
	}
	TAILQ_INSERT_TAIL(&s->all, p, link);
	return p;
}

static int publish(struct unwind_spaces *s, const struct space *p)
{
	struct unwind_space space = {.exec_id = p->exec_id, .read_ns = p->read_ns};

	if (p->is_asked)
		space.asked = UNWIND_ASKED_NOW(monotonic_ns());
	if (p->layout) {
		space.ranges = p->layout->address;
		space.n_ranges = p->layout->n;
		space.v8 = p->layout->v8;
	}
	return unwind_store_set_space(s->store, p->tgid, &space);
}

/* After a reading: when may the process be read again, and may programs ask now? */
static void limit_rate(struct unwind_spaces *s, struct space *p, bool changed)
{
	uint32_t least = p->backoff_ms ? 2 * p->backoff_ms : BACKOFF_MS;

	p->backoff_ms = changed ? 0 : least < UNWIND_READ_MAX_MS ? least : UNWIND_READ_MAX_MS;
	p->next_read_ns = p->read_ns + (changed ? UNWIND_READ_MIN_MS : p->backoff_ms) * MS;
	p->is_asked = p->is_asked && !changed;
	p->is_dirty = false;
	set_due(s, p, p->is_asked ? p->next_read_ns : 0);
}

/* Read the mappings of a process and publish them. Drops the process if it has ended. */
static int read_space(struct unwind_spaces *s, struct space *p)
{
	struct layout *fresh = NULL, *old = p->layout;
	bool changed;
	int err;

	p->read_ns = monotonic_ns();
	s->busy = p;
	err = layout_read(s, p, &fresh);
	if (!err)
		err = unwind_files_publish(s->files);
	s->busy = NULL;
	if (err == -ESRCH || err == -ENOENT) {
		drop(s, p, true);
		return err;
	}
	if (err)
		log_verbose("unwind: cannot read process %u: %s", p->tgid, strerror(-err));
	changed = fresh && !err;
	if (changed)
		p->layout = fresh;
	limit_rate(s, p, changed);
	err = publish(s, p) ?: err;
	layout_release(s, changed ? old : fresh);
	return err;
}

int unwind_spaces_add(struct unwind_spaces *s, uint32_t tgid)
{
	struct space *p = get(s, tgid);

	return p ? read_space(s, p) : -ENOMEM;
}

void unwind_spaces_ask(struct unwind_spaces *s, uint32_t tgid, uint32_t exec_id)
{
	struct space *p = get(s, tgid);

	if (!p)
		return;
	if (p->exec_id != UNWIND_ANY_EXEC && p->exec_id != exec_id) {
		/* the new layout has replaced the published one */
		layout_release(s, p->layout);
		p->layout = NULL;
		p->next_read_ns = 0;
		p->backoff_ms = 0;
	}
	p->is_asked = true;
	if (monotonic_ns() < p->next_read_ns) {
		set_due(s, p, p->next_read_ns);
		return;
	}
	p->exec_id = exec_id;
	read_space(s, p);
}

/* ---- changes ------------------------------------------------------------------------------- */

/* Does a known range overlap [start, end)? Anonymous memory over anonymous memory does not
 * count. */
static bool overlaps(const struct unwind_spaces *s, const struct layout *l, uint64_t start,
		     uint64_t end, bool is_file)
{
	const struct unwind_range *r = l->n ? unwind_store_at(s->store, l->address) : NULL;

	for (uint32_t i = 0; i < l->n; i++)
		if (r[i].start < end && r[i].end > start &&
		    (is_file || !(r[i].flags & UNWIND_RANGE_ANONYMOUS)))
			return true;
	return false;
}

void unwind_spaces_mmap(struct unwind_spaces *s, uint32_t tgid, uint64_t start, uint64_t end,
			bool is_file, uint64_t time_ns)
{
	struct space *p = find(s, tgid);
	uint64_t due_ns = monotonic_ns() + MMAP_DELAY_MS * MS; /* more libraries may follow */
	uint64_t least_ns;
	bool is_stale;

	if (!p || !p->layout || p->read_ns > time_ns)
		return;
	is_stale = overlaps(s, p->layout, start, end, is_file);
	if (!is_file && !is_stale) /* JIT compilers do that all the time: programs will ask */
		return;
	least_ns = p->read_ns + (is_stale ? UNWIND_READ_MIN_MS : MMAP_MS) * MS;
	due_ns = due_ns > least_ns ? due_ns : least_ns;
	if (p->is_dirty && p->due_ns <= due_ns)
		return;
	p->is_dirty = true;
	set_due(s, p, due_ns);
}

void unwind_spaces_exec(struct unwind_spaces *s, uint32_t tgid, uint64_t time_ns)
{
	struct space *p = find(s, tgid);

	if (p && p->read_ns <= time_ns)
		drop(s, p, true);
}

void unwind_spaces_fork(struct unwind_spaces *s, uint32_t parent, uint32_t child, uint64_t time_ns)
{
	const struct space *from = find(s, parent);
	struct space *to = find(s, child);

	if (parent == child || (to && to->read_ns > time_ns))
		return;
	if (to)
		drop(s, to, true);
	if (!from || !from->layout || from->is_dirty || from->read_ns > time_ns)
		return; /* the child may have fewer mappings by now: programs will ask for them */
	to = get(s, child);
	if (!to)
		return;
	to->exec_id = from->exec_id;
	to->layout = from->layout;
	to->layout->refs++;
	to->read_ns = time_ns;
	/* a program may have asked before */
	to->next_read_ns = monotonic_ns() + UNWIND_READ_MIN_MS * MS;
	if (publish(s, to))
		drop(s, to, true);
}

/* ---- time ---------------------------------------------------------------------------------- */

uint64_t unwind_spaces_due(const struct unwind_spaces *s)
{
	uint64_t due_ns = UINT64_MAX;
	const struct space *p;

	TAILQ_FOREACH(p, &s->due, due)
	due_ns = p->due_ns < due_ns ? p->due_ns : due_ns;
	return due_ns;
}

/* A process that is due: read what has changed, or let programs ask again. */
static void work_on(struct unwind_spaces *s, struct space *p)
{
	if (p->is_dirty) {
		read_space(s, p);
		return;
	}
	p->is_asked = false;
	set_due(s, p, 0);
	if (publish(s, p))
		drop(s, p, true);
}

void unwind_spaces_work(struct unwind_spaces *s)
{
	uint64_t now_ns = monotonic_ns();
	struct space *p = TAILQ_FIRST(&s->due);

	while (p) {
		if (p->due_ns > now_ns) {
			p = TAILQ_NEXT(p, due);
			continue;
		}
		work_on(s, p);
		p = TAILQ_FIRST(&s->due); /* reading may have dropped other processes */
	}
}

static bool has_ended(uint32_t tgid)
{
	return kill((pid_t)tgid, 0) && errno == ESRCH;
}

/* Read a process again: at once if BPF programs would not notice an execve(), else in turn. */
static void read_later(struct unwind_spaces *s, struct space *p, uint32_t turn)
{
	uint64_t delay_ms = p->exec_id == UNWIND_ANY_EXEC ? 0 : MMAP_MS + turn * UNWIND_READ_MIN_MS;

	if (!p->layout || p->is_dirty)
		return;
	p->is_dirty = true;
	set_due(s, p, monotonic_ns() + delay_ms * MS);
}

void unwind_spaces_check(struct unwind_spaces *s, bool lost)
{
	struct space *p = TAILQ_FIRST(&s->all), *next;
	uint32_t tgid = 0;
	uint32_t turn = 0;
	bool more;

	for (; p; p = next) {
		next = TAILQ_NEXT(p, link);
		if (has_ended(p->tgid))
			drop(s, p, true);
		else if (lost)
			read_later(s, p, turn++);
	}
	for (more = unwind_store_next_space(s->store, true, &tgid); more;) {
		uint32_t after = tgid;

		more = unwind_store_next_space(s->store, false, &after);
		if (!find(s, tgid) && has_ended(tgid))
			unwind_store_remove_space(s->store, tgid);
		tgid = after;
	}
}

/* ---- all of them --------------------------------------------------------------------------- */

struct unwind_spaces *unwind_spaces_new(struct unwind_store *store, struct unwind_files *files,
					uint32_t max)
{
	struct unwind_spaces *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct unwind_spaces){.store = store, .files = files, .max = max ? max : 1};
	TAILQ_INIT(&s->all);
	TAILQ_INIT(&s->due);
	return s;
}

void unwind_spaces_free(struct unwind_spaces *s)
{
	struct space *p;

	while (s && (p = TAILQ_FIRST(&s->all)))
		drop(s, p, false);
	if (s)
		hash_free(&s->table);
	free(s);
}

bool unwind_spaces_has(const struct unwind_spaces *s, uint32_t tgid)
{
	return find(s, tgid) != NULL;
}

uint32_t unwind_spaces_count(const struct unwind_spaces *s)
{
	return (uint32_t)s->table.n;
}

uint64_t unwind_spaces_evicted(const struct unwind_spaces *s)
{
	return s->n_evicted;
}
