/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of arm64. insn_decode() and insn_effect() of insn.h call what is here.
 */
#pragma once
#include "runtime/insn/insn.h"

enum { INSN_ARM64_BYTES = 4 };

/* As insn_decode() and insn_effect(). *out of the latter is that of an instruction without effect
 * at first. */
int insn_arm64_decode(const uint8_t *code, size_t n, struct insn *out);
int insn_arm64_effect(const uint8_t *code, size_t n, struct insn_effect *out);

/* What a load or a store does to memory at a distance from its base register. */
struct insn_arm64_access {
	int8_t base;
	/* the registers of 8 bytes that it loads or stores, one after another; INSN_NO_REG: none */
	int8_t regs[2];
	bool is_load;	/* of these */
	int32_t offset; /* of regs[0] from the base as it is before */
	int32_t change; /* of the base */
};

/* Returns false if the instruction is another one, such as an atomic one. */
bool insn_arm64_access(const uint8_t *code, size_t n, struct insn_arm64_access *out);

/* Kinds of instructions that the kernel refuses to probe: all of a kind or none. */
enum insn_arm64_refused {
	ARM64_STEPPED, /* it is not refused */
	ARM64_LITERAL, /* loads from a distance to the instruction */
	ARM64_EXCLUSIVE,
	ARM64_EXCEPTION,
	ARM64_SYSTEM,
	ARM64_AUTHENTICATED, /* branches that authenticate their target, such as retaa */
	ARM64_COPY,	     /* of memory */
	ARM64_HINT,
};

enum insn_arm64_refused insn_arm64_refused(const uint8_t *code, size_t n);
/* Does the kernel step a copy that does something else? Loads of vectors from a distance to the
 * instruction. */
bool insn_arm64_is_misread(const uint8_t *code, size_t n);
/* Does the kernel emulate it at a uprobe, rather than single-step a copy? Branches, adr, adrp. */
bool insn_arm64_is_emulated(const uint8_t *code, size_t n);
