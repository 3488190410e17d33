/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF packages: see dwp.h. An index says which bytes of each section belong to a unit. The file
 * that is given to libdw consists of these bytes, the strings that the unit names, and its
 * addresses, which are in the program (dwp_image.c).
 */
#include "runtime/dwarf/dwp.h"
#include "runtime/base/vec.h"
#include "runtime/dwarf/dwp_impl.h"
#include "runtime/elf/elfsym_impl.h"
#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Offsets in a unit's header. */
enum { UNIT_VERSION = 4, UNIT_TYPE = 6, UNIT_ID = 12 };
enum { VERSION_GNU = 2, INDEX_HEADER = 16, ADDR_HEADER = 8, BLIND_MAX = 1 << 20 };

/* A unit that was taken out of the package. */
struct dwp_unit {
	Dwarf_CU *skeleton;
	void *image;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_Die die;
};

/* A type unit, and where its abbreviations are. */
struct type_unit {
	const uint8_t *abbrev;
	struct bytes bytes;
};

struct dwp {
	int fd;
	Elf *elf;
	struct bytes index, type_index, str, sections[DWP_SECTIONS];
	VEC(struct dwp_unit) units;
	VEC(struct type_unit) types; /* sorted by abbrev */
	VEC(struct bytes) found;     /* type units of one unit */
	bool is_object;
};

/* ---- opening ------------------------------------------------------------------------------- */

static struct bytes section_bytes(Elf_Scn *scn, const GElf_Shdr *h)
{
	Elf_Data *data;

	if (h->sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return (struct bytes){0};
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? (struct bytes){data->d_buf, data->d_size} : (struct bytes){0};
}

/* The place for a section, by name. The numbers of sections in indexes differ between the two
 * versions. */
static struct bytes *place_of(struct dwp *p, const char *name)
{
	static const char *const names[DWP_SECTIONS] = {
		[DWP_INFO] = ".debug_info.dwo",
		[DWP_ABBREV] = ".debug_abbrev.dwo",
		[DWP_STR_OFFSETS] = ".debug_str_offsets.dwo",
		[DWP_LOC] = ".debug_loc.dwo",
		[DWP_LOCLISTS] = ".debug_loclists.dwo",
		[DWP_RNGLISTS] = ".debug_rnglists.dwo",
		[DWP_TYPES] = ".debug_types.dwo",
	};

	if (strcmp(name, ".debug_cu_index") == 0)
		return &p->index;
	if (strcmp(name, ".debug_tu_index") == 0)
		return &p->type_index;
	if (strcmp(name, ".debug_str.dwo") == 0)
		return &p->str;
	for (int i = 0; i < DWP_SECTIONS; i++)
		if (names[i] && strcmp(name, names[i]) == 0)
			return &p->sections[i];
	return NULL;
}

/* In an object file: does the section have a type unit? */
static bool is_of_types(const struct dwp *p, const struct bytes *to, const struct bytes *bytes)
{
	if (to == &p->sections[DWP_TYPES])
		return true;
	return to == &p->sections[DWP_INFO] && bytes->size > UNIT_TYPE &&
	       bytes->data[UNIT_VERSION] >= 5 && bytes->data[UNIT_TYPE] == DW_UT_split_type;
}

static bool read_sections(struct dwp *p)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr h;

	if (elf_getshdrstrndx(p->elf, &names))
		return false;
	while ((scn = elf_nextscn(p->elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &h) ? elf_strptr(p->elf, names, h.sh_name) : NULL;
		struct bytes *to = name && h.sh_type != SHT_NOBITS ? place_of(p, name) : NULL;
		struct bytes bytes = to ? section_bytes(scn, &h) : (struct bytes){0};

		if (!to)
			continue;
		if (!p->is_object || !is_of_types(p, to, &bytes))
			*to = bytes;
		else if (vec_push(&p->found, bytes))
			return false;
	}
	if (p->is_object)
		return p->found.n && p->sections[DWP_INFO].size && p->sections[DWP_ABBREV].size;
	return p->index.size >= INDEX_HEADER && p->sections[DWP_INFO].size &&
	       p->sections[DWP_ABBREV].size;
}

static bool read_types(struct dwp *p);

static struct dwp *open_file(const char *path, bool is_object)
{
	struct dwp *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->is_object = is_object;
	p->fd = elfsym_open_regular(path);
	if (p->fd >= 0 && !libdw_is_too_large(p->fd) && elf_version(EV_CURRENT) != EV_NONE)
		p->elf = elf_begin(p->fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (p->elf && gelf_getclass(p->elf) == ELFCLASS64 && read_sections(p) && read_types(p))
		return p;
	dwp_close(NULL, p);
	return NULL;
}

struct dwp *dwp_open(const char *path)
{
	static const char suffix[] = ".debug";
	size_t n = strlen(path), without = n - (sizeof(suffix) - 1);
	char at[PATH_MAX];
	struct dwp *p;

