/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The canonical frame address: see cfa.h.
 */
#include "runtime/dwarf/cfa.h"
#include "runtime/dwarf/libdw.h"
#include <dwarf.h>
#include <libelf.h>

struct cfa_file {
	struct libdw dw;
	Elf *elf;
	Dwarf_CFI *table;
};

struct cfa_file *cfa_open(int fd, int *err)
{
	struct cfa_file *c = calloc(1, sizeof(*c));

	*err = c ? libdw_load(&c->dw) : -ENOMEM;
	if (!*err) {
		elf_version(EV_CURRENT);
		c->elf = elf_begin(fd, ELF_C_READ, NULL);
		c->table = c->elf ? c->dw.dwarf_getcfi_elf(c->elf) : NULL;
		*err = c->table ? 0 : -ENODATA;
	}
	if (!*err)
		return c;
	cfa_close(c);
	return NULL;
}

void cfa_close(struct cfa_file *c)
{
	if (!c)
		return;
	if (c->table)
		c->dw.dwarf_cfi_end(c->table);
	if (c->elf)
		elf_end(c->elf);
	free(c);
}

bool cfa_at(struct cfa_file *c, uint64_t vaddr, struct cfa *out)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op *ops;
	bool is_found;
	size_t n;

	if (c->dw.dwarf_cfi_addrframe(c->table, vaddr, &frame))
		return false;
	is_found = c->dw.dwarf_frame_cfa(frame, &ops, &n) == 0 && n == 1 &&
		   (ops->atom == DW_OP_bregx ||
		    (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31));
	if (is_found && ops->atom == DW_OP_bregx)
		*out = (struct cfa){ops->number, (int64_t)ops->number2};
	else if (is_found)
		*out = (struct cfa){ops->atom - DW_OP_breg0, (int64_t)ops->number};
	free(frame);
	return is_found;
}
