/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds separate debug files: in the folders of --debuginfo; by build ID, in
 * /usr/lib/debug/.build-id and in the cache of debuginfod's client; by .gnu_debuglink, next to the
 * file, in .debug/ and below /usr/lib/debug. A debug file is used only if its build ID matches, or,
 * if it has none, its checksum.
 */
#include "runtime/elf/elfsym_impl.h"
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { NOTE_MAX_BYTES = 4096, NOTE_SECTIONS_MAX = 64 };

/* Read the build ID. Returns its length, 0 if there is none. */
static size_t build_id(const struct elf_file *f, unsigned char id[BUILD_ID_BYTES])
{
	char notes[NOTE_MAX_BYTES];
	int n_read = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < f->n_sections && n_read < NOTE_SECTIONS_MAX && !n; i++) {
		const struct section *s = &f->sections[i];
		size_t size = s->size < sizeof(notes) ? s->size : sizeof(notes);

		if (s->type != SHT_NOTE)
			continue;
		n_read++;
		n = build_id_in_notes(notes, elfsym_read_at(f->fd, notes, size, s->offset), id);
	}
	return n;
}

/* Read .gnu_debuglink: the name of the debug file and its checksum. */
static bool debug_link(const struct elf_file *f, char name[NAME_MAX + 1], uint32_t *crc)
{
	const struct section *s = elfsym_section(f, ".gnu_debuglink");
	char raw[NAME_MAX + 16];
	size_t got, length;

	if (!s || s->size > sizeof(raw))
		return false;
	got = elfsym_read_at(f->fd, raw, s->size, s->offset);
	length = strnlen(raw, got);
	if (!length || length > NAME_MAX || ((length + 4) & ~3ul) + 4 > got ||
	    memchr(raw, '/', length))
		return false;
	memcpy(name, raw, length + 1);
	memcpy(crc, raw + ((length + 4) & ~3ul), 4);
	return true;
}

static uint32_t file_crc(int fd)
{
	unsigned char block[16 * 1024];
	uint64_t at = 0;
	uLong crc = crc32(0, NULL, 0);
	size_t got;

	while ((got = elfsym_read_at(fd, block, sizeof(block), at)) > 0) {
		crc = crc32(crc, block, (uInt)got);
		at += got;
	}
	return (uint32_t)crc;
}

/* The folders of --debuginfo, which are searched first; each ends with a NUL. */
static char *folders;
static size_t folders_len;

/* There is one list, since a program has one command line. */
int elfsym_debug_folders(const char *list)
{
	for (const char *at = list;; at++) {
		size_t len = strcspn(at, ":");
		char *grown = realloc(folders, folders_len + len + 1);
		struct stat st;

		if (!grown)
			return -1;
		folders = grown;
		memcpy(folders + folders_len, at, len);
		folders[folders_len + len] = '\0';
		if (!stat(folders + folders_len, &st) && !S_ISDIR(st.st_mode)) {
			errno = ENOTDIR;
			return -1;
		}
		folders_len += len + 1;
		at += len;
		if (!*at)
			return 0;
	}
}

struct search {
	const struct elfsym *e;
	bool (*has)(const struct elf_file *f); /* what is wanted */
	unsigned char id[BUILD_ID_BYTES];
	size_t id_size;
	char id_text[2 * BUILD_ID_BYTES + 1];
	const char *path;	 /* of the file whose debug file is wanted */
	int folder;		 /* length of its folder; -1: the path has none */
	char link[NAME_MAX + 1]; /* .gnu_debuglink; "": there is none */
	uint32_t crc;
	int fd; /* the file that was found, or -ENODATA */
};

/* Is the file at `path` the debug file? The build ID must match (the checksum, if the original has
 * no build ID), and so must the machine; and it has what is wanted. */
static bool try_file(struct search *s, const char *path)
{
	unsigned char its_id[BUILD_ID_BYTES];
	struct elf_file f = {0};
	bool is_it = false;
	int fd = elfsym_open_regular(path);

	if (fd < 0)
		return false;
	if (!elfsym_read_file(&f, fd) && f.machine == s->e->machine &&
	    (s->id_size
		     ? build_id(&f, its_id) == s->id_size && memcmp(its_id, s->id, s->id_size) == 0
		     : file_crc(fd) == s->crc))
		is_it = s->has(&f);
	elfsym_close_file(&f);
	if (is_it)
		s->fd = fd;
	else
		close(fd);
	return is_it;
}

