/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping tables and their files: see maptable.h.
 */
#define _GNU_SOURCE
#include "runtime/symbols/maptable.h"
#include "runtime/base/proc_maps.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files ---- */

static size_t file_hash(uint64_t device, uint64_t inode, const char *path)
{
	uint64_t h = device * 0x9e3779b97f4a7c15 ^ inode;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3;
	return h ^ h >> 29;
}

static void grow_files(struct mapfiles *files)
{
	size_t n = files->n_slots ? 2 * files->n_slots : 64;
	struct mapfile **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return; /* longer chains */
	for (size_t i = 0; i < files->n_slots; i++) {
		for (struct mapfile *f = files->slots[i], *next; f; f = next) {
			size_t at = file_hash(f->device, f->inode, f->path) & (n - 1);

			next = f->next;
			f->next = slots[at];
			slots[at] = f;
		}
	}
	free(files->slots);
	files->slots = slots;
	files->n_slots = n;
}

/* A reference to the file, which is made if it is new. */
static struct mapfile *file_get(struct mapfiles *files, uint64_t device, uint64_t inode,
				const char *path)
{
	struct mapfile *f;
	size_t at, size = strlen(path) + 1;

	if (files->n >= files->n_slots)
		grow_files(files);
	if (!files->n_slots)
		return NULL;
	at = file_hash(device, inode, path) & (files->n_slots - 1);
	for (f = files->slots[at]; f; f = f->next) {
		if (f->device == device && f->inode == inode && strcmp(f->path, path) == 0) {
			f->refs++;
			return f;
		}
	}
	f = calloc(1, sizeof(*f) + size);
	if (!f)
		return NULL;
	f->device = device;
	f->inode = inode;
	f->refs = 1;
	f->pinned_fd = -1;
	memcpy(f->path, path, size);
	f->next = files->slots[at];
	files->slots[at] = f;
	files->n++;
	return f;
}

void mapfile_put(struct mapfiles *files, struct mapfile *f)
{
	struct mapfile **at;

	if (--f->refs)
		return;
	at = &files->slots[file_hash(f->device, f->inode, f->path) & (files->n_slots - 1)];
	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	if (f->pinned_fd >= 0) {
		close(f->pinned_fd);
		files->n_pinned--;
	}
	free(f);
	files->n--;
}

/* ---- tables ---- */

void maptable_put(struct mapfiles *files, struct maptable *t)
{
	if (!t || --t->refs)
		return;
	for (uint32_t i = 0; i < t->n; i++)
		mapfile_put(files, t->items[i].file);
	free(t);
}

/* A table of *t's contents that belongs to *t alone and has room for two more entries. */
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

uint32_t maptable_after(const struct maptable *t, uint64_t address)
{
	uint32_t low = 0, high = t->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void insert_item(struct maptable *t, uint32_t at, const struct mapping *m)
{
	memmove(&t->items[at + 1], &t->items[at], (t->n - at) * sizeof(*m));
	t->items[at] = *m;
	t->n++;
}

/* Cut [start, end) out of what is mapped; returns the place where it would go. */
static uint32_t cut_range(struct mapfiles *files, struct maptable *t, uint64_t start, uint64_t end)
{
	uint32_t i = maptable_after(t, start), last;

	if (i < t->n && t->items[i].start < start) {
		struct mapping rest = t->items[i];

		t->items[i].end = start;
		i++;
		if (rest.end > end) { /* the new one lies inside: both ends remain */
			rest.file_offset += end - rest.start;
			rest.start = end;
			rest.file->refs++;
			insert_item(t, i, &rest);
			return i;
		}
	}
	for (last = i; last < t->n && t->items[last].end <= end; last++)
		mapfile_put(files, t->items[last].file);
	memmove(&t->items[i], &t->items[last], (t->n - last) * sizeof(t->items[0]));
	t->n -= last - i;
	if (i < t->n && t->items[i].start < end) {
		t->items[i].file_offset += end - t->items[i].start;
		t->items[i].start = end;
	}
	return i;
}

/* Takes over the reference m->file, also when it fails. */
void maptable_add(struct mapfiles *files, struct maptable **t, const struct mapping *m)
{
	if (*t) {
		uint32_t i = maptable_after(*t, m->start);
		const struct mapping *old = &(*t)->items[i];

		/* Known already: leave a shared table shared. */
		if (i < (*t)->n && old->start == m->start && old->end == m->end &&
		    old->file == m->file && old->file_offset == m->file_offset) {
			mapfile_put(files, m->file);
			return;
		}
	}
	if (m->end <= m->start || !table_reserve(t)) {
		mapfile_put(files, m->file);
		return;
	}
	insert_item(*t, cut_range(files, *t, m->start, m->end), m);
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

/* The file part of a mapping: perf's and /proc's names for the same made one. */
struct mapfile *mapfile_get(struct mapfiles *files, uint64_t device, uint64_t inode,
			    const char *path)
{
	size_t length = proc_maps_path_length(path);
	char cut[4096 + 32];

	if (!*path || strncmp(path, "//", 2) == 0)
		return file_get(files, device, inode, "[anon]");
	if (path[length] && length < sizeof(cut)) {
		memcpy(cut, path, length);
		cut[length] = '\0';
		path = cut;
	}
	return file_get(files, device, inode, path);
}

struct reading {
	struct mapfiles *files;
	struct maptable **table;
};

/* Only executable mappings count. */
static int add_mapped(const struct proc_mapping *from, void *ctx)
{
	const struct reading *r = ctx;
	struct mapping m = {.start = from->start,
			    .end = from->end,
			    .file_offset = from->file_offset,
			    .seen_ns = from->read_ns};

	if (!from->is_executable || strcmp(from->path, "[vsyscall]") == 0)
		return 0;
	m.file = mapfile_get(r->files, from->device, from->inode, from->path);
	if (m.file)
		maptable_add(r->files, r->table, &m);
	return 0;
}

int maptable_read(struct mapfiles *files, uint32_t tgid, struct maptable **t)
{
	struct reading r = {files, t};
	int err = proc_maps_each(tgid, add_mapped, &r);

	return err ? err : *t ? 0 : -ESRCH; /* nothing mapped: a zombie, or a kernel thread */
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
