/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of functions of this program: see own_offset.h.
 */
#include "runtime/base/own_offset.h"
#include <link.h>

struct place {
	uintptr_t address;
	uint64_t offset;
};

/* The first object is the program itself. */
static int find(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *p = ctx;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && p->address >= start && p->address < start + h->p_filesz)
			p->offset = p->address - start + h->p_offset;
	}
	return 1;
}

uint64_t own_offset(void (*code)(void))
{
	struct place p = {.address = (uintptr_t)code};

	dl_iterate_phdr(find, &p);
	return p.offset;
}
