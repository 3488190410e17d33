/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF images with hand-made call frame information, for the tests of unwind tables. Code starts at
 * CODE; the section follows it. An image is laid out by image_make(), and read by image_read().
 */
#pragma once
#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/memory_file.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/table.h"

enum { CODE = 0x401000, CODE_OFFSET = 0x1000, SECTION_MAX = 1 << 20 };

/* The table of an ELF file in memory. */
static inline int image_table(const void *bytes, size_t n, struct unwind_rules *rules,
			      struct unwind_table *out)
{
	int fd = memory_file("image", bytes, n);
	int err = fd < 0 ? fd : unwind_table_read(fd, rules, out);

	if (fd >= 0)
		close(fd);
	return err;
}

/* A section under construction. */
struct section {
	uint8_t bytes[SECTION_MAX];
	size_t n;
	uint64_t address; /* of its first byte */
};

struct image {
	size_t code_bytes;
	const struct section *eh_frame, *debug_frame; /* or NULL */
	bool has_sections;	  /* section headers; .eh_frame_hdr exists always */
	uint64_t debug_flags;	  /* sh_flags of .debug_frame */
	const struct section *go; /* .gopclntab, or NULL */
	uint64_t entry;
	uint16_t machine; /* e_machine; 0: x86-64 */
	uint8_t *bytes;
	size_t n;
};

static inline void put_bytes(struct section *s, const void *bytes, size_t n)
{
	assert(s->n + n <= SECTION_MAX);
	if (n)
		memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}

static inline void put(struct section *s, uint64_t value, size_t n)
{
	put_bytes(s, &value, n);
}

static inline void put_uleb(struct section *s, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(s, (value & 0x7f) | 0x80, 1);
	put(s, value, 1);
}

/* The address of the next byte of the section. */
static inline uint64_t here(const struct section *s)
{
	return s->address + s->n;
}

/* Set the length of the record that starts at `at`, whose length has four bytes. */
static inline void end_record(struct section *s, size_t at)
{
	uint32_t n;

	while (s->n % 4)
		put(s, 0, 1); /* DW_CFA_nop */
	n = (uint32_t)(s->n - at - 4);
	memcpy(s->bytes + at, &n, sizeof(n));
}

/* A CIE with that content. Returns its offset. */
static inline size_t put_cie_of(struct section *s, const uint8_t *rest, size_t n)
{
	size_t at = s->n;

	put(s, 0, 4);
	put(s, 0, 4);
	put_bytes(s, rest, n);
	end_record(s, at);
	return at;
}

/* The usual CIE with the given encoding of addresses: CFA rsp + 8, return address below. */
static inline size_t put_cie(struct section *s, uint8_t encoding)
{
	const uint8_t rest[] = {1,    'z', 'R',	     0,	   1, 0x78,
				16,   1,   encoding, 0x0c, 7, 8, /* def_cfa */
				0x90, 1};			 /* offset */

	return put_cie_of(s, rest, sizeof(rest));
}

/* That of arm64: CFA sp + 0, return address in x30. */
static inline size_t put_cie_arm64(struct section *s, uint8_t encoding)
{
	const uint8_t rest[] = {1, 'z', 'R', 0, 4, 0x78, 30, 1, encoding, 0x0c, 31, 0};

	return put_cie_of(s, rest, sizeof(rest));
}

/* An FDE of a CIE as put_cie() makes it, with encoding 0x1b (relative, 4 bytes). */
static inline void put_fde(struct section *s, size_t cie, uint64_t start, uint32_t bytes,
			   const void *program, size_t n)
{
	size_t at = s->n;

	put(s, 0, 4);
	put(s, s->n - cie, 4);
	put(s, start - here(s), 4);
	put(s, bytes, 4);
	put(s, 0, 1);
	put_bytes(s, program, n);
	end_record(s, at);
}

/* Where the section that comes `after` bytes behind the code will be. */
static inline void section_begin(struct section *s, size_t code_bytes, size_t after)
{
	s->n = 0;
	s->address = CODE + code_bytes + after;
}

