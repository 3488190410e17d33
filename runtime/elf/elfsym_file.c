/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of ELF files, read with libelf, in one form for 32 and 64 bits: see elfsym_impl.h.
 *
 * libelf must not map the file (ELF_C_READ makes it use pread()), so a file that shrinks gives
 * errors, not SIGBUS. It checks offsets and sizes against the size of the file, but allocates as
 * much as a file claims; that is limited here. Its memory (18 KiB for libc) is freed when the file
 * has been opened. Opening libc takes 50 us, 20 us more than when the headers were parsed by hand;
 * the index by address, which follows, takes 300 us.
 */
#include "runtime/elf/elfsym_impl.h"
#include "runtime/base/io.h"
#include "runtime/base/zip_member.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTIONS_MAX = 65536, HEADERS_MAX = 65535, NAMES_MAX_BYTES = 16 << 20 };

size_t elfsym_read_at(int fd, void *buffer, size_t n, uint64_t offset)
{
	ssize_t got = io_read_at(fd, buffer, n, offset);

	return got > 0 ? (size_t)got : 0;
}

int elfsym_open_regular(const char *path)
{
	struct stat st;
	int fd;

	if (zip_member_of(path))
		return zip_member_copy(path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -ENOEXEC; /* opening a device may act: /dev/watchdog reboots */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

/* libelf allocates memory for each section. Refuse a file that claims more than SECTIONS_MAX of
 * them, which any sparse file can: such a number is not in the ELF header, but in section 0. */
static bool has_too_many_sections(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h = {0};
	bool is_64, is_in_section;
	Elf64_Shdr s64 = {0};
	Elf32_Shdr s32 = {0};

	elfsym_read_at(fd, &h, sizeof(h), 0);
	is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	is_in_section = is_64 ? !h.e64.e_shnum && h.e64.e_shoff : !h.e32.e_shnum && h.e32.e_shoff;
	if (!is_in_section)
		return false;
	if (is_64)
		elfsym_read_at(fd, &s64, sizeof(s64), h.e64.e_shoff);
	else
		elfsym_read_at(fd, &s32, sizeof(s32), h.e32.e_shoff);
	return (is_64 ? s64.sh_size : s32.sh_size) > SECTIONS_MAX;
}

static int read_sections(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	size_t n;

	if (elf_getshdrnum(f->elf, &n) || !n)
		return 0;
	f->sections = calloc(n, sizeof(*f->sections));
	if (!f->sections)
		return -ENOMEM;
	f->n_sections = 1; /* section 0 is all zeros */
	while (f->n_sections < n && (scn = elf_nextscn(f->elf, scn)) && gelf_getshdr(scn, &h))
		f->sections[f->n_sections++] =
			(struct section){h.sh_name, h.sh_type,	 h.sh_link, h.sh_flags,
					 h.sh_addr, h.sh_offset, h.sh_size};
	/* libelf reads all names at once. */
	if (elf_getshdrstrndx(f->elf, &f->names_section) || f->names_section >= f->n_sections ||
	    f->sections[f->names_section].size > NAMES_MAX_BYTES)
		f->names_section = 0;
	return 0;
}

int elfsym_read_file(struct elf_file *f, int fd)
{
	struct stat st;
	GElf_Ehdr h;

	*f = (struct elf_file){.fd = fd};
	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) || has_too_many_sections(fd))
		return -ENOEXEC;
	f->size = (uint64_t)st.st_size;
	f->modified = st.st_mtim;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &h) ||
	    h.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	f->is_64 = h.e_ident[EI_CLASS] == ELFCLASS64;
	f->machine = h.e_machine;
	f->kind = h.e_type;
	f->entry = h.e_entry;
	return read_sections(f);
}

void elfsym_close_file(struct elf_file *f)
{
	free(f->sections);
	elf_end(f->elf);
}

bool elfsym_section_is(const struct elf_file *f, const struct section *s, const char *name)
{
	const char *its_name =
		f->names_section ? elf_strptr(f->elf, f->names_section, s->name) : NULL;

	return its_name && strcmp(its_name, name) == 0;
}

const struct section *elfsym_section(const struct elf_file *f, const char *name)
{
	return FIND(f->sections, f->n_sections,
		    item->type != SHT_NOBITS && item->size && elfsym_section_is(f, item, name));
}

/* libelf reads all of them at once. */
bool elfsym_header(const struct elf_file *f, size_t i, GElf_Phdr *out)
{
	size_t n;

	return !elf_getphdrnum(f->elf, &n) && n <= HEADERS_MAX && i < n &&
	       gelf_getphdr(f->elf, (int)i, out);
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

bool elfsym_find_offset(const struct elf_file *f, uint64_t address, uint64_t *offset, uint64_t *n)
{
	GElf_Phdr h;

	for (size_t i = 0; elfsym_header(f, i, &h); i++)
		if (h.p_type == PT_LOAD && address - h.p_vaddr < h.p_filesz) {
			*offset = h.p_offset + (address - h.p_vaddr);
			*n = h.p_filesz - (address - h.p_vaddr);
			return true;
		}
	return false;
}

size_t elfsym_read_address(const struct elf_file *f, uint64_t address, void *out, size_t n)
{
	uint64_t offset, most;

	if (!elfsym_find_offset(f, address, &offset, &most))
		return 0;
	return elfsym_read_at(f->fd, out, n < most ? n : most, offset);
}
