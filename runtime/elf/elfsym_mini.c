/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MiniDebugInfo: the symbols of a stripped file in its section .gnu_debugdata, which is an ELF file
 * compressed with xz, as in Fedora. liblzma is loaded with dlopen(), because few files have that
 * section.
 */
#include "runtime/elf/elfsym_impl.h"
#include "runtime/base/memory_file.h"
#include <dlfcn.h>
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

void elfsym_use_table(struct elfsym *e, int fd)
{
	struct elf_file f = {0};
	struct table table = {0};

	if (fd < 0)
		return;
	if (!elfsym_read_file(&f, fd) && f.machine == e->machine)
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
	const struct section *s = elfsym_section(f, ".gnu_debugdata");
	uint8_t *packed = s && s->size <= PACKED_MAX ? malloc(s->size + 1) : NULL, *bytes = NULL;
	size_t n = packed ? elfsym_read_at(f->fd, packed, s->size, s->offset) : 0, size = 0;
	int fd = -1;

	if (n)
		bytes = unpack(packed, n, &size);
	if (bytes)
		fd = memory_file("sonde_symbols", bytes, size);
	free(packed);
	free(bytes);
	elfsym_use_table(e, fd);
}
