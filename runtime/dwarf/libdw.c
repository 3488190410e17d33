/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads libdw and limits the memory that it takes: see libdw.h.
 */
#include "runtime/dwarf/libdw.h"
#include "runtime/base/clock.h"
#include "runtime/elf/elfsym_impl.h"
#include <dlfcn.h>
#include <dwarf.h>
#include <endian.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Limits for compressed sections. libdw decompresses all debug sections when it opens a file, into
 * as much memory as they claim. zlib can reach a ratio of 1,000, zstd much more; that of debug
 * information is 2 to 6. */
enum { INFLATED_ALWAYS = 64 << 20, INFLATED_RATIO = 32 };

enum { RANGES_MAX = 1 << 22, OVERLAPS_MAX = 16 };

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
	l->reads_packages = dlsym(so, "dwarf_cu_dwp_section_info");
	return 0;
}

/* The size that a section of f claims when decompressed; 0: it is not compressed. Sets *has_zstd if
 * it is compressed by zstd, which libdw can only read if it was built with it. */
static uint64_t inflated_size(const struct elf_file *f, const struct section *s, bool *has_zstd)
{
	enum { ZSTD = 2 }; /* ELFCOMPRESS_ZSTD, which older headers lack */
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
	if (s->flags & SHF_COMPRESSED) {
		*has_zstd |= h.h32.ch_type == ZSTD; /* the first word of both headers */
		return f->is_64 ? h.h64.ch_size : h.h32.ch_size;
	}
	/* .zdebug_*, recognized by its content: otherwise the name would have to be looked up */
	return s->type == SHT_PROGBITS && !memcmp(h.gnu.magic, "ZLIB", 4) ? be64toh(h.gnu.size) : 0;
}

/* True if the compressed sections of the file claim too much memory. */
static bool is_too_large(int fd, bool *has_zstd)
{
	uint64_t sum = 0, limit;
	struct elf_file f;

	*has_zstd = false;
	elfsym_read_file(&f, fd); /* libdw refuses a file that cannot be read, too */
	limit = f.size > INFLATED_ALWAYS / INFLATED_RATIO ? f.size * INFLATED_RATIO
							  : INFLATED_ALWAYS;
	for (uint32_t i = 0; i < f.n_sections && sum <= limit; i++) {
		uint64_t size = inflated_size(&f, &f.sections[i], has_zstd);

		sum = size > limit ? size : sum + size;
	}
	elfsym_close_file(&f);
	return sum > limit;
}

/* May the path of .gnu_debugaltlink be opened? dwz moves data that several files have in common to
 * the file of that name. libdw would open any name, also that of a pipe, and wait. */
static bool is_trusted_path(const char *path)
{
	static const char folder[] = "/usr/lib/debug/";

	return strncmp(path, folder, sizeof(folder) - 1) == 0 && !strstr(path, "/../");
}

static void close_alt(struct libdw *l)
{
	if (l->alt)
		l->dwarf_end(l->alt);
	if (l->alt_fd >= 0)
		close(l->alt_fd);
	l->alt = NULL;
	l->alt_fd = -1;
}

static void open_alt(struct libdw *l, Dwarf *d)
{
	Dwarf *const none = (Dwarf *)-1; /* tells libdw not to look for the file */
	const void *id, *its_id;
	const char *name;
	ssize_t n = l->dwelf_dwarf_gnu_debugaltlink(d, &name, &id), its_n = 0;
	bool has_zstd;

	l->alt = NULL;
	l->alt_fd = n > 0 && is_trusted_path(name) ? elfsym_open_regular(name) : -1;
	if (l->alt_fd >= 0 && !is_too_large(l->alt_fd, &has_zstd))
		l->alt = l->dwarf_begin(l->alt_fd, DWARF_C_READ);
	if (l->alt)
		its_n = l->dwelf_elf_gnu_build_id(l->dwarf_getelf(l->alt), &its_id);
	if (l->alt && its_n == n && memcmp(id, its_id, (size_t)n) == 0) {
		l->dwarf_setalt(d, l->alt);
		return;
	}
	l->dwarf_setalt(d, none);
	close_alt(l);
}

