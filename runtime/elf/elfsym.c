/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening and closing ELF files for symbols: see elfsym.h.
 *
 * Only the headers are read at open. Symbols and strings are read when they are looked up, in
 * blocks, with pread(). Nothing is mapped: if a file shrinks while it is read, a read is short,
 * where an access to a mapping would raise SIGBUS.
 * Nothing in the file is trusted: offsets, counts and strings are checked where they are read.
 */
#include "runtime/elf/elfsym_impl.h"
#include <unistd.h>

enum { SEGMENTS_MAX = 1024 };

static int read_segments(struct elfsym *e, const struct elf_file *f)
{
	GElf_Phdr p;
	int err = 0;

	for (size_t i = 0; i < SEGMENTS_MAX && !err && elfsym_header(f, i, &p); i++)
		if (p.p_type == PT_LOAD && p.p_filesz)
			err = vec_push(&e->segments,
				       (struct segment){p.p_vaddr, p.p_offset, p.p_filesz,
							p.p_flags & PF_X});
		else if (p.p_type == PT_GNU_EH_FRAME)
			e->frames = p.p_vaddr;
	return err;
}

static int read_text_ranges(struct elfsym *e, const struct elf_file *f)
{
	const uint64_t executable = SHF_ALLOC | SHF_EXECINSTR;

	e->base = UINT64_MAX;
	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if ((s->flags & executable) != executable || !s->size ||
		    s->size > UINT64_MAX - s->address)
			continue;
		if (vec_push(&e->text, (struct range){s->address, s->address + s->size}))
			return -ENOMEM;
		if (s->address < e->base)
			e->base = s->address;
	}
	return 0;
}

static void pick_versions(const struct elf_file *f, struct table *out)
{
	for (uint32_t i = 0; i < f->n_sections; i++)
		if (f->sections[i].type == SHT_GNU_versym)
			out->versions = f->sections[i].offset;
}

static int read_all_headers(struct elfsym *e, const char *path)
{
	struct elf_file f;
	int err = elfsym_read_file(&f, e->fd);

	if (err)
		goto out;
	e->machine = f.machine;
	e->is_movable = f.kind == ET_DYN;
	e->entry = f.entry;
	e->size = f.size;
	e->modified = f.modified;
	err = read_segments(e, &f) ?: read_text_ranges(e, &f);
	if (err)
		goto out;
	elfsym_pick_table(&f, SHT_SYMTAB, &e->tables[TABLE_FULL]);
	elfsym_pick_table(&f, SHT_DYNSYM, &e->tables[TABLE_DYNAMIC]);
	pick_versions(&f, &e->tables[TABLE_DYNAMIC]);
	if (!e->tables[TABLE_FULL].n)
		elfsym_find_debug_file(e, &f, path);
	if (!e->tables[TABLE_FULL].n)
		elfsym_find_mini_symbols(e, &f);
out:
	elfsym_close_file(&f);
	return err;
}

struct elfsym *elfsym_open_fd(int fd, const char *path, int *err)
{
	struct elfsym *e = calloc(1, sizeof(*e));

	if (!e) {
		close(fd);
		*err = -ENOMEM;
		return NULL;
	}
	e->fd = fd;
	e->debug_fd = -1;
	*err = read_all_headers(e, path);
	if (*err) {
		elfsym_close(e);
		return NULL;
	}
	return e;
}

struct elfsym *elfsym_open(const char *path, int *err)
{
	int fd = elfsym_open_regular(path);

	if (fd < 0) {
		*err = fd == -ENOTDIR ? -ENOENT : fd;
		return NULL;
	}
	return elfsym_open_fd(fd, path, err);
}

void elfsym_close(struct elfsym *e)
{
	if (!e)
		return;
	string_set_free(&e->names);
	if (e->debug_fd >= 0)
		close(e->debug_fd);
	close(e->fd);
	hash_free(&e->cache);
	vec_free(&e->index);
	vec_free(&e->stubs);
	vec_free(&e->objects);
	vec_free(&e->text);
	vec_free(&e->segments);
	free(e);
}

size_t elfsym_bytes(const struct elfsym *e)
{
	return sizeof(*e) + e->index.capacity * sizeof(*e->index.items) +
	       e->cache.n_slots * sizeof(*e->cache.slots) + e->names.n_bytes +
	       e->names.table.n_slots * sizeof(*e->names.table.slots) +
	       e->stubs.capacity * sizeof(*e->stubs.items) +
	       e->objects.capacity * sizeof(*e->objects.items) +
	       e->segments.capacity * sizeof(*e->segments.items) +
	       e->text.capacity * sizeof(*e->text.items);
}

bool elfsym_file_to_vaddr(struct elfsym *e, uint64_t file_offset, uint64_t *vaddr)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < e->segments.n; i++) {
		const struct segment *s = &e->segments.items[i];

		if (file_offset - s->offset < s->size && (!found || s->is_executable))
			found = s;
	}
	if (!found)
		return false;
	*vaddr = file_offset - found->offset + found->vaddr;
	return true;
}

bool elfsym_is_entry(const struct elfsym *e, uint64_t vaddr)
{
	return vaddr && vaddr == e->entry;
}
