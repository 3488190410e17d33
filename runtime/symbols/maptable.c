/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping tables and their files: see maptable.h.
 */
#include "runtime/symbols/maptable.h"
#include "parser/base/text.h"
#include "runtime/base/proc_maps.h"
#include <unistd.h>

/* ---- files ---- */

struct file_id {
	uint64_t device, inode;
	const char *path;
};

static struct file_id id_of(const struct mapfile *f)
{
	return (struct file_id){f->device, f->inode, f->path};
}

HASH_FUNCTIONS(mapfile_table, struct mapfile *, struct file_id,
	       hash_string(key.path) ^ hash_u64(key.inode ^ key.device << 32),
	       a.device == b.device && a.inode == b.inode && strcmp(a.path, b.path) == 0, id_of(*e),
	       *e)

static struct mapfile *acquire_file(struct mapfiles *files, uint64_t device, uint64_t inode,
				    const char *path)
{
	struct mapfile **found, *f;
	size_t size = strlen(path) + 1;

	found = mapfile_table_find(&files->table, (struct file_id){device, inode, path});
	if (found) {
		(*found)->refs++;
		return *found;
	}
	f = calloc(1, sizeof(*f) + size);
	if (!f)
		return NULL;
	f->device = device;
	f->inode = inode;
	f->refs = 1;
	f->pinned_fd = -1;
	memcpy(f->path, path, size);
	if (!mapfile_table_insert(&files->table, f))
		return f;
	free(f);
	return NULL;
}

static void mapfile_release(struct mapfiles *files, struct mapfile *f)
{
	if (--f->refs)
		return;
	mapfile_table_remove(&files->table, id_of(f));
	if (f->pinned_fd >= 0) {
		close(f->pinned_fd);
		files->n_pinned--;
	}
	free(f);
}

bool mapfile_is_memory(const struct mapfile *f)
{
	static const char *const names[] = {"[anon", "/memfd:", "/dev/zero", "/anon_hugepage",
					    "/SYSV", "[heap]",	"[stack]",   "/dev/shm/"};

	return TEXT_PREFIX(names, f->path);
}

struct mapfile *const *mapfiles_next(const struct mapfiles *files, struct mapfile *const *f)
{
	return mapfile_table_next(&files->table, f);
}

void mapfiles_free(struct mapfiles *files)
{
	hash_free(&files->table);
}

/* ---- tables ---- */

void maptable_release(struct mapfiles *files, struct maptable *t)
{
	if (!t || --t->refs)
		return;
	for (uint32_t i = 0; i < t->n; i++)
		mapfile_release(files, t->items[i].file);
	free(t);
}

/* Make *t an unshared table with room for two more entries. */
static bool table_reserve(struct maptable **t)
{
	uint32_t n = *t ? (*t)->n : 0;
	uint32_t capacity = n + 2 + n / 2;
	bool is_shared = *t && (*t)->refs > 1;
	struct maptable *copy;

	if (*t && !is_shared && (*t)->capacity >= n + 2)
		return true;
	copy = realloc(is_shared ? NULL : *t, sizeof(*copy) + capacity * sizeof(copy->items[0]));
	if (!copy)
		return false;
	if (is_shared) {
		memcpy(copy->items, (*t)->items, n * sizeof(copy->items[0]));
		for (uint32_t i = 0; i < n; i++)
			copy->items[i].file->refs++;
		(*t)->refs--;
	}
	copy->refs = 1;
	copy->n = n;
	copy->capacity = capacity;
	*t = copy;
	return true;
}

/* The index of the first mapping that ends after `address`; t->n if none does. */
static uint32_t maptable_after(const struct maptable *t, uint64_t address)
{
	return (uint32_t)vec_bound(t, item->end <= address);
}

static void insert_item(struct maptable *t, uint32_t at, const struct mapping *m)
{
	memmove(&t->items[at + 1], &t->items[at], (t->n - at) * sizeof(*m));
	t->items[at] = *m;
	t->n++;
}

/* ---- former mappings ---- */

