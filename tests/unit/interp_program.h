/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of the interpreter: instructions, and a run of them with a stack and a
 * context.
 */
#pragma once
#include "runtime/interp/interp_impl.h"

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Run a program of `n` instructions. */
static inline int run(struct bpf_insn *insns, uint32_t n, uint64_t *result, struct interp *p)
{
	static uint8_t stack[(INTERP_MAX_DEPTH + 1) * INTERP_FRAME_BYTES], context[16];
	static struct region regions[REGION_MAPS];
	uint64_t args[5] = {interp_address(REGION_CONTEXT, 0)};

	regions[REGION_STACK] = (struct region){.at = stack, .bytes = sizeof(stack)};
	regions[REGION_CONTEXT] = (struct region){.at = context, .bytes = sizeof(context)};
	*p = (struct interp){.insns = insns,
			     .n_insns = n,
			     .regions = regions,
			     .n_regions = REGION_MAPS,
			     .n_cpus = 1,
			     .left = 100000};
	return interp_call(p, 0, args, result);
}
