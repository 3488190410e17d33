/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of mapped files: see symfile.h.
 *
 * A file is opened when the first frame in it is named: through /proc/PID/map_files (which is what
 * was mapped, in any mount namespace and even if deleted), /proc/PID/root, the parent's root, or
 * its path; and only if it has the inode that was mapped. Frames of deleted files and of
 * short-lived processes in other namespaces should have names too, so up to PINS_MAX files are held
 * open from the time at which a stack of their process is noted. Up to OPEN_MAX_FILES symbol tables
 * stay open.
 *
 * Entries of files that are neither open nor mapped are freed whenever the number of entries has
 * doubled, so that files that come and go leave nothing behind.
 */
#include "runtime/symbols/symfile.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/elf/elfsym.h"
#include "runtime/dwarf/srcframe.h"
#include "runtime/base/mapped_file.h"
#include "runtime/symbols/procmap.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPEN_MAX_FILES = 128,
	OPEN_MAX_BYTES = 4 * 1024 * 1024,
	PINS_MAX = 64,
	LINES_MAX_BYTES = 512 << 20,
	SWEEP_STEP = 256,
};

struct inode_id {
	uint64_t device, inode;
};

/* The symbols of one (device, inode). */
struct symfile {
	struct inode_id id;
	uint64_t born_ns;     /* CLOCK_MONOTONIC; 0: not known */
	uint64_t used;	      /* time of the last use, on the clock of symfiles */
	uint32_t failed_tgid; /* opening through this process has failed */
	struct elfsym *elf;   /* NULL: not open */
	struct srcframes *lines;
	bool has_no_lines; /* opening its source lines has failed */
	bool is_mapped;	   /* during a sweep: some process has it mapped */
};

HASH_FUNCTIONS(symfile_table, struct symfile *, struct inode_id,
	       hash_u64(key.device ^ hash_u64(key.inode)),
	       a.device == b.device && a.inode == b.inode, (*e)->id, *e)

/* Open the mapped file: try all ways to it, the most reliable first. */
static int open_mapped(const struct symfiles *all, uint32_t tgid, const struct mapping *m)
{
	const struct mapfile *file = m->file;
	int fd;

	if (file->path[0] != '/')
		return -1;
	fd = mapped_file_open(tgid, m->start, m->end, file->device, file->inode, file->path);
	if (fd < 0)
		fd = mapped_file_open_in_root(procmap_parent(all->maps, tgid), file->path,
					      file->device, file->inode);
	if (fd < 0)
		fd = mapped_file_open_path(file->path, file->device, file->inode);
	return fd;
}

void symfiles_pin(struct symfiles *all, uint32_t tgid, uint32_t exec_id)
{
	size_t n, *n_pinned = &procmap_files(all->maps)->n_pinned;
	const struct mapping *m = procmap_table(all->maps, tgid, exec_id, &n);

	for (size_t i = 0; i < n && *n_pinned < PINS_MAX; i++) {
		struct mapfile *file = m[i].file;

		if (file->is_pin_tried || file->symbols)
			continue;
		file->is_pin_tried = true;
		file->pinned_fd = open_mapped(all, tgid, &m[i]);
		*n_pinned += file->pinned_fd >= 0;
	}
}

/* ---- symbol files ---- */

/* The creation time of the file in CLOCK_MONOTONIC, the clock of the mappings; 0 if unknown. */
static uint64_t birth_ns(int fd)
{
	uint64_t now_ns = monotonic_ns();
	uint64_t offset = clock_ns(CLOCK_REALTIME) - now_ns, born;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME))
		return 0;
	born = (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
	return born > offset ? born - offset : 0;
}

static void free_symfile(struct symfile *s)
{
	elfsym_close(s->elf);
	srcframes_close(s->lines);
	free(s);
}

static void mark_mapped(struct symfiles *all)
{
	const struct mapfiles *files = procmap_files(all->maps);

	for (struct mapfile *const *f = mapfiles_next(files, NULL); f; f = mapfiles_next(files, f))
		if ((*f)->symbols)
			(*f)->symbols->is_mapped = true;
}

/* Free the entries of files that are neither open nor mapped. If there is no memory, they stay. */
static void sweep(struct symfiles *all)
{
	struct symfile_table kept = {0};

	if (symfile_table_reserve(&kept, all->table.n + 1))
		return;
	mark_mapped(all);
	for (struct symfile **e = symfile_table_next(&all->table, NULL); e;
	     e = symfile_table_next(&all->table, e)) {
		struct symfile *s = *e;

		if (!s->is_mapped && !s->elf) {
			free_symfile(s);
			continue;
		}
		s->is_mapped = false;
		symfile_table_insert(&kept, s); /* the space was reserved */
	}
	hash_free(&all->table);
	all->table = kept;
	all->sweep_at = 2 * kept.n + SWEEP_STEP;
}

static struct symfile *symfile_get(struct symfiles *all, struct mapfile *file)
{
	struct inode_id id = {file->device, file->inode};
	struct symfile **found, *s;

	if (file->symbols)
		return file->symbols;
	found = symfile_table_find(&all->table, id);
	if (found)
		return file->symbols = *found;
	if (all->table.n >= (all->sweep_at ?: SWEEP_STEP))
		sweep(all);
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->id = id;
	if (symfile_table_insert(&all->table, s)) {
		free(s);
		return NULL;
	}
	return file->symbols = s;
}