	if (n + sizeof(".dwp") > sizeof(at))
		return NULL;
	snprintf(at, sizeof(at), "%s.dwp", path);
	p = open_file(at, false);
	if (p || n < sizeof(suffix) || strcmp(path + without, suffix) != 0)
		return p;
	snprintf(at, sizeof(at), "%.*s.dwp", (int)without, path);
	return open_file(at, false);
}

struct dwp *dwp_open_object(const char *path)
{
	return open_file(path, true);
}

void dwp_close(const struct libdw *l, struct dwp *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->units.n; i++) {
		if (p->units.items[i].dwarf)
			l->dwarf_end(p->units.items[i].dwarf);
		elf_end(p->units.items[i].elf);
		free(p->units.items[i].image);
	}
	vec_free(&p->units);
	vec_free(&p->types);
	vec_free(&p->found);
	elf_end(p->elf);
	if (p->fd >= 0)
		close(p->fd);
	free(p);
}

/* ---- the index ----------------------------------------------------------------------------- */

static uint32_t word_at(const struct bytes *b, uint64_t at)
{
	uint32_t v = 0;

	if (at <= b->size && b->size - at >= sizeof(v))
		memcpy(&v, b->data + at, sizeof(v));
	return v;
}

static uint64_t id_at(const struct bytes *b, uint64_t at)
{
	return word_at(b, at) | (uint64_t)word_at(b, at + 4) << 32;
}

/* The row of the unit in the index, from 1; 0: there is none. */
static uint32_t find_row(const struct dwp *p, uint64_t id)
{
	uint32_t slots = word_at(&p->index, 12), mask = slots - 1;
	uint32_t at = (uint32_t)id & mask, step = ((uint32_t)(id >> 32) & mask) | 1;

	if (!slots || slots & mask || slots > p->index.size / 12)
		return 0;
	for (uint32_t i = 0; i < slots; i++, at = (at + step) & mask) {
		uint32_t row = word_at(&p->index, INDEX_HEADER + 8ull * slots + 4ull * at);

		if (!row)
			return 0;
		if (id_at(&p->index, INDEX_HEADER + 8ull * at) == id)
			return row <= word_at(&p->index, 8) ? row : 0;
	}
	return 0;
}

/* The section that a column of an index belongs to; DWP_SECTIONS: one that is not needed. */
static enum dwp_section kind_of(uint32_t version, uint32_t number)
{
	switch (number) {
	case 1: return DWP_INFO;
	case 2: return version == VERSION_GNU ? DWP_TYPES : DWP_SECTIONS;
	case 3: return DWP_ABBREV;
	case 5: return version == VERSION_GNU ? DWP_LOC : DWP_LOCLISTS;
	case 6: return DWP_STR_OFFSETS;
	case 8: return version == VERSION_GNU ? DWP_SECTIONS : DWP_RNGLISTS;
	default: return DWP_SECTIONS;
	}
}

/* The bytes of each section that belong to a row of an index. */
static bool read_row(const struct dwp *p, const struct bytes *index, uint32_t row,
		     struct dwp_parts *out)
{
	uint32_t version = word_at(index, 0), n = word_at(index, 4);
	uint32_t units = word_at(index, 8), slots = word_at(index, 12);
	uint64_t columns = INDEX_HEADER + 12ull * slots;

	out->is_gnu = version == VERSION_GNU;
	if (!row || n > 16 || (version != VERSION_GNU && version != 5))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		enum dwp_section kind = kind_of(version, word_at(index, columns + 4ull * i));
		uint64_t cell = columns + 4ull * n * row + 4ull * i;
		uint32_t from = word_at(index, cell);
		uint32_t size = word_at(index, cell + 4ull * n * units);

		if (kind == DWP_SECTIONS)
			continue;
		if (from > p->sections[kind].size || size > p->sections[kind].size - from)
			return false;
		out->sections[kind] = (struct bytes){p->sections[kind].data + from, size};
	}
	return true;
}

static int by_abbrev(const void *x, const void *y)
{
	const struct type_unit *a = x, *b = y;

	return a->abbrev < b->abbrev ? -1 : a->abbrev > b->abbrev;
}

/* The type units of the whole package. */
static bool read_types(struct dwp *p)
{
	uint32_t units = word_at(&p->type_index, 8);

	if (p->type_index.size < INDEX_HEADER || units > p->type_index.size / 8)
		return true;
	for (uint32_t row = 1; row <= units; row++) {
		struct dwp_parts parts = {0};
		struct type_unit t;

		if (!read_row(p, &p->type_index, row, &parts))
			continue;
		t.bytes = parts.sections[parts.is_gnu ? DWP_TYPES : DWP_INFO];
		t.abbrev = parts.sections[DWP_ABBREV].data;
		if (t.bytes.size && vec_push(&p->types, t))
			return false;
	}
	if (p->types.n)
		qsort(p->types.items, p->types.n, sizeof(*p->types.items), by_abbrev);
	return true;
}