static void note_evicted(struct former *former, uint64_t gone_ns)
{
	if (!former->evicted_from_ns)
		former->evicted_from_ns = gone_ns;
	former->evicted_to_ns = gone_ns;
}

static void evict_former(struct mapfiles *files, struct former *former, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		note_evicted(former, former->items[i].gone_ns);
		mapfile_release(files, former->items[i].file);
	}
	vec_remove(former, 0, n);
}

static void add_former(struct mapfiles *files, struct former *former, const struct mapping *old,
		       const struct mapping *m)
{
	struct mapping gone = *old;

	gone.gone_ns = m->seen_ns;
	gone.was_older = m->is_older;
	if (former->n == FORMER_MAX)
		evict_former(files, former, FORMER_MAX / 4);
	if (vec_push(former, gone))
		note_evicted(former, gone.gone_ns);
	else
		gone.file->refs++;
}

/* Note the mappings that *m replaces as former ones. Memory that is mapped again stays the same
 * memory. */
static void note_former(struct mapfiles *files, const struct maptable *t, struct mapping *m,
			struct former *former)
{
	for (uint32_t i = t ? maptable_after(t, m->start) : 0;
	     t && i < t->n && t->items[i].start < m->end; i++) {
		const struct mapping *old = &t->items[i];

		if (old->file != m->file || !mapfile_is_memory(m->file)) {
			add_former(files, former, old, m);
			continue;
		}
		m->is_older |= old->is_older;
		if (old->seen_ns < m->seen_ns)
			m->seen_ns = old->seen_ns;
	}
}

/* Correct a mapping that was read from /proc: its record arrives now, and tells since when it is
 * there. */
static void correct(struct mapping *known, const struct mapping *m, struct former *former)
{
	if (m->seen_ns >= known->seen_ns)
		return;
	for (size_t i = former ? former->n : 0; i-- > 0;) {
		struct mapping *f = &former->items[i];

		if (f->gone_ns != known->seen_ns)
			break;
		if (f->start >= known->end || f->end <= known->start)
			continue;
		f->gone_ns = m->seen_ns;
		f->was_older = m->is_older;
	}
	known->seen_ns = m->seen_ns;
	known->is_older = m->is_older;
}

static bool has_address(const struct mapping *m, uint64_t address)
{
	return address >= m->start && address < m->end;
}

static bool is_same_code(const struct mapping *a, const struct mapping *b)
{
	return a->file == b->file && a->start - a->file_offset == b->start - b->file_offset;
}

static const struct mapping *at_any_time(const struct mapping *present, const struct former *former,
					 uint64_t address)
{
	if (!present || (former->evicted_from_ns && present->seen_ns >= former->evicted_from_ns))
		return NULL;
	__auto_type other = FIND(former->items, former->n,
				 has_address(item, address) && !is_same_code(item, present));

	return other ? NULL : present;
}

const struct mapping *maptable_at(const struct maptable *t, const struct former *former,
				  uint64_t address, uint64_t time_ns)
{
	uint32_t at = t ? maptable_after(t, address) : 0;
	const struct mapping *first =
		t && at < t->n && has_address(&t->items[at], address) ? &t->items[at] : NULL;

	if (!time_ns)
		return at_any_time(first, former, address);
	if (first && time_ns >= first->seen_ns)
		return first;
	for (size_t i = former->n; i-- > 0;) {
		const struct mapping *f = &former->items[i];

		if (!has_address(f, address))
			continue;
		if (time_ns >= f->seen_ns && time_ns < f->gone_ns)
			return f->was_older ? NULL : f;
		if (!first || f->seen_ns < first->seen_ns)
			first = f;
	}
	/* the address is older than the first record */
	return first && first->is_older && time_ns >= former->evicted_to_ns ? first : NULL;
}

void former_free(struct mapfiles *files, struct former *former)
{
	for (size_t i = 0; i < former->n; i++)
		mapfile_release(files, former->items[i].file);
	vec_free(former);
}

/* ---- changes ---- */

/* Remove [start, end) from the table. Returns the index at which a mapping of this range
 * belongs. */