int libdw_open(struct libdw *l, int fd, Dwarf **out)
{
	int err = libdw_load(l);
	Dwarf_CU *first = NULL;
	bool has_zstd;

	*out = NULL;
	if (err)
		return err;
	if (is_too_large(fd, &has_zstd))
		return -EFBIG;
	*out = l->dwarf_begin(fd, DWARF_C_READ);
	if (!*out || l->dwarf_get_units(*out, NULL, &first, NULL, NULL, NULL, NULL) != 0) {
		if (*out)
			l->dwarf_end(*out);
		*out = NULL;
		return has_zstd ? -EPROTONOSUPPORT : -ENODATA;
	}
	open_alt(l, *out);
	return 0;
}

void libdw_close(struct libdw *l, Dwarf *d)
{
	if (!d)
		return;
	l->dwarf_end(d);
	close_alt(l);
}

bool libdw_is_skeleton(const struct libdw *l, Dwarf_Die *unit)
{
	uint8_t type = 0;

	return !l->dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) &&
	       type == DW_UT_skeleton;
}

bool libdw_split(const struct libdw *l, Dwarf_Die *skeleton, Dwarf_Die *out)
{
	*out = (Dwarf_Die){0};
	return libdw_is_skeleton(l, skeleton) &&
	       !l->dwarf_cu_info(skeleton->cu, NULL, NULL, NULL, out, NULL, NULL, NULL) &&
	       out->addr;
}

bool libdw_lacks_packages(const struct libdw *l, int fd)
{
	char link[32], path[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - sizeof(".dwp"));
	if (n <= 0 || l->reads_packages)
		return false;
	strcpy(path + n, ".dwp");
	return access(path, F_OK) == 0;
}

/* ---- ranges ---- */

bool libdw_add_ranges(const struct libdw *l, Dwarf_Die *die, uint64_t at, uint64_t deadline_ns,
		      struct libdw_ranges *out)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = l->dwarf_ranges(die, next, &base, &start, &end)) > 0) {
		if (out->n == RANGES_MAX || monotonic_ns() > deadline_ns)
			return false;
		/* Functions that the linker dropped begin at 0. */
		if (start && start < end && vec_push(out, (struct libdw_range){start, end, at}))
			return false;
	}
	return true;
}

const struct libdw_range *libdw_range_at(const struct libdw_ranges *r, uint64_t vaddr)
{
	size_t n = vec_bound(r, item->start <= vaddr);

	for (size_t i = n; i > 0 && n - i < OVERLAPS_MAX; i--)
		if (vaddr < r->items[i - 1].end)
			return &r->items[i - 1];
	return NULL;
}

/* ---- sections ---- */

static Elf_Data *line_section(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr h;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *its_name =
			gelf_getshdr(scn, &h) ? elf_strptr(elf, names, h.sh_name) : NULL;

		if (its_name && h.sh_type != SHT_NOBITS &&
		    (strcmp(its_name, ".debug_line") == 0 || strcmp(its_name, ".zdebug_line") == 0))
			return elf_getdata(scn, NULL); /* libdw has decompressed it */
	}
	return NULL;
}

uint64_t libdw_line_program_bytes(const struct libdw *l, Dwarf *d, uint64_t at)
{
	Elf_Data *data = line_section(l->dwarf_getelf(d));
	uint32_t length;
	uint64_t length64;

	if (!data || data->d_size < 12 || at > data->d_size - 12)
		return UINT64_MAX;
	memcpy(&length, (const char *)data->d_buf + at, sizeof(length));
	if (length != UINT32_MAX)
		return length;
	memcpy(&length64, (const char *)data->d_buf + at + 4, sizeof(length64));
	return length64;
}
