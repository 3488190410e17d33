/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of ELF files, brought to one form for 32 and 64 bits, and the search for separate
 * debug files: by build ID in /usr/lib/debug/.build-id, or by .gnu_debuglink beside the file, in
 * .debug/, and below /usr/lib/debug. A debug file counts only if its build ID (without one: its
 * checksum) is the right one. Used by elfsym.c only.
 * Nothing in the file is trusted: offsets, counts and strings are checked where they are read.
 */
#define _GNU_SOURCE
#include "runtime/elf/elfsym_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { SECTIONS_MAX = 65536, NOTE_MAX_BYTES = 4096 };

/* ---- reading ---- */

/* As many bytes as there are, at most n. */
size_t elfsym_read_at(int fd, void *buffer, size_t n, uint64_t offset)
{
	size_t done = 0;

	if (offset > INT64_MAX - n)
		return 0;
	while (done < n) {
		ssize_t got = pread(fd, (char *)buffer + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

int elfsym_open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : fd;
}

/* Both widths have the same fields, of other sizes. */
#define READ_HEADER(bits)                                                                       \
	static int read_header_##bits(struct elf_file *f)                                       \
	{                                                                                       \
		Elf##bits##_Ehdr h;                                                             \
                                                                                                \
		if (elfsym_read_at(f->fd, &h, sizeof(h), 0) != sizeof(h))                       \
			return -ENOEXEC;                                                        \
		f->machine = h.e_machine;                                                       \
		f->kind = h.e_type;                                                             \
		f->entry = h.e_entry;                                                           \
		f->segments_offset = h.e_phoff;                                                 \
		f->n_segments = h.e_phentsize == sizeof(Elf##bits##_Phdr) ? h.e_phnum : 0;      \
		f->sections_offset = h.e_shentsize == sizeof(Elf##bits##_Shdr) ? h.e_shoff : 0; \
		f->n_sections = h.e_shnum;                                                      \
		f->names_section = h.e_shstrndx;                                                \
		return 0;                                                                       \
	}
READ_HEADER(64)
READ_HEADER(32)
#undef READ_HEADER

static void decode_section(const struct elf_file *f, const char *raw, struct section *out)
{
	if (f->is_64) {
		Elf64_Shdr s;

		memcpy(&s, raw, sizeof(s));
		*out = (struct section){s.sh_name, s.sh_type,	s.sh_link, s.sh_flags,
					s.sh_addr, s.sh_offset, s.sh_size};
	} else {
		Elf32_Shdr s;

		memcpy(&s, raw, sizeof(s));
		*out = (struct section){s.sh_name, s.sh_type,	s.sh_link, s.sh_flags,
					s.sh_addr, s.sh_offset, s.sh_size};
	}
}

/* Counts that do not fit the ELF header stand in section 0. */
static void read_large_counts(struct elf_file *f, size_t entry)
{
	char raw[sizeof(Elf64_Shdr)];
	struct section first;

	if (f->n_sections && f->names_section != SHN_XINDEX)
		return;
	if (elfsym_read_at(f->fd, raw, entry, f->sections_offset) != entry)
		return;
	decode_section(f, raw, &first);
	if (!f->n_sections)
		f->n_sections = first.size > SECTIONS_MAX ? 0 : (uint32_t)first.size;
	if (f->names_section == SHN_XINDEX)
		f->names_section = first.link;
}

static int read_sections(struct elf_file *f)
{
	size_t entry = f->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr), got;
	char *raw = NULL;
	int err = 0;

	if (!f->sections_offset || f->sections_offset >= f->size) {
		f->n_sections = 0;
		return 0;
	}
	read_large_counts(f, entry);
	if (f->n_sections > (f->size - f->sections_offset) / entry)
		f->n_sections = (uint32_t)((f->size - f->sections_offset) / entry);
	if (!f->n_sections)
		return 0;
	raw = malloc(f->n_sections * entry);
	f->sections = calloc(f->n_sections, sizeof(*f->sections));
	if (!raw || !f->sections) {
		err = -ENOMEM;
		goto out;
	}
	got = elfsym_read_at(f->fd, raw, f->n_sections * entry, f->sections_offset);
	f->n_sections = (uint32_t)(got / entry);
	for (uint32_t i = 0; i < f->n_sections; i++)
		decode_section(f, raw + i * entry, &f->sections[i]);
out:
	free(raw);
	return err;
}

/* The headers of the file behind fd; the caller frees f->sections. */
int elfsym_read_file(struct elf_file *f, int fd, struct stat *st)
{
	unsigned char ident[EI_NIDENT];
	int err;

	*f = (struct elf_file){.fd = fd};
	if (fstat(fd, st))
		return -errno;
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	if (!S_ISREG(st->st_mode))
		return -ENOEXEC;
	f->size = (uint64_t)st->st_size;
	if (elfsym_read_at(fd, ident, sizeof(ident), 0) != sizeof(ident) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	if (ident[EI_CLASS] != ELFCLASS64 && ident[EI_CLASS] != ELFCLASS32)
		return -ENOEXEC;
	f->is_64 = ident[EI_CLASS] == ELFCLASS64;
	err = f->is_64 ? read_header_64(f) : read_header_32(f);
	return err ? err : read_sections(f);
}

/* The symbol table of section type `type` in f, clamped to what the file holds. */
void elfsym_pick_table(const struct elf_file *f, uint32_t type, struct table *out)
{
	size_t entry = f->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i], *strings;
		uint64_t bytes;

		if (s->type != type || s->link >= f->n_sections || s->offset >= f->size)
			continue;
		strings = &f->sections[s->link];
		if (strings->type != SHT_STRTAB || strings->offset >= f->size)
			continue;
		bytes = s->size < f->size - s->offset ? s->size : f->size - s->offset;
		if (bytes / entry > INT32_MAX)
			bytes = (uint64_t)INT32_MAX * entry;
		*out = (struct table){.fd = f->fd,
				      .is_64 = f->is_64,
				      .n = (uint32_t)(bytes / entry),
				      .offset = s->offset,
				      .strings = strings->offset};
		out->strings_size = f->size - strings->offset;
		if (strings->size < out->strings_size)
			out->strings_size = strings->size;
		return;
	}
}

/* ---- separate debug files ---- */

/* The note of build ID; its length, 0 when there is none. */
static size_t build_id(const struct elf_file *f, unsigned char id[BUILD_ID_MAX])
{
	char raw[NOTE_MAX_BYTES];

	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];
		size_t got, at = 0;
		Elf32_Nhdr n;

		if (s->type != SHT_NOTE)
			continue;
		got = elfsym_read_at(f->fd, raw, s->size < sizeof(raw) ? s->size : sizeof(raw),
				     s->offset);
		while (at + sizeof(n) <= got) {
			memcpy(&n, raw + at, sizeof(n));
			at += sizeof(n);
			if (n.n_namesz > got || n.n_descsz > got)
				break;
			if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
			    n.n_descsz <= BUILD_ID_MAX && at + 4 + n.n_descsz <= got &&
			    memcmp(raw + at, "GNU", 4) == 0) {
				memcpy(id, raw + at + 4, n.n_descsz);
				return n.n_descsz;
			}
			at += ((n.n_namesz + 3) & ~3u) + ((n.n_descsz + 3) & ~3u);
		}
	}
	return 0;
}

