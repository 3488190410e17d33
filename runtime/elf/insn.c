/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding with libZydis: see insn.h. The library is loaded with dlopen(), because most scripts do
 * not need it and Debian has no static version.
 */
#include "runtime/elf/insn.h"
#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>

struct library {
	ZyanStatus (*init)(ZydisDecoder *, ZydisMachineMode, ZydisStackWidth);
	ZyanStatus (*decode)(const ZydisDecoder *, ZydisDecoderContext *, const void *, ZyanUSize,
			     ZydisDecodedInstruction *);
};

static void open_library(struct library *l)
{
	void *so = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);

	if (!so)
		so = dlopen("libZydis.so.4.1", RTLD_NOW | RTLD_LOCAL); /* has the same interface */
	if (!so)
		return;
	*(void **)&l->init = dlsym(so, "ZydisDecoderInit");
	*(void **)&l->decode = dlsym(so, "ZydisDecoderDecodeInstruction");
}

/* Loaded once and never closed. */
static const struct library *library(void)
{
	static struct library l;
	static bool is_opened;

	if (!is_opened) {
		is_opened = true;
		open_library(&l);
	}
	return l.init && l.decode ? &l : NULL;
}

/* Does the memory operand have an index register, as in a read from a table? */
static bool has_index(const ZydisDecodedInstruction *i)
{
	return i->attributes & ZYDIS_ATTRIB_HAS_MODRM && i->raw.modrm.mod != 3 &&
	       i->raw.modrm.rm == 4 && (i->raw.sib.index != 4 || i->raw.rex.X);
}

static void describe(const ZydisDecodedInstruction *i, struct insn *out)
{
	*out = (struct insn){.length = i->length,
			     .is_return = i->meta.category == ZYDIS_CATEGORY_RET};
	out->makes_target = i->mnemonic == ZYDIS_MNEMONIC_ADD ||
			    (i->mnemonic == ZYDIS_MNEMONIC_MOV && has_index(i));
	if (i->meta.category != ZYDIS_CATEGORY_UNCOND_BR &&
	    i->meta.category != ZYDIS_CATEGORY_COND_BR)
		return;
	if (i->raw.imm[0].is_relative) {
		out->is_jump = true;
		out->target = i->length + i->raw.imm[0].value.s;
		return;
	}
	out->is_indirect = true;
	out->is_notrack = i->attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
	out->is_table = out->is_notrack || has_index(i);
}

int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out)
{
	bool is_64 = machine == EM_X86_64;
	const struct library *l;
	ZydisDecodedInstruction i;
	ZydisDecoder d;

	if (!is_64 && machine != EM_386)
		return -ENOSYS;
	l = library();
	if (!l)
		return -ENOSYS;
	l->init(&d, is_64 ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
		is_64 ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	if (!ZYAN_SUCCESS(l->decode(&d, NULL, code, n, &i)))
		return -EINVAL;
	describe(&i, out);
	return 0;
}