/* The same for a path given as a format and its arguments. */
__attribute__((format(printf, 2, 3))) static bool try_path(struct search *s, const char *fmt, ...)
{
	char at[2 * PATH_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(at, sizeof(at), fmt, args);
	va_end(args);
	return try_file(s, at);
}

/* Look at the files that debuginfod's client has downloaded; nothing is downloaded here. */
static bool try_caches(struct search *s)
{
	const char *cache = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	if (cache && *cache)
		return try_path(s, "%s/%s/debuginfo", cache, s->id_text);
	if (xdg && *xdg)
		return try_path(s, "%s/debuginfod_client/%s/debuginfo", xdg, s->id_text);
	return home && *home &&
	       try_path(s, "%s/.cache/debuginfod_client/%s/debuginfo", home, s->id_text);
}

/* Follow the link, from the file's folder and from that below /usr/lib/debug. */
static bool try_link(struct search *s)
{
	return *s->link &&
	       ((s->folder >= 0 && (try_path(s, "%.*s/%s", s->folder, s->path, s->link) ||
				    try_path(s, "%.*s/.debug/%s", s->folder, s->path, s->link))) ||
		try_path(s, "/usr/lib/debug%.*s/%s", MAX(s->folder, 0), s->path, s->link));
}

static bool try_id(struct search *s, const char *folder)
{
	return s->id_size > 1 &&
	       try_path(s, "%s/.build-id/%.2s/%s.debug", folder, s->id_text, s->id_text + 2);
}

/* By build ID, by the link, and by the link below the file's path. */
static bool try_folder(struct search *s, const char *at)
{
	return try_id(s, at) ||
	       (*s->link && (try_path(s, "%s/%s", at, s->link) ||
			     try_path(s, "%s%.*s/%s", at, MAX(s->folder, 0), s->path, s->link)));
}

/* Search the folders of --debuginfo. A relative one also stands for a folder beside the file. */
static bool try_folders(struct search *s)
{
	char beside[PATH_MAX];

	for (size_t i = 0; i < folders_len; i += strlen(folders + i) + 1) {
		const char *at = folders + i;

		if (try_folder(s, at))
			return true;
		if (*at == '/' || s->folder < 0)
			continue;
		snprintf(beside, sizeof(beside), "%.*s/%s", s->folder, s->path, at);
		if (try_folder(s, beside))
			return true;
	}
	return false;
}

/* Search for the debug file of f, which is the file at `path`. Returns a descriptor or -ENODATA. */
static int search_debug_file(const struct elfsym *e, const struct elf_file *f, const char *path,
			     bool (*has)(const struct elf_file *f))
{
	const char *slash = strrchr(path, '/');
	struct search s = {.e = e,
			   .has = has,
			   .path = path,
			   .folder = slash ? (int)(slash - path) : -1,
			   .fd = -ENODATA};

	if (!debug_link(f, s.link, &s.crc))
		*s.link = '\0';
	s.id_size = build_id(f, s.id);
	for (size_t i = 0; i < s.id_size; i++)
		snprintf(s.id_text + 2 * i, 3, "%02x", s.id[i]);
	if (!try_folders(&s) && !try_id(&s, "/usr/lib/debug") && !(s.id_size > 1 && try_caches(&s)))
		try_link(&s);
	return s.fd;
}

static bool has_symbols(const struct elf_file *f)
{
	struct table table = {0};

	elfsym_pick_table(f, SHT_SYMTAB, &table);
	return table.n;
}

void elfsym_find_debug_file(struct elfsym *e, const struct elf_file *f, const char *path)
{
	elfsym_use_table(e, search_debug_file(e, f, path, has_symbols));
}

/* ---- DWARF ---- */

static bool has_dwarf(const struct elf_file *f)
{
	return elfsym_section(f, ".debug_info") || elfsym_section(f, ".zdebug_info");
}

static bool file_has_dwarf(int fd)
{
	struct elf_file f = {0};
	bool has = fd >= 0 && !elfsym_read_file(&f, fd) && has_dwarf(&f);

	elfsym_close_file(&f);
	return has;
}

int elfsym_open_dwarf(struct elfsym *e, const char *path)
{
	struct elf_file f;
	int fd = -ENODATA;

	if (file_has_dwarf(e->fd))
		fd = fcntl(e->fd, F_DUPFD_CLOEXEC, 0);
	else if (file_has_dwarf(e->debug_fd))
		fd = fcntl(e->debug_fd, F_DUPFD_CLOEXEC, 0);
	if (fd != -ENODATA)
		return fd < 0 ? -errno : fd;
	if (!elfsym_read_file(&f, e->fd))
		fd = search_debug_file(e, &f, path, has_dwarf);
	elfsym_close_file(&f);
	return fd;
}
