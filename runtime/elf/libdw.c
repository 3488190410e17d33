/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libdw, and what it may cost: see libdw.h.
 */
#include "runtime/elf/libdw.h"
#include "runtime/elf/elfsym_impl.h"
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

/* libdw decompresses all debug sections when it opens a file, into as much memory as they claim.
 * zlib can reach a ratio of 1,000, zstd much more; that of debug information is 2 to 6. */
enum { INFLATED_ALWAYS = 64 << 20, INFLATED_RATIO = 32 };

int libdw_load(struct libdw *l)
{
	void *so = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!so)
		return -ENOSYS;
#define LOOK_UP(name)                          \
	*(void **)&l->name = dlsym(so, #name); \
	if (!l->name)                          \
		return -ENOSYS;
	LIBDW_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
	return 0;
}

/* The size that a section of f claims when decompressed; 0: it is not compressed. */
static uint64_t inflated_size(const struct elf_file *f, const struct section *s)
{
	union {
		Elf32_Chdr h32;
		Elf64_Chdr h64;
		struct {
			char magic[4];
			uint64_t size; /* big-endian */
		} __attribute__((packed)) gnu;
	} h = {0};

	if (s->type == SHT_NOBITS || elfsym_read_at(f->fd, &h, sizeof(h), s->offset) < 12)
		return 0;
	if (s->flags & SHF_COMPRESSED)
		return f->is_64 ? h.h64.ch_size : h.h32.ch_size;
	/* .zdebug_*, by its content: the name would have to be looked up */
	return s->type == SHT_PROGBITS && !memcmp(h.gnu.magic, "ZLIB", 4) ? be64toh(h.gnu.size) : 0;
}

static bool is_too_large(int fd)
{
	uint64_t sum = 0, limit;
	struct elf_file f;
	struct stat st;

	if (elfsym_read_file(&f, fd, &st))
		f.n_sections = 0; /* libdw refuses it, too */
	limit = f.size > INFLATED_ALWAYS / INFLATED_RATIO ? f.size * INFLATED_RATIO
							  : INFLATED_ALWAYS;
	for (uint32_t i = 0; i < f.n_sections && sum <= limit; i++) {
		uint64_t size = inflated_size(&f, &f.sections[i]);

		sum = size > limit ? size : sum + size;
	}
	elfsym_close_file(&f);
	return sum > limit;
}

int libdw_open(struct libdw *l, int fd, Dwarf **out)
{
	int err = libdw_load(l);

	*out = NULL;
	if (err)
		return err;
	if (is_too_large(fd))
		return -EFBIG;
	*out = l->dwarf_begin(fd, DWARF_C_READ);
	return *out ? 0 : -ENODATA;
}
