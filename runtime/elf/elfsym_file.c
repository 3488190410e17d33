/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of ELF files, in one form for 32 and 64 bits: see elfsym_impl.h.
 * Nothing in the file is trusted: offsets, counts and strings are checked where they are read.
 */
#define _GNU_SOURCE
#include "runtime/elf/elfsym_impl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTIONS_MAX = 65536, SECTION_NAME_MAX = 32 };

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

/* Both widths have the same fields with different sizes. */
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

/* Counts that do not fit into the ELF header are in section 0. */
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

bool elfsym_section_is(const struct elf_file *f, const struct section *s, const char *name)
{
	const struct section *names = &f->sections[f->names_section];
	char bytes[SECTION_NAME_MAX] = "";

	if (f->names_section >= f->n_sections || s->name >= names->size)
		return false;
	elfsym_read_at(f->fd, bytes, sizeof(bytes) - 1, names->offset + s->name);
	return strcmp(bytes, name) == 0;
}

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