static uint32_t cut_range(struct mapfiles *files, struct maptable *t, uint64_t start, uint64_t end)
{
	uint32_t i = maptable_after(t, start), last;

	if (i < t->n && t->items[i].start < start) {
		struct mapping rest = t->items[i];

		t->items[i].end = start;
		i++;
		if (rest.end > end) { /* the range lies inside: both ends remain */
			rest.file_offset += end - rest.start;
			rest.start = end;
			rest.file->refs++;
			insert_item(t, i, &rest);
			return i;
		}
	}
	for (last = i; last < t->n && t->items[last].end <= end; last++)
		mapfile_release(files, t->items[last].file);
	memmove(&t->items[i], &t->items[last], (t->n - last) * sizeof(t->items[0]));
	t->n -= last - i;
	if (i < t->n && t->items[i].start < end) {
		t->items[i].file_offset += end - t->items[i].start;
		t->items[i].start = end;
	}
	return i;
}

void maptable_add(struct mapfiles *files, struct maptable **t, const struct mapping *m,
		  struct former *former)
{
	struct mapping fresh = *m;

	if (*t) {
		uint32_t i = maptable_after(*t, m->start);
		struct mapping *old = &(*t)->items[i];

		/* No change: a shared table remains shared. */
		if (i < (*t)->n && old->start == m->start && old->end == m->end &&
		    old->file == m->file && old->file_offset == m->file_offset) {
			correct(old, m, former);
			mapfile_release(files, m->file);
			return;
		}
	}
	if (m->end <= m->start || !table_reserve(t)) {
		mapfile_release(files, m->file);
		return;
	}
	if (former)
		note_former(files, *t, &fresh, former);
	insert_item(*t, cut_range(files, *t, m->start, m->end), &fresh);
}

void maptable_trim(struct maptable **t)
{
	struct maptable *trimmed;

	if (!*t || (*t)->refs > 1 || (*t)->n == (*t)->capacity)
		return;
	trimmed = realloc(*t, sizeof(**t) + (*t)->n * sizeof((*t)->items[0]));
	if (!trimmed)
		return;
	trimmed->capacity = trimmed->n;
	*t = trimmed;
}

/* ---- /proc and perf ---- */

/* The reference to a file. perf and /proc name the same file differently: one form is used. */
struct mapfile *mapfile_acquire(struct mapfiles *files, uint64_t device, uint64_t inode,
				const char *path, uint64_t start)
{
	size_t length = proc_maps_path_length(path);
	char cut[4096 + 32];

	if (!*path || strncmp(path, "//", 2) == 0)
		return acquire_file(files, device, inode, "[anon]");
	if (strcmp(path, "[vdso]") == 0)
		inode = !(start >> 32);
	if (path[length] && length < sizeof(cut)) {
		memcpy(cut, path, length);
		cut[length] = '\0';
		path = cut;
	}
	return acquire_file(files, device, inode, path);
}

struct reading {
	struct mapfiles *files;
	struct maptable **table;
};

/* Add a mapping of /proc, if it is executable. */
static int add_mapped(const struct proc_mapping *from, void *ctx)
{
	const struct reading *r = ctx;
	struct mapping m = {.start = from->start,
			    .end = from->end,
			    .file_offset = from->file_offset,
			    .seen_ns = from->read_ns,
			    .is_older = true};

	if (!from->is_executable || strcmp(from->path, "[vsyscall]") == 0)
		return 0;
	m.file = mapfile_acquire(r->files, from->device, from->inode, from->path, from->start);
	if (m.file)
		maptable_add(r->files, r->table, &m, NULL);
	return 0;
}

int maptable_read(struct mapfiles *files, uint32_t tgid, struct maptable **t)
{
	struct reading r = {files, t};
	int err = proc_maps_each(tgid, add_mapped, &r);

	return err ? err : *t ? 0 : -ESRCH; /* a zombie or a kernel thread */
}

bool maptable_has_common(const struct maptable *a, const struct maptable *b)
{
	for (uint32_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->items[i].start == b->items[j].start && a->items[i].file == b->items[j].file)
			return true;
		if (a->items[i].start < b->items[j].start)
			i++;
		else
			j++;
	}
	return false;
}
