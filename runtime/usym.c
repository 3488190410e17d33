/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User addresses to names: see usym.h. Puts together who has what mapped (procmap.c), the records
 * that keep it up to date (maptrack.c) and the symbols of the files (elfsym.c).
 *
 * A file is opened when the first frame in it is asked for: through /proc/PID/map_files (exactly
 * what was mapped, in any mount namespace, also when deleted), /proc/PID/root or the parent's root,
 * or its path; and only if it is the inode that was mapped. So that short-lived processes in other
 * namespaces and deleted files have names too, up to PINS_MAX files are held open from the moment a
 * stack of a process is noted. Up to OPEN_MAX_FILES symbol tables stay open.
 * Names and paths handed out are copies (`strings`), each kept once until usyms_free.
 */
#define _GNU_SOURCE
#include "usym.h"
#include "clock.h"
#include "elfsym.h"
#include "log.h"
#include "mapped.h"
#include "maptrack.h"
#include "procmap.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPEN_MAX_FILES = 128,
	OPEN_MAX_BYTES = 4 * 1024 * 1024,
	PINS_MAX = 64,
	STRING_CHUNK = 16 * 1024,
	SYMFILE_SLOTS = 256,
};
#define REREAD_NS 100000000ull

struct string_chunk {
	struct string_chunk *next;
	size_t used, size;
	char bytes[];
};

struct strings {
	struct string_chunk *chunks;
	const char **slots;
	size_t n, n_slots;
};

/* The symbols of one (device, inode). */
struct symfile {
	struct symfile *next;
	uint64_t device, inode;
	uint64_t born_ns;     /* CLOCK_MONOTONIC; 0: not known */
	uint64_t used;	      /* for dropping the least used */
	uint32_t failed_tgid; /* do not try again through the same process */
	struct elfsym *elf;   /* NULL: not open */
};

struct usyms {
	struct procmap *maps;
	struct maptrack *track;
	struct strings strings;
	struct symfile *files[SYMFILE_SLOTS];
	size_t n_open;
	uint64_t clock, n_lost;
	uint64_t reread_ns; /* when /proc was last read because of a miss */
	uint32_t reread_tgid;
	bool has_warned;
};

/* ---- strings ---- */

static size_t string_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h ^ h >> 32;
}

static bool grow_strings(struct strings *s)
{
	size_t n = s->n_slots ? 2 * s->n_slots : 256;
	const char **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->n_slots; i++) {
		size_t at;

		if (!s->slots[i])
			continue;
		at = string_hash(s->slots[i]) & (n - 1);
		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return true;
}

static const char *copy_string(struct strings *s, const char *text)
{
	size_t size = strlen(text) + 1;
	struct string_chunk *c = s->chunks;

	if (!c || c->size - c->used < size) {
		size_t room = size > STRING_CHUNK ? size : STRING_CHUNK;

		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		*c = (struct string_chunk){.next = s->chunks, .size = room};
		s->chunks = c;
	}
	memcpy(c->bytes + c->used, text, size);
	c->used += size;
	return c->bytes + c->used - size;
}

/* The one copy of `text`; NULL without memory. */
static const char *keep(struct strings *s, const char *text)
{
	size_t at;

	if (2 * s->n >= s->n_slots && !grow_strings(s))
		return NULL;
	at = string_hash(text) & (s->n_slots - 1);
	for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1))
		if (strcmp(s->slots[at], text) == 0)
			return s->slots[at];
	s->slots[at] = copy_string(s, text);
	s->n += s->slots[at] != NULL;
	return s->slots[at];
}

/* ---- opening a mapped file ---- */

struct process_file {
	uint32_t tgid;
	const struct mapping *mapping;
};

struct page_search {
	uint64_t page;
	const struct mapfile *file;
};

static int is_page_of_file(const struct mapped *m, void *ctx)
{
	const struct page_search *s = ctx;

	return m->start == s->page && m->device == s->file->device && m->inode == s->file->inode;
}

/* Does our own mapping of fd show the device and inode wanted? stat and the maps differ on overlay
 * and btrfs. */
static bool maps_as(int fd, const struct mapfile *file)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct page_search s = {(uintptr_t)page, file};
	bool is_same;

	if (page == MAP_FAILED)
		return false;
	is_same = mapped_each(0, is_page_of_file, &s) > 0;
	munmap(page, 1);
	return is_same;
}

/* A descriptor of `path` if that is the file that was mapped, or -1. */
static int open_if_same(const char *path, const struct mapfile *file)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    ((st.st_dev == file->device && st.st_ino == file->inode) || maps_as(fd, file)))
		return fd;
	close(fd);
	return -1;
}

static int open_in_root(uint32_t tgid, const struct mapfile *file)
{
	char path[PATH_MAX + 32];

	if (!tgid)
		return -1;
	snprintf(path, sizeof(path), "/proc/%u/root%s", tgid, file->path);
	return open_if_same(path, file);
}

