/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build IDs: see elfsym.h. Nothing in the file is trusted.
 */
#include "runtime/elf/elfsym_impl.h"
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NOTE_BYTES = 1024, HEADERS_MAX = 64 };

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* A note is a header, the name, the content, each padded to 4 bytes. */
size_t build_id_in_notes(const char *notes, size_t n, unsigned char out[BUILD_ID_BYTES])
{
	Elf64_Nhdr h;

	for (size_t at = 0; at + sizeof(h) <= n;) {
		size_t name = at + sizeof(h), content, size;

		memcpy(&h, notes + at, sizeof(h));
		content = name + aligned(h.n_namesz);
		size = h.n_descsz;
		if (h.n_namesz > n || size > n || content + size > n)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0) {
			size = size < BUILD_ID_BYTES ? size : BUILD_ID_BYTES;
			memcpy(out, notes + content, size);
			return size;
		}
		at = content + aligned(size);
	}
	return 0;
}

/* The build ID in notes of the file; 0: none. */
static size_t read_notes(int fd, uint64_t offset, uint64_t size, unsigned char *out)
{
	char notes[NOTE_BYTES];
	ssize_t n = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes), (off_t)offset);

	return n > 0 ? build_id_in_notes(notes, (size_t)n, out) : 0;
}

/* The same of a file of 32 or 64 bits. */
#define READ_HEADERS(BITS)                                                                         \
	static size_t read_headers_##BITS(int fd, const Elf##BITS##_Ehdr *h, unsigned char *out)   \
	{                                                                                          \
		Elf##BITS##_Phdr headers[HEADERS_MAX];                                             \
		size_t n = 0, size = h->e_phnum * sizeof(headers[0]);                              \
                                                                                                   \
		if (h->e_phentsize != sizeof(headers[0]) || h->e_phnum > HEADERS_MAX ||            \
		    pread(fd, headers, size, (off_t)h->e_phoff) != (ssize_t)size)                  \
			return 0;                                                                  \
		for (int i = 0; !n && i < h->e_phnum; i++)                                         \
			if (headers[i].p_type == PT_NOTE)                                          \
				n = read_notes(fd, headers[i].p_offset, headers[i].p_filesz, out); \
		return n;                                                                          \
	}

READ_HEADERS(32)
READ_HEADERS(64)

size_t build_id_read(int fd, unsigned char out[BUILD_ID_BYTES])
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	ssize_t got = pread(fd, &h, sizeof(h), 0);

	if (got != sizeof(h) || memcmp(h.ident, ELFMAG, SELFMAG) != 0)
		return 0;
	return h.ident[EI_CLASS] == ELFCLASS64 ? read_headers_64(fd, &h.e64, out)
					       : read_headers_32(fd, &h.e32, out);
}

void build_id_print(const unsigned char *id, size_t n, char out[BUILD_ID_TEXT])
{
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

const char *elfsym_build_id(struct elfsym *e)
{
	unsigned char id[BUILD_ID_BYTES];

	if (!e->has_build_id)
		build_id_print(id, build_id_read(e->fd, id), e->build_id);
	e->has_build_id = true;
	return e->build_id[0] ? e->build_id : NULL;
}
