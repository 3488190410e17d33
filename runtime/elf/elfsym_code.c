/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of an ELF file other than its symbols (see elfsym.h): its code, the compiler that made
 * it, the libraries that it needs.
 */
#include "runtime/elf/elfsym_impl.h"

enum { DYNAMIC_MAX_BYTES = 16 << 20 };

uint16_t elfsym_machine(const struct elfsym *e)
{
	return e->machine;
}

bool elfsym_is_movable(const struct elfsym *e)
{
	return e->is_movable;
}

int elfsym_fd(const struct elfsym *e)
{
	return e->fd;
}

size_t elfsym_read(const struct elfsym *e, uint64_t offset, void *out, size_t n)
{
	return elfsym_read_at(e->fd, out, n, offset);
}

bool elfsym_to_file(const struct elfsym *e, uint64_t vaddr, bool is_code, uint64_t *file_offset)
{
	for (size_t i = 0; i < e->segments.n; i++) {
		const struct segment *s = &e->segments.items[i];

		if (vaddr - s->vaddr < s->size && (s->is_executable || !is_code)) {
			*file_offset = vaddr - s->vaddr + s->offset;
			return true;
		}
	}
	return false;
}

bool elfsym_vaddr_to_file(const struct elfsym *e, uint64_t vaddr, uint64_t *file_offset)
{
	return elfsym_to_file(e, vaddr, false, file_offset);
}

size_t elfsym_each_code(const struct elfsym *e,
			void (*fn)(uint64_t offset, uint64_t size, void *ctx), void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < e->segments.n; i++) {
		const struct segment *s = &e->segments.items[i];
		uint64_t size = s->offset > e->size		? 0
				: s->size > e->size - s->offset ? e->size - s->offset
								: s->size;

		if (!s->is_executable)
			continue;
		n += size;
		if (fn)
			fn(s->offset, size, ctx);
	}
	return n;
}

/* ---- call frame information ---------------------------------------------------------------- */

/* The table of .eh_frame_hdr, sorted (Linux Standard Base 5.0, section 10.6.2), and the start of an
 * entry of .eh_frame, as the linkers of x86-64 and arm64 write them: all distances have 4 bytes. */
struct frame_table {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t n;
};

struct frame_row {
	int32_t start, entry; /* from the start of the table's header */
};

struct frame_entry {
	uint32_t bytes, back;
	int32_t start; /* from this member */
	uint32_t size;
};

static bool read_at_vaddr(const struct elfsym *e, uint64_t vaddr, void *out, size_t n)
{
	uint64_t offset;

	return elfsym_to_file(e, vaddr, false, &offset) && elfsym_read(e, offset, out, n) == n;
}

/* The last row that does not begin after `distance`. */
static bool find_frame_row(const struct elfsym *e, uint32_t n, int64_t distance,
			   struct frame_row *out)
{
	uint64_t rows = e->frames + sizeof(struct frame_table);
	uint32_t low = 0, high = n;
	struct frame_row row;

	while (low < high) {
		uint32_t i = low + (high - low) / 2;

		if (!read_at_vaddr(e, rows + (uint64_t)i * sizeof(row), &row, sizeof(row)))
			return false;
		if (row.start <= distance) {
			low = i + 1;
			*out = row;
		} else {
			high = i;
		}
	}
	return low > 0;
}

bool elfsym_frame_range(const struct elfsym *e, uint64_t vaddr, uint64_t *start, uint64_t *size)
{
	/* DW_EH_PE_pcrel | sdata4, udata4, DW_EH_PE_datarel | sdata4 */
	static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
	struct frame_table t;
	struct frame_row row;
	struct frame_entry entry;
	uint64_t at;

	if (!e->frames || !read_at_vaddr(e, e->frames, &t, sizeof(t)) ||
	    memcmp(&t, usual, sizeof(usual)) != 0 ||
	    !find_frame_row(e, t.n, (int64_t)(vaddr - e->frames), &row))
		return false;
	at = e->frames + (uint64_t)(int64_t)row.entry;
	*start = e->frames + (uint64_t)(int64_t)row.start;
	if (!read_at_vaddr(e, at, &entry, sizeof(entry)))
		return false;
	*size = entry.size;
	/* another encoding of addresses would give another start */
	at += offsetof(struct frame_entry, start) + (uint64_t)(int64_t)entry.start;
	return at == *start && vaddr - *start < *size;
}