/* Where the mapped file can still be had from, best first. */
static int open_mapped(const struct usyms *u, const struct process_file *f)
{
	const struct mapfile *file = f->mapping->file;
	char path[96];
	int fd;

	if (file->path[0] != '/')
		return -1;
	/* The process may have mapped something else there meanwhile: compare all the same. */
	snprintf(path, sizeof(path), "/proc/%u/map_files/%llx-%llx", f->tgid,
		 (unsigned long long)f->mapping->start, (unsigned long long)f->mapping->end);
	fd = open_if_same(path, file);
	if (fd < 0)
		fd = open_in_root(f->tgid, file);
	if (fd < 0)
		fd = open_in_root(procmap_parent(u->maps, f->tgid), file);
	if (fd < 0)
		fd = open_if_same(file->path, file);
	return fd;
}

/* Hold the files of a process that a stack was noted of: it may be gone when names are wanted. */
static void pin_files(struct usyms *u, uint32_t tgid, uint32_t exec_id)
{
	bool is_newest;
	size_t n, *n_pinned = &procmap_files(u->maps)->n_pinned;
	const struct mapping *m = procmap_table(u->maps, tgid, exec_id, &n, &is_newest);

	for (size_t i = 0; i < n && *n_pinned < PINS_MAX; i++) {
		struct process_file f = {tgid, &m[i]};
		struct mapfile *file = m[i].file;

		if (file->is_pin_tried || file->symbols)
			continue;
		file->is_pin_tried = true;
		file->pinned_fd = open_mapped(u, &f);
		*n_pinned += file->pinned_fd >= 0;
	}
}

/* ---- symbol files ---- */

/* When the file was made, on the clock of the mappings' times. */
static uint64_t birth_ns(int fd)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t offset = clock_ns(CLOCK_REALTIME) - now_ns, born;
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &st) || !(st.stx_mask & STATX_BTIME))
		return 0;
	born = (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
	return born > offset ? born - offset : 0;
}

/* The vDSO as a file: a copy of our own in memory. */
static int open_vdso(void)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)image;
	size_t size;
	int fd;

	if (!image || header->e_ident[EI_CLASS] != ELFCLASS64)
		return -1;
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && (size > 1 << 20 || write(fd, image, size) != (ssize_t)size)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static struct symfile *symfile_get(struct usyms *u, struct mapfile *file)
{
	struct symfile **at = &u->files[(file->inode ^ file->device) % SYMFILE_SLOTS], *s;

	if (file->symbols)
		return file->symbols;
	for (s = *at; s; s = s->next)
		if (s->device == file->device && s->inode == file->inode)
			break;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return NULL;
		s->device = file->device;
		s->inode = file->inode;
		s->next = *at;
		*at = s;
	}
	file->symbols = s;
	return s;
}

/* Close least used files until the bounds hold; `spared` stays. */
static void limit_open(struct usyms *u, const struct symfile *spared)
{
	for (;;) {
		struct symfile *oldest = NULL;
		size_t bytes = 0;

		for (size_t i = 0; i < SYMFILE_SLOTS; i++) {
			for (struct symfile *s = u->files[i]; s; s = s->next) {
				if (!s->elf)
					continue;
				bytes += elfsym_bytes(s->elf);
				if (s != spared && (!oldest || s->used < oldest->used))
					oldest = s;
			}
		}
		if (!oldest || (u->n_open <= OPEN_MAX_FILES && bytes <= OPEN_MAX_BYTES))
			return;
		elfsym_close(oldest->elf);
		oldest->elf = NULL;
		u->n_open--;
	}
}

static void open_symfile(struct usyms *u, struct symfile *s, const struct process_file *f)
{
	struct mapfile *file = f->mapping->file;
	int fd = file->pinned_fd, err;
	uint64_t vaddr;

	if (fd >= 0) {
		file->pinned_fd = -1;
		procmap_files(u->maps)->n_pinned--;
	} else if (strcmp(file->path, "[vdso]") == 0) {
		fd = f->mapping->start >> 32 ? open_vdso() : -1; /* ours is the 64-bit one */
	} else {
		fd = open_mapped(u, f);
	}
	s->failed_tgid = f->tgid;
	if (fd < 0)
		return;
	s->born_ns = file->path[0] == '/' ? birth_ns(fd) : 0;
	s->elf = elfsym_open_fd(fd, file->path, &err);
	if (!s->elf)
		return;
	s->failed_tgid = 0;
	u->n_open++;
	/* Build the index now, so that limit_open sees its size. */
	if (elfsym_file_to_vaddr(s->elf, f->mapping->file_offset, &vaddr)) {
		const char *name;
		uint64_t offset;

		elfsym_by_address(s->elf, vaddr, &name, &offset);
	}
	limit_open(u, s);
}

/* The symbols of a mapping, NULL when they cannot be had. */
static struct elfsym *symbols_of(struct usyms *u, const struct process_file *f)
{
	const char *path = f->mapping->file->path;
	struct symfile *s = NULL;

