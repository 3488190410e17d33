/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which places may be probed: see uprobe_insn.h.
 */
#include "runtime/insn/uprobe_insn.h"
#include "runtime/elf/elfsym.h"
#include "runtime/insn/entry_judge.h"
#include "runtime/insn/insn_arm64.h"
#include <elf.h>
#include <stdlib.h>

enum { CODE_MAX = 64 << 10 };

/* Is the function's first instruction endbr64, and the nop behind it passed once in each call? */
static bool is_behind_endbr(struct elfsym *file, uint64_t start, uint64_t size)
{
	static const struct uprobe_nops nops = {.is_emulated = true, .is_called = true};
	const struct entry_reads none = {0};
	uint8_t shift = 0, *code = malloc(CODE_MAX);
	size_t n = code ? elfsym_read(file, start, code, size < CODE_MAX ? size : CODE_MAX) : 0;
	bool is = entry_judge(&none, &nops, code, n, size, &shift) == ENTRY_BEHIND &&
		  shift == INSN_ENDBR_BYTES;

	free(code);
	return is;
}

static bool is_at_entry(struct elfsym *file, uint64_t offset)
{
	uint64_t address, start, size;
	const char *name;

	if (!file || !elfsym_file_to_vaddr(file, offset, &address) ||
	    !elfsym_function_at(file, address, &name, &start, &size))
		return false;
	return address == start || (address - start == INSN_ENDBR_BYTES &&
				    is_behind_endbr(file, offset - INSN_ENDBR_BYTES, size));
}

bool uprobe_place_is_harmful(struct elfsym **file, const char *path, uint64_t offset,
			     const uint8_t *code, size_t n)
{
	int err;

	if (!uprobe_insn_is_nop5(code, n) || uprobe_nops()->is_harmless)
		return false;
	if (!*file)
		*file = elfsym_open(path, &err);
	return !is_at_entry(*file, offset);
}

void uprobe_place_close(struct elfsym *file)
{
	if (file)
		elfsym_close(file);
}

bool uprobe_place_is_misread(uint16_t machine, const uint8_t *c, size_t n)
{
	return machine == EM_AARCH64 ? insn_arm64_is_misread(c, n) : uprobe_insn_is_misread(c, n);
}

uint8_t uprobe_place_suspect(uint16_t machine, const uint8_t *c, size_t n)
{
	return machine == EM_AARCH64 ? (uint8_t)insn_arm64_refused(c, n)
				     : uprobe_insn_suspect(c, n);
}

bool uprobe_place_is_cheap(uint16_t machine, const uint8_t *c, size_t n)
{
	static const struct uprobe_nops unknown;

	if (machine == EM_AARCH64)
		return insn_arm64_is_emulated(c, n);
	return uprobe_insn_is_cheap(c, n, uprobe_insn_is_long_nop(c, n) ? uprobe_nops() : &unknown);
}
