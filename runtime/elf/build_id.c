/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build IDs: see elfsym.h. Nothing in the file is trusted.
 */
#include "runtime/elf/elfsym.h"
#include <elf.h>
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

size_t build_id_read(int fd, unsigned char out[BUILD_ID_BYTES])
{
	Elf64_Phdr headers[HEADERS_MAX];
	Elf64_Ehdr h;
	ssize_t got = pread(fd, &h, sizeof(h), 0);
	size_t n = 0;

	if (got != sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof(headers[0]) ||
	    h.e_phnum > HEADERS_MAX)
		return 0;
	got = pread(fd, headers, h.e_phnum * sizeof(headers[0]), (off_t)h.e_phoff);
	for (ssize_t i = 0; !n && (i + 1) * (ssize_t)sizeof(headers[0]) <= got; i++) {
		char notes[NOTE_BYTES];
		size_t size = headers[i].p_filesz;
		ssize_t n_read;

		if (headers[i].p_type != PT_NOTE)
			continue;
		n_read = pread(fd, notes, size < sizeof(notes) ? size : sizeof(notes),
			       (off_t)headers[i].p_offset);
		n = n_read > 0 ? build_id_in_notes(notes, (size_t)n_read, out) : 0;
	}
	return n;
}
