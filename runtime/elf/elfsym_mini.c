/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MiniDebugInfo: the symbols of a stripped file in its section .gnu_debugdata, which is an ELF file
 * compressed with xz, as in Fedora. liblzma is loaded with dlopen(), because few files have that
 * section.
 */
#define _GNU_SOURCE
#include "runtime/elf/elfsym_impl.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* xz makes a symbol table 3 to 6 times smaller. A file of zeros can claim 7,000 times its size. */
enum {
	PACKED_MAX = 16 << 20,
	UNPACKED_MAX = 256 << 20,
	UNPACKED_RATIO = 64,
	LZMA_OK = 0,
	LZMA_BUF_ERROR = 10
};

/* lzma_stream_buffer_decode() of liblzma; unchanged since 5.0. */
typedef int unpack_fn(uint64_t *memory_limit, uint32_t flags, const void *allocator,
		      const uint8_t *in, size_t *in_at, size_t in_size, uint8_t *out,
		      size_t *out_at, size_t out_size);

static unpack_fn *find_unpack(void)
{
	void *so = dlopen("liblzma.so.5", RTLD_NOW | RTLD_LOCAL);
	unpack_fn *fn = NULL;

	if (so)
		*(void **)&fn = dlsym(so, "lzma_stream_buffer_decode");
	return fn;
}

/* The unpacked size is not known: double the buffer until it fits. */
static uint8_t *unpack(const uint8_t *packed, size_t n, size_t *size)
{
	unpack_fn *fn = find_unpack();
	uint8_t *out = NULL;
	int err = fn ? LZMA_BUF_ERROR : -1;

	for (size_t out_size = 8 * n;
	     err == LZMA_BUF_ERROR && out_size <= UNPACKED_MAX && out_size <= UNPACKED_RATIO * n;
	     out_size *= 2) {
		uint64_t limit = UNPACKED_MAX;
		size_t in_at = 0;

		free(out);
		out = malloc(out_size);
		if (!out)
			break;
		*size = 0;
		err = fn(&limit, 0, NULL, packed, &in_at, n, out, size, out_size);
	}
	if (err == LZMA_OK)
		return out;
	free(out);
	return NULL;
}

static int to_file(const uint8_t *bytes, size_t n)
{
	int fd = memfd_create("sonde_symbols", MFD_CLOEXEC);
	size_t at = 0;

	while (fd >= 0 && at < n) {
		ssize_t done = write(fd, bytes + at, n - at);

		if (done <= 0) {
			close(fd);
			return -1;
		}
		at += (size_t)done;
	}
	return fd;
}

static const struct section *find_section(const struct elf_file *f)
{
	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if (s->type == SHT_PROGBITS && s->size <= PACKED_MAX &&
		    elfsym_section_is(f, s, ".gnu_debugdata"))
			return s;
	}
	return NULL;
}

static void take_table(struct elfsym *e, int fd)
{
	struct elf_file f = {0};
	struct table table = {0};
	struct stat st;

	if (!elfsym_read_file(&f, fd, &st) && f.machine == e->machine)
		elfsym_pick_table(&f, SHT_SYMTAB, &table);
	elfsym_close_file(&f);
	if (!table.n) {
		close(fd);
		return;
	}
	e->tables[TABLE_FULL] = table;
	e->debug_fd = fd;
}

void elfsym_find_mini_symbols(struct elfsym *e, const struct elf_file *f)
{
	const struct section *s = find_section(f);
	uint8_t *packed = s ? malloc(s->size + 1) : NULL, *bytes = NULL;
	size_t n = packed ? elfsym_read_at(f->fd, packed, s->size, s->offset) : 0, size = 0;
	int fd = -1;

	if (n)
		bytes = unpack(packed, n, &size);
	if (bytes)
		fd = to_file(bytes, size);
	free(packed);
	free(bytes);
	if (fd >= 0)
		take_table(e, fd);
}