/* Find the type units that were compiled with a unit: they share its abbreviations and strings. */
static bool find_types(struct dwp *p, struct dwp_parts *unit)
{
	const uint8_t *abbrev = unit->sections[DWP_ABBREV].data;
	size_t from = 0, to = p->types.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (p->types.items[middle].abbrev < abbrev)
			from = middle + 1;
		else
			to = middle;
	}
	p->found.n = 0;
	for (; from < p->types.n && p->types.items[from].abbrev == abbrev; from++)
		if (vec_push(&p->found, p->types.items[from].bytes))
			return false;
	unit->types = p->found.items;
	unit->n_types = p->found.n;
	return true;
}

/* The parts of an object file: all of its sections. */
static bool find_all(struct dwp *p, uint64_t id, struct dwp_parts *out)
{
	const struct bytes *info = &p->sections[DWP_INFO];

	if (info->size < UNIT_ID + sizeof(id))
		return false;
	memcpy(out->sections, p->sections, sizeof(out->sections));
	out->is_gnu = info->data[UNIT_VERSION] < 5;
	out->types = p->found.items;
	out->n_types = p->found.n;
	return out->is_gnu || id_at(info, UNIT_ID) == id;
}

static bool find_parts(struct dwp *p, uint64_t id, struct dwp_parts *out)
{
	if (p->is_object)
		return find_all(p, id, out);
	return read_row(p, &p->index, find_row(p, id), out) && out->sections[DWP_INFO].size &&
	       out->sections[DWP_ABBREV].size && find_types(p, out);
}

/* ---- what is in the program ---------------------------------------------------------------- */

static uint64_t number(const struct libdw *l, Dwarf_Die *die, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute a;
	Dwarf_Word n;

	if (!l->dwarf_attr(die, name, &a) && !l->dwarf_attr(die, gnu_name, &a))
		return 0;
	return l->dwarf_formudata(&a, &n) ? 0 : n;
}

static struct bytes behind(struct bytes b, uint64_t at)
{
	if (at >= b.size)
		return (struct bytes){0};
	b.data += at;
	b.size = b.size - at < BLIND_MAX ? b.size - at : BLIND_MAX;
	return b;
}

static void find_in_program(const struct libdw *l, Dwarf *main, Dwarf_Die *skeleton,
			    struct dwp_parts *out)
{
	uint64_t base = number(l, skeleton, DW_AT_addr_base, DW_AT_GNU_addr_base);
	struct bytes all = libdw_section(l, main, ".debug_addr"), head;
	Dwarf_Addr low = 0;

	head = base >= ADDR_HEADER ? behind(all, base - ADDR_HEADER) : (struct bytes){0};
	out->addr = behind(all, base);
	if (!out->is_gnu && word_at(&head, 0) >= 4 && word_at(&head, 0) - 4 < out->addr.size)
		out->addr.size = word_at(&head, 0) - 4;
	if (out->is_gnu)
		out->ranges =
			behind(libdw_section(l, main, ".debug_ranges"),
			       number(l, skeleton, DW_AT_GNU_ranges_base, DW_AT_GNU_ranges_base));
	out->low_pc = l->dwarf_lowpc(skeleton, &low) ? 0 : low;
	out->str = (struct bytes){0};
}

static bool take_out(const struct libdw *l, struct dwp *p, Dwarf *main, Dwarf_Die *skeleton,
		     uint64_t id, struct dwp_unit *u)
{
	struct dwp_parts parts = {0};
	Dwarf_CU *cu = NULL;
	GElf_Ehdr h;
	size_t size;

	if (!find_parts(p, id, &parts) || !gelf_getehdr(l->dwarf_getelf(main), &h))
		return false;
	find_in_program(l, main, skeleton, &parts);
	parts.str = p->str;
	u->image = dwp_image(&parts, h.e_machine, &size);
	u->elf = u->image ? elf_memory(u->image, size) : NULL;
	u->dwarf = u->elf ? l->dwarf_begin_elf(u->elf, DWARF_C_READ, NULL) : NULL;
	return u->dwarf && l->dwarf_get_units(u->dwarf, NULL, &cu, NULL, NULL, &u->die, NULL) == 0;
}

bool dwp_unit(const struct libdw *l, struct dwp *p, Dwarf *main, Dwarf_Die *skeleton, uint64_t id,
	      Dwarf_Die *out)
{
	struct dwp_unit u = {.skeleton = skeleton->cu};

	for (size_t i = 0; i < p->units.n; i++)
		if (p->units.items[i].skeleton == skeleton->cu) {
			*out = p->units.items[i].die;
			return out->addr;
		}
	if (!take_out(l, p, main, skeleton, id, &u))
		u.die = (Dwarf_Die){0};
	if (vec_push(&p->units, u)) {
		if (u.dwarf)
			l->dwarf_end(u.dwarf);
		elf_end(u.elf);
		free(u.image);
		return false;
	}
	*out = u.die;
	return out->addr;
}