	if (path[0] == '/' || strcmp(path, "[vdso]") == 0)
		s = symfile_get(u, f->mapping->file);
	if (!s)
		return NULL;
	s->used = ++u->clock;
	if (!s->elf && s->failed_tgid != f->tgid)
		open_symfile(u, s, f);
	/* Younger than the mapping: the inode number was used again. */
	if (s->elf && s->born_ns > f->mapping->seen_ns + 1000000u)
		return NULL;
	return s->elf;
}

/* ---- the interface ---- */

struct usyms *usyms_new(void)
{
	struct usyms *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->maps = procmap_new();
	if (!u->maps) {
		free(u);
		return NULL;
	}
	return u;
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	maptrack_close(u->track);
	procmap_free(u->maps);
	for (size_t i = 0; i < SYMFILE_SLOTS; i++) {
		while (u->files[i]) {
			struct symfile *next = u->files[i]->next;

			elfsym_close(u->files[i]->elf);
			free(u->files[i]);
			u->files[i] = next;
		}
	}
	while (u->strings.chunks) {
		struct string_chunk *next = u->strings.chunks->next;

		free(u->strings.chunks);
		u->strings.chunks = next;
	}
	free(u->strings.slots);
	free(u);
}

static void drain(struct usyms *u)
{
	if (u->track)
		u->n_lost += maptrack_drain(u->track, u->maps);
	if (procmap_forgotten(u->maps) && !u->has_warned) {
		u->has_warned = true;
		log_warning(
			"stacks of more than %d ended processes: the oldest lose their user symbols",
			PROCMAP_BOUND_MAX);
	}
}

int usyms_note_process(struct usyms *u, uint32_t tgid)
{
	drain(u);
	return procmap_read_process(u->maps, tgid, UINT64_MAX);
}

void usyms_note_all(struct usyms *u)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;

	drain(u);
	while (dir && (d = readdir(dir))) {
		unsigned long tgid = strtoul(d->d_name, NULL, 10);

		if (tgid && tgid <= INT_MAX)
			procmap_read_process(u->maps, (uint32_t)tgid, UINT64_MAX);
	}
	if (dir)
		closedir(dir);
}

void usyms_note_stack(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t time_ns)
{
	if (procmap_is_bound(u->maps, tgid, exec_id))
		return;
	drain(u);
	if (!procmap_is_known(u->maps, tgid))
		procmap_read_process(u->maps, tgid, time_ns);
	if (procmap_bind(u->maps, tgid, exec_id, time_ns) == -EAGAIN &&
	    !procmap_read_process(u->maps, tgid, time_ns))
		procmap_bind(u->maps, tgid, exec_id, clock_ns(CLOCK_MONOTONIC));
	pin_files(u, tgid, exec_id);
}

int usyms_track(struct usyms *u, int pid)
{
	int err;

	if (u->track)
		return -EALREADY;
	err = maptrack_open(&u->track, pid > 0);
	if (!err && pid > 0)
		procmap_read_process(u->maps, (uint32_t)pid, UINT64_MAX);
	return err;
}

int usyms_track_fds(const struct usyms *u, const int **fds)
{
	if (u->track)
		return maptrack_fds(u->track, fds);
	*fds = NULL;
	return 0;
}

uint64_t usyms_track_drain(struct usyms *u)
{
	uint64_t lost;

	drain(u);
	lost = u->n_lost;
	u->n_lost = 0;
	return lost;
}

/* The mapping of ip, looked for again when new mappings may not have been seen yet. */
static const struct mapping *find_mapping(struct usyms *u, uint32_t tgid, uint32_t exec_id,
					  uint64_t ip)
{
	bool is_newest;
	const struct mapping *m = procmap_find(u->maps, tgid, exec_id, ip, &is_newest);
	uint64_t now_ns;

	if (m)
		return m;
	if (u->track) {
		drain(u);
		return procmap_find(u->maps, tgid, exec_id, ip, &is_newest);
	}
	now_ns = clock_ns(CLOCK_MONOTONIC);
	if (!is_newest || (u->reread_tgid == tgid && now_ns < u->reread_ns + REREAD_NS))
		return NULL;
	u->reread_tgid = tgid;
	u->reread_ns = now_ns;
	if (procmap_read_process(u->maps, tgid, UINT64_MAX))
		return NULL;
	return procmap_find(u->maps, tgid, exec_id, ip, &is_newest);
}

bool usyms_find(struct usyms *u, uint32_t tgid, uint32_t exec_id, uint64_t ip, struct usym *out)
{
	struct process_file f = {tgid, find_mapping(u, tgid, exec_id, ip)};
	struct elfsym *elf;
	const char *name;

	*out = (struct usym){0};
	if (!f.mapping)
		return false;
	out->module = keep(&u->strings, f.mapping->file->path);
	out->module_offset = ip - f.mapping->start + f.mapping->file_offset;
	elf = symbols_of(u, &f);
	if (!elf || !elfsym_file_to_vaddr(elf, out->module_offset, &out->module_offset))
		return out->module;
	if (elfsym_by_address(elf, out->module_offset, &name, &out->offset))
		out->name = keep(&u->strings, name);
	return true;
}