/* Close the least recently used files, other than `spared`, until the limits hold. */
static void limit_open(struct symfiles *all, const struct symfile *spared)
{
	for (;;) {
		struct symfile *oldest = NULL;
		size_t bytes = 0;

		for (struct symfile **e = symfile_table_next(&all->table, NULL); e;
		     e = symfile_table_next(&all->table, e)) {
			struct symfile *s = *e;

			if (!s->elf)
				continue;
			bytes += elfsym_bytes(s->elf);
			if (s != spared && (!oldest || s->used < oldest->used))
				oldest = s;
		}
		if (!oldest || (all->n_open <= OPEN_MAX_FILES && bytes <= OPEN_MAX_BYTES))
			return;
		elfsym_close(oldest->elf);
		oldest->elf = NULL;
		all->n_open--;
	}
}

static void open_symfile(struct symfiles *all, struct symfile *s, uint32_t tgid,
			 const struct mapping *m)
{
	struct mapfile *file = m->file;
	int fd = file->pinned_fd, err;
	uint64_t vaddr;

	if (fd >= 0) {
		file->pinned_fd = -1;
		procmap_files(all->maps)->n_pinned--;
	} else if (strcmp(file->path, "[vdso]") == 0) {
		fd = elfsym_open_vdso(file->inode ? 4 : 8);
	} else {
		fd = open_mapped(all, tgid, m);
	}
	s->failed_tgid = tgid;
	if (fd < 0)
		return;
	s->born_ns = file->path[0] == '/' ? birth_ns(fd) : 0;
	s->elf = elfsym_open_fd(fd, file->path, &err);
	if (!s->elf)
		return;
	s->failed_tgid = 0;
	all->n_open++;
	/* Build the index now, so that limit_open sees its size. */
	if (elfsym_file_to_vaddr(s->elf, m->file_offset, &vaddr)) {
		const char *name;
		uint64_t offset;

		elfsym_by_address(s->elf, vaddr, &name, &offset);
	}
	limit_open(all, s);
}

struct elfsym *symfiles_of(struct symfiles *all, uint32_t tgid, const struct mapping *mapping)
{
	const char *path = mapping->file->path;
	struct symfile *s = NULL;

	if (path[0] == '/' || strcmp(path, "[vdso]") == 0)
		s = symfile_get(all, mapping->file);
	if (!s)
		return NULL;
	s->used = ++all->clock;
	if (!s->elf && s->failed_tgid != tgid)
		open_symfile(all, s, tgid, mapping);
	/* The file is younger than the mapping: the inode number was reused. */
	return s->elf && s->born_ns > mapping->seen_ns + 1000000u ? NULL : s->elf;
}

/* ---- source lines ---- */

/* Close the debug information of other files if it takes too much memory. */
static void limit_lines(struct symfiles *all, const struct symfile *used)
{
	size_t bytes = 0;

	for (struct symfile **e = symfile_table_next(&all->table, NULL); e;
	     e = symfile_table_next(&all->table, e))
		bytes += (*e)->lines ? srcframes_bytes((*e)->lines) : 0;
	for (struct symfile **e = symfile_table_next(&all->table, NULL);
	     e && bytes > LINES_MAX_BYTES; e = symfile_table_next(&all->table, e)) {
		if (*e == used || !(*e)->lines)
			continue;
		bytes -= srcframes_bytes((*e)->lines);
		srcframes_close((*e)->lines);
		(*e)->lines = NULL;
	}
}

/* A file without debug information is usual, and no reason for a warning. */
static void warn_lines(struct symfiles *all, const char *path, int err)
{
	if (all->has_warned_lines || err == -ENODATA)
		return;
	all->has_warned_lines = true;
	log_warning("no source lines of %s: %s", path,
		    err == -ENOSYS  ? "libdw.so.1 is not installed"
		    : err == -EFBIG ? "its debug information is too large"
		    : err == -EPROTONOSUPPORT
			    ? "its debug information is compressed by zstd, which libdw cannot "
			      "read here; decompress it with objcopy --decompress-debug-sections"
		    : err == -ETIME ? "reading its debug information takes too long"
				    : strerror(-err));
}

static void open_lines(struct symfiles *all, struct symfile *s, const char *path)
{
	int err, fd = elfsym_open_dwarf(s->elf, path);

	if (fd >= 0)
		s->lines = srcframes_open(fd, &err);
	else
		err = fd;
	s->has_no_lines = !s->lines;
	if (!s->lines)
		warn_lines(all, path, err);
}

size_t symfiles_lines(struct symfiles *all, uint32_t tgid, const struct mapping *mapping,
		      uint64_t vaddr, struct srcframe *out)
{
	struct elfsym *elf = symfiles_of(all, tgid, mapping);
	struct symfile *s = mapping->file->symbols;
	size_t n;

	if (!elf || s->has_no_lines)
		return 0;
	if (!s->lines)
		open_lines(all, s, mapping->file->path);
	if (!s->lines)
		return 0;
	n = srcframes_at(s->lines, vaddr, out);
	if (srcframes_is_slow(s->lines))
		warn_lines(all, mapping->file->path, -ETIME);
	limit_lines(all, s);
	return n;
}

void symfiles_free(struct symfiles *all)
{
	for (struct symfile **e = symfile_table_next(&all->table, NULL); e;
	     e = symfile_table_next(&all->table, e))
		free_symfile(*e);
	hash_free(&all->table);
}

size_t symfiles_count(const struct symfiles *all)
{
	return all->table.n;
}
