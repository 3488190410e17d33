/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separate debug files: by build ID in /usr/lib/debug/.build-id, or by .gnu_debuglink next to the
 * file, in .debug/, and below /usr/lib/debug. A debug file is used only if its build ID (without
 * one: its checksum) matches.
 */
#include "runtime/elf/elfsym_impl.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* libelf keeps what it has read of notes until the file is closed. */
enum { NOTE_MAX_BYTES = 4096, NOTE_SECTIONS_MAX = 64 };

/* Read the build ID. Returns its length, 0 if there is none. */
static size_t build_id(const struct elf_file *f, unsigned char id[BUILD_ID_MAX])
{
	int n_read = 0;

	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];
		size_t size = s->size < NOTE_MAX_BYTES ? s->size : NOTE_MAX_BYTES, at = 0;
		size_t name, desc;
		Elf_Data *data;
		GElf_Nhdr n;

		if (s->type != SHT_NOTE || n_read++ == NOTE_SECTIONS_MAX)
			continue;
		data = elf_getdata_rawchunk(f->elf, (int64_t)s->offset, size, ELF_T_NHDR);
		while (data && (at = gelf_getnote(data, at, &n, &name, &desc)) > 0) {
			const char *raw = data->d_buf;

			if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 ||
			    n.n_descsz > BUILD_ID_MAX || memcmp(raw + name, "GNU", 4) != 0)
				continue;
			memcpy(id, raw + desc, n.n_descsz);
			return n.n_descsz;
		}
	}
	return 0;
}

/* Read .gnu_debuglink: the name of the debug file and its checksum. */
static bool debug_link(const struct elf_file *f, char name[NAME_MAX + 1], uint32_t *crc)
{
	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];
		char raw[NAME_MAX + 16];
		size_t got, length;

		if (s->type != SHT_PROGBITS || s->size > sizeof(raw) ||
		    !elfsym_section_is(f, s, ".gnu_debuglink"))
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

/* Use the symbol table of the debug file at `path` if its build ID matches, or, without a build ID,
 * its checksum. */
static bool use_debug_file(struct elfsym *e, const char *path, const unsigned char *id,
			   size_t id_size, uint32_t crc)
{
	unsigned char its_id[BUILD_ID_MAX];
	struct elf_file f = {0};
	struct table table = {0};
	struct stat st;
	int fd = elfsym_open_regular(path);

	if (fd < 0)
		return false;
	if (elfsym_read_file(&f, fd, &st) || f.machine != e->machine)
		goto out;
	if (id_size ? build_id(&f, its_id) != id_size || memcmp(its_id, id, id_size) != 0
		    : file_crc(fd) != crc)
		goto out;
	elfsym_pick_table(&f, SHT_SYMTAB, &table);
out:
	elfsym_close_file(&f);
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