/* The file named in .gnu_debuglink and its checksum. */
static bool debug_link(const struct elf_file *f, char name[NAME_MAX + 1], uint32_t *crc)
{
	const struct section *names;

	if (f->names_section >= f->n_sections)
		return false;
	names = &f->sections[f->names_section];
	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];
		char raw[NAME_MAX + 16], section_name[sizeof(".gnu_debuglink")];
		size_t got, length;

		if (s->type != SHT_PROGBITS || s->name >= names->size || s->size > sizeof(raw) ||
		    elfsym_read_at(f->fd, section_name, sizeof(section_name),
				   names->offset + s->name) != sizeof(section_name) ||
		    memcmp(section_name, ".gnu_debuglink", sizeof(section_name)) != 0)
			continue;
		got = elfsym_read_at(f->fd, raw, s->size, s->offset);
		length = strnlen(raw, got);
		if (!length || length > NAME_MAX || ((length + 4) & ~3ul) + 4 > got ||
		    memchr(raw, '/', length))
			return false;
		memcpy(name, raw, length + 1);
		memcpy(crc, raw + ((length + 4) & ~3ul), 4);
		return true;
	}
	return false;
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

/* Take the symbol table of the debug file at `path` if it belongs to the file with this build ID,
 * or, without one, this checksum. */
static bool use_debug_file(struct elfsym *e, const char *path, const unsigned char *id,
			   size_t id_size, uint32_t crc)
{
	unsigned char theirs[BUILD_ID_MAX];
	struct elf_file f = {0};
	struct table table = {0};
	struct stat st;
	int fd = elfsym_open_regular(path);

	if (fd < 0)
		return false;
	if (elfsym_read_file(&f, fd, &st) || f.machine != e->machine)
		goto out;
	if (id_size ? build_id(&f, theirs) != id_size || memcmp(theirs, id, id_size) != 0
		    : file_crc(fd) != crc)
		goto out;
	elfsym_pick_table(&f, SHT_SYMTAB, &table);
out:
	free(f.sections);
	if (table.n) {
		e->tables[TABLE_FULL] = table;
		e->debug_fd = fd;
	} else {
		close(fd);
	}
	return table.n;
}

void elfsym_find_debug_file(struct elfsym *e, const struct elf_file *f, const char *path)
{
	static const char hex[] = "0123456789abcdef";
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	char link[NAME_MAX + 1], at[PATH_MAX], id_text[2 * BUILD_ID_MAX + 1] = "";
	unsigned char id[BUILD_ID_MAX];
	size_t id_size = build_id(f, id);
	uint32_t crc = 0;

	for (size_t i = 0; i < id_size; i++) {
		id_text[2 * i] = hex[id[i] >> 4];
		id_text[2 * i + 1] = hex[id[i] & 15];
	}
	snprintf(at, sizeof(at), "/usr/lib/debug/.build-id/%.2s/%s.debug", id_text, id_text + 2);
	if (id_size > 1 && use_debug_file(e, at, id, id_size, 0))
		return;
	if (!debug_link(f, link, &crc))
		return;
	snprintf(at, sizeof(at), "%.*s/%s", folder, path, link);
	if (slash && use_debug_file(e, at, id, id_size, crc))
		return;
	snprintf(at, sizeof(at), "%.*s/.debug/%s", folder, path, link);
	if (slash && use_debug_file(e, at, id, id_size, crc))
		return;
	snprintf(at, sizeof(at), "/usr/lib/debug%.*s/%s", folder, path, link);
	use_debug_file(e, at, id, id_size, crc);
}