static inline void image_section(Elf64_Shdr *h, uint32_t name, uint64_t flags, uint64_t address,
				 size_t n)
{
	*h = (Elf64_Shdr){.sh_name = name,
			  .sh_type = SHT_PROGBITS,
			  .sh_flags = flags,
			  .sh_addr = flags & SHF_ALLOC ? address : 0,
			  .sh_offset = address - CODE + CODE_OFFSET,
			  .sh_size = n};
}

/* Lay out the file: headers, code, sections (which are where section_begin() said),
 * .eh_frame_hdr, and section headers at the end. */
static inline void image_make(struct image *m)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab\0.gopclntab\0.text";
	const struct section *eh = m->eh_frame, *debug = m->debug_frame, *go = m->go;
	size_t end = CODE_OFFSET + m->code_bytes, n_loaded, at;
	Elf64_Shdr s[6] = {{0}};
	Elf64_Phdr p[2] = {{0}};
	Elf64_Ehdr h = {.e_type = ET_DYN,
			.e_machine = m->machine ? m->machine : EM_X86_64,
			.e_version = 1};

	if (eh)
		end = eh->address - CODE + CODE_OFFSET + eh->n;
	if (debug && debug->address - CODE + CODE_OFFSET + debug->n > end)
		end = debug->address - CODE + CODE_OFFSET + debug->n;
	if (go && go->address - CODE + CODE_OFFSET + go->n > end)
		end = go->address - CODE + CODE_OFFSET + go->n;
	n_loaded = (end + 4 + 7) & ~(size_t)7;
	m->n = n_loaded + 16 + sizeof(s) + sizeof(names);
	m->bytes = calloc(1, m->n);
	assert(m->bytes);
	memset(m->bytes + CODE_OFFSET, 0x90, m->code_bytes); /* nop */
	memcpy(h.e_ident, ELFMAG "\2\1\1", 7);
	h.e_entry = m->entry;
	h.e_phoff = sizeof(h);
	h.e_phentsize = sizeof(*p);
	h.e_phnum = eh ? 2 : 1;
	/* all in one segment: what is not code has no rows either way */
	p[0] = (Elf64_Phdr){.p_type = PT_LOAD,
			    .p_flags = PF_R | PF_X,
			    .p_offset = CODE_OFFSET,
			    .p_vaddr = CODE,
			    .p_filesz = n_loaded + 16 - CODE_OFFSET,
			    .p_memsz = n_loaded + 16 - CODE_OFFSET};
	p[1] = p[0];
	p[1].p_type = PT_GNU_EH_FRAME;
	p[1].p_offset = n_loaded;
	p[1].p_vaddr = CODE + n_loaded - CODE_OFFSET;
	if (eh) {
		int32_t distance = (int32_t)(eh->address - (p[1].p_vaddr + 4));

		memcpy(m->bytes + n_loaded, "\1\x1b\xff\xff", 4);
		memcpy(m->bytes + n_loaded + 4, &distance, 4);
		memcpy(m->bytes + (eh->address - CODE + CODE_OFFSET), eh->bytes, eh->n);
		image_section(&s[1], 1, SHF_ALLOC, eh->address, eh->n);
	}
	if (debug) {
		memcpy(m->bytes + (debug->address - CODE + CODE_OFFSET), debug->bytes, debug->n);
		image_section(&s[2], 11, m->debug_flags, debug->address, debug->n);
	}
	at = n_loaded + 16 + sizeof(s);
	memcpy(m->bytes + at, names, sizeof(names));
	image_section(&s[3], 24, 0, at - CODE_OFFSET + CODE, sizeof(names));
	s[3].sh_type = SHT_STRTAB;
	if (go) {
		memcpy(m->bytes + (go->address - CODE + CODE_OFFSET), go->bytes, go->n);
		image_section(&s[4], 34, SHF_ALLOC, go->address, go->n);
	}
	image_section(&s[5], 45, SHF_ALLOC | SHF_EXECINSTR, CODE, m->code_bytes);
	if (m->has_sections) {
		h.e_shoff = n_loaded + 16;
		h.e_shentsize = sizeof(*s);
		h.e_shnum = 6;
		h.e_shstrndx = 3;
	}
	memcpy(m->bytes, &h, sizeof(h));
	memcpy(m->bytes + h.e_phoff, p, sizeof(p));
	memcpy(m->bytes + n_loaded + 16, s, sizeof(s));
}