/* ---- properties ---------------------------------------------------------------------------- */

/* Does the file have one of the sections? The last name is NULL. */
static bool has_section(const struct elfsym *e, const char *const *names)
{
	bool is_found = false;
	struct elf_file f;

	elfsym_read_file(&f, e->fd);
	for (; *names && !is_found; names++)
		is_found = elfsym_section(&f, *names);
	elfsym_close_file(&f);
	return is_found;
}

size_t elfsym_read_section(const struct elfsym *e, const char *name, void *out, size_t n)
{
	const struct section *s;
	struct elf_file f;

	elfsym_read_file(&f, e->fd);
	s = elfsym_section(&f, name);
	n = s ? elfsym_read_at(e->fd, out, s->size < n ? s->size : n, s->offset) : 0;
	elfsym_close_file(&f);
	return n;
}

bool elfsym_is_go(const struct elfsym *e)
{
	static const char *const names[] = {".go.buildinfo", ".gopclntab", ".note.go.buildid",
					    NULL};

	return has_section(e, names);
}

/* ---- needed libraries ---------------------------------------------------------------------- */

static enum elfsym_needed needed_kind(int64_t tag)
{
	switch (tag) {
	case DT_NEEDED: return ELFSYM_NEEDED;
	case DT_RPATH: return ELFSYM_RPATH;
	case DT_RUNPATH: return ELFSYM_RUNPATH;
	case DT_SONAME: return ELFSYM_SONAME;
	default: return ELFSYM_OTHER;
	}
}

static void offer_entries(const struct elf_file *f, const struct section *dynamic,
			  elfsym_needed_fn *fn, void *ctx)
{
	Elf_Data *data =
		elf_getdata_rawchunk(f->elf, (int64_t)dynamic->offset, dynamic->size, ELF_T_DYN);
	GElf_Dyn d;

	for (int i = 0; data && gelf_getdyn(data, i, &d); i++) {
		enum elfsym_needed kind = needed_kind(d.d_tag);
		const char *text = kind == ELFSYM_OTHER
					   ? NULL
					   : elf_strptr(f->elf, dynamic->link, d.d_un.d_val);

		if (text)
			fn(kind, text, ctx);
	}
}

void elfsym_each_needed(const struct elfsym *e, elfsym_needed_fn *fn, void *ctx)
{
	const struct section *dynamic = NULL, *interpreter;
	char path[256] = "";
	struct elf_file f;

	if (elfsym_read_file(&f, e->fd))
		f.n_sections = 0;
	for (uint32_t i = 0; i < f.n_sections; i++)
		if (f.sections[i].type == SHT_DYNAMIC)
			dynamic = &f.sections[i];
	if (dynamic && dynamic->link < f.n_sections && dynamic->size <= DYNAMIC_MAX_BYTES &&
	    f.sections[dynamic->link].size <= DYNAMIC_MAX_BYTES)
		offer_entries(&f, dynamic, fn, ctx);
	interpreter = elfsym_section(&f, ".interp");
	if (interpreter && interpreter->size < sizeof(path) &&
	    elfsym_read_at(f.fd, path, interpreter->size, interpreter->offset) && *path == '/')
		fn(ELFSYM_INTERPRETER, path, ctx);
	elfsym_close_file(&f);
}

static void note_unwinder(enum elfsym_needed kind, const char *name, void *ctx)
{
	static const char *const names[] = {"libstdc++.so", "libc++.so", "libc++abi.so",
					    "libgcc_s.so", "libunwind.so"};

	for (size_t i = 0; kind == ELFSYM_NEEDED && i < sizeof(names) / sizeof(*names); i++)
		*(bool *)ctx |= strncmp(name, names[i], strlen(names[i])) == 0;
}

bool elfsym_unwinds(struct elfsym *e)
{
	static const char *const tables[] = {".gcc_except_table", NULL};
	uint64_t vaddr, offset, size;
	bool is_needed = false;

	if (!has_section(e, tables))
		return false;
	elfsym_each_needed(e, note_unwinder, &is_needed);
	return is_needed || !elfsym_by_name(e, "_Unwind_RaiseException", &vaddr, &offset, &size) ||
	       !elfsym_by_name(e, "__cxa_throw", &vaddr, &offset, &size);
}
