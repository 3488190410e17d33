/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ELF image of one unit of a package: see dwp.h.
 *
 * A split unit does not contain the address that its ranges and locations count from. That address
 * is in the skeleton, which libdw does not see here. So the attribute for the unit's name, which is
 * not needed, is turned into that address: the index of a string becomes the index of an address,
 * in a form of the same length.
 */
#include "runtime/dwarf/dwp_impl.h"
#include "runtime/base/vec.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { STR_HEADER = 8, ADDRESS = 8, NAMES_MAX = 64 << 20, ATTRS_MAX = 100 };

struct buffer {
	VEC(uint8_t);
};

static bool add(struct buffer *b, const void *data, size_t n)
{
	return !vec_append(b, (const uint8_t *)data, n);
}

/* ---- strings ------------------------------------------------------------------------------- */

/* Replace the offsets of strings in the package by offsets in *str, which gets the unit's
 * strings. */
static bool take_strings(const struct dwp_parts *p, struct buffer *offsets, struct buffer *str)
{
	const struct bytes *from = &p->sections[DWP_STR_OFFSETS];
	size_t at = p->is_gnu ? 0 : STR_HEADER;
	uint32_t length = 0;

	if (!from->size)
		return true;
	if (from->size < at || !add(offsets, from->data, from->size))
		return false;
	memcpy(&length, from->data, at ? sizeof(length) : 0);
	if (length == UINT32_MAX) /* 64-bit DWARF */
		return false;
	for (; from->size - at >= 4; at += 4) {
		uint32_t old, new = (uint32_t)str->n;
		size_t n;

		memcpy(&old, from->data + at, sizeof(old));
		if (old >= p->str.size || str->n > NAMES_MAX)
			return false;
		n = strnlen((const char *)p->str.data + old, p->str.size - old);
		if (!add(str, p->str.data + old, n) || !add(str, "", 1))
			return false;
		memcpy(offsets->items + at, &new, sizeof(new));
	}
	return true;
}

/* ---- the base address ---------------------------------------------------------------------- */

/* Read a ULEB128. Returns its number of bytes; 0: it is damaged. */
static size_t uleb(const uint8_t *at, size_t left, uint64_t *out)
{
	*out = 0;
	for (size_t i = 0; i < left && i < 9; i++) {
		*out |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (!(at[i] & 0x80))
			return i + 1;
	}
	return 0;
}

/* Write a ULEB128 of exactly n bytes. */
static bool put_uleb(uint8_t *at, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++, v >>= 7)
		at[i] = (uint8_t)((v & 0x7f) | (i + 1 < n ? 0x80 : 0));
	return !v;
}

/* The number of bytes of an attribute's value; -1: unknown. */
static int form_size(uint64_t form, const uint8_t *at, size_t left)
{
	uint64_t v;
	size_t n;

	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_sec_offset:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8: return 8;
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_loclistx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_GNU_addr_index: n = uleb(at, left, &v); return n ? (int)n : -1;
	default: return -1;
	}
}

/* The form of an address index that is as long as a string index of the given form; 0: the form is
 * not a string index. */
static uint64_t address_form(uint64_t form)
{
	switch (form) {
	case DW_FORM_strx: return DW_FORM_addrx;
	case DW_FORM_strx1: return DW_FORM_addrx1;
	case DW_FORM_strx2: return DW_FORM_addrx2;
	case DW_FORM_strx4: return DW_FORM_addrx4;
	case DW_FORM_GNU_str_index: return DW_FORM_GNU_addr_index;
	default: return 0;
	}
}

/* Find the index of the base address, which is appended if it is not among the addresses. */
static bool index_of_base(const struct dwp_parts *p, struct buffer *addr, uint64_t *index)
{
	size_t n = addr->n / ADDRESS;

	for (*index = 0; *index < n; ++*index)
		if (memcmp(addr->items + *index * ADDRESS, &p->low_pc, ADDRESS) == 0)
			return true;
	return n * ADDRESS == addr->n && add(addr, &p->low_pc, ADDRESS);
}

static bool put_index(uint8_t *at, int n, uint64_t form, uint64_t index)
{
	if (form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index)
		return put_uleb(at, (size_t)n, index);
	if (n < 8 && index >> (8 * n))
		return false;
	memcpy(at, &index, (size_t)n);
	return true;
}

/* The offset at which the attributes of an abbreviation begin; -1: it is damaged. */
static int64_t find_abbrev(const struct buffer *b, uint64_t wanted)
{
	uint64_t at = 0, code, skipped, name, form;
	size_t n;

#define NEXT(out)                                                        \
	do {                                                             \
		n = at < b->n ? uleb(b->items + at, b->n - at, out) : 0; \
		if (!n)                                                  \
			return -1;                                       \
		at += n;                                                 \
	} while (0)
	while (1) {
		NEXT(&code);
		if (!code)
			return -1;
		NEXT(&skipped); /* the tag */
		at++;		/* has children */
		if (code == wanted)
			return (int64_t)at;
		do {
			NEXT(&name);
			NEXT(&form);
			if (form == DW_FORM_implicit_const)
				NEXT(&skipped);
		} while (name || form);
	}
}

/* Turn the name of the unit into its base address. If that is not possible, the base stays 0. */
static void set_base(const struct dwp_parts *p, struct buffer *info, struct buffer *abbrev,
		     struct buffer *addr)
{
	size_t at = p->is_gnu ? 11 : 20, n; /* size of the unit's header */
	uint64_t code, name, form, skipped, index;
	int64_t attr;
	int size;

