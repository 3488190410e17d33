/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BPF instructions and the parts of their code.
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

/* An instruction: code, destination, source, offset, number. */
#define INSN(c, d, s, o, i)                                                         \
	(struct bpf_insn)                                                           \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}

/* True if the instruction also takes the next slot: a 64-bit load. */
static inline bool bpf_insn_is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_IMM | BPF_DW);
}

/* The bytes that a load or store accesses. */
static inline uint32_t bpf_insn_size(const struct bpf_insn *insn)
{
	static const uint8_t sizes[] = {[BPF_W >> 3] = 4,
					[BPF_H >> 3] = 2,
					[BPF_B >> 3] = 1,
					[BPF_DW >> 3] = 8};

	return sizes[insn->code >> 3 & 3];
}

/* True for a load that extends the sign (BPF_MEMSX, which older headers lack). */
static inline bool bpf_insn_is_signed(const struct bpf_insn *insn)
{
	return (insn->code & 0xe0) == 0x80;
}