	n = at < info->n ? uleb(info->items + at, info->n - at, &code) : 0;
	attr = n ? find_abbrev(abbrev, code) : -1;
	at += n;
	for (int i = 0; attr >= 0 && i < ATTRS_MAX; i++) {
		uint8_t *a = abbrev->items + attr;
		size_t left = abbrev->n - (size_t)attr;
		size_t name_n = uleb(a, left, &name);
		size_t form_n = name_n ? uleb(a + name_n, left - name_n, &form) : 0;

		size = form_n && at <= info->n ? form_size(form, info->items + at, info->n - at)
					       : -1;
		if (size < 0 || !name || at + (size_t)size > info->n)
			return;
		if (name == DW_AT_name) {
			form = address_form(form);
			if (form && index_of_base(p, addr, &index) &&
			    put_index(info->items + at, size, form, index)) {
				put_uleb(a, name_n, DW_AT_low_pc);
				put_uleb(a + name_n, form_n, form);
			}
			return;
		}
		at += (size_t)size;
		attr += (int64_t)(name_n + form_n);
		if (form == DW_FORM_implicit_const)
			attr += (int64_t)uleb(a + name_n + form_n, left - name_n - form_n,
					      &skipped);
	}
}

/* ---- the file ------------------------------------------------------------------------------ */

struct part {
	const char *name;
	struct bytes data;
};

enum { PARTS_MAX = 10 };

static struct bytes bytes_of(const struct buffer *b)
{
	return (struct bytes){b->items, b->n};
}

static size_t aligned(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

/* Write an ELF file: header, sections, section names, section headers. */
static void *write_file(const struct part *parts, size_t n, uint16_t machine, size_t *size)
{
	size_t at = sizeof(Elf64_Ehdr), names = 0, name_at = 1;
	Elf64_Shdr *sections;
	Elf64_Ehdr *h;
	uint8_t *file;

	for (size_t i = 0; i < n; i++) {
		at += aligned(parts[i].data.size);
		names += strlen(parts[i].name) + 1;
	}
	*size = at + aligned(names + 1) + (n + 2) * sizeof(*sections);
	file = calloc(1, *size);
	if (!file)
		return NULL;
	names = at;
	h = (Elf64_Ehdr *)file;
	sections = (Elf64_Shdr *)(file + *size - (n + 2) * sizeof(*sections));
	*h = (Elf64_Ehdr){.e_type = ET_REL,
			  .e_machine = machine,
			  .e_version = EV_CURRENT,
			  .e_shoff = (uint64_t)((uint8_t *)sections - file),
			  .e_ehsize = sizeof(*h),
			  .e_shentsize = sizeof(*sections),
			  .e_shnum = (uint16_t)(n + 2),
			  .e_shstrndx = (uint16_t)(n + 1)};
	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_VERSION] = EV_CURRENT;
	at = sizeof(*h);
	for (size_t i = 0; i < n; i++) {
		sections[i + 1] = (Elf64_Shdr){.sh_name = (uint32_t)name_at,
					       .sh_type = SHT_PROGBITS,
					       .sh_offset = at,
					       .sh_size = parts[i].data.size,
					       .sh_addralign = 1};
		memcpy(file + at, parts[i].data.data, parts[i].data.size);
		memcpy(file + names + name_at, parts[i].name, strlen(parts[i].name));
		name_at += strlen(parts[i].name) + 1;
		at += aligned(parts[i].data.size);
	}
	sections[n + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
				       .sh_offset = names,
				       .sh_size = name_at,
				       .sh_addralign = 1};
	return file;
}

static bool add_types(const struct dwp_parts *p, struct buffer *out)
{
	bool is_right = true;

	for (size_t i = 0; i < p->n_types && is_right; i++)
		is_right = add(out, p->types[i].data, p->types[i].size);
	return is_right;
}

void *dwp_image(const struct dwp_parts *p, uint16_t machine, size_t *size)
{
	const struct bytes *from = p->sections;
	struct buffer offsets = {0}, str = {0}, info = {0}, types = {0}, abbrev = {0}, addr = {0};
	struct part parts[PARTS_MAX];
	void *file = NULL;
	size_t n = 0;

	if (take_strings(p, &offsets, &str) &&
	    add(&info, from[DWP_INFO].data, from[DWP_INFO].size) &&
	    add_types(p, p->is_gnu ? &types : &info) &&
	    add(&abbrev, from[DWP_ABBREV].data, from[DWP_ABBREV].size) &&
	    add(&addr, p->addr.data, p->addr.size)) {
		const struct part all[PARTS_MAX] = {
			{".debug_info", bytes_of(&info)},
			{".debug_abbrev", bytes_of(&abbrev)},
			{".debug_str_offsets", bytes_of(&offsets)},
			{".debug_str", bytes_of(&str)},
			{".debug_addr", bytes_of(&addr)},
			{".debug_loc", from[DWP_LOC]},
			{".debug_loclists", from[DWP_LOCLISTS]},
			{".debug_rnglists", from[DWP_RNGLISTS]},
			{".debug_ranges", p->ranges},
			{".debug_types", bytes_of(&types)},
		};

		if (p->low_pc)
			set_base(p, &info, &abbrev, &addr);
		for (size_t i = 0; i < PARTS_MAX; i++)
			if (all[i].data.size)
				parts[n++] = all[i];
		file = write_file(parts, n, machine, size);
	}
	vec_free(&offsets);
	vec_free(&str);
	vec_free(&info);
	vec_free(&types);
	vec_free(&abbrev);
	vec_free(&addr);
	return file;
}
