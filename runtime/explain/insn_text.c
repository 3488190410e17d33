/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes BPF instructions as text: see insn_text.h.
 */
#include "runtime/explain/insn_text.h"
#include "runtime/kernel/helper_name.h"
#include <inttypes.h>
#include <stdio.h>

enum { OP = 0xf0, JCOND = 0xe0 };

/* By BPF_OP(code) >> 4. */
static const char *const operators[16] = {
#define OPERATION(op, text, value) [BPF_##op >> 4] = text,
#include "runtime/bpf/bpf_ops.def"
};

static const char *const comparisons[16] = {
#define COMPARISON(op, text, value) [BPF_##op >> 4] = text,
#include "runtime/bpf/bpf_ops.def"
};

/* A place in memory: *(u64 *)(r2 +8). */
static const char *place(const struct bpf_insn *i, unsigned reg, const char *sign, char *out,
			 size_t size)
{
	snprintf(out, size, "(%s%u *)(r%u %+d)", sign, 8 * bpf_insn_size(i), reg, i->off);
	return out;
}

/* The operator. With an offset of 1, division and modulo are signed (RFC 9669). */
static const char *operator_of(const struct bpf_insn *i)
{
	if (i->off == 1 && (i->code & OP) == BPF_DIV)
		return "s/=";
	if (i->off == 1 && (i->code & OP) == BPF_MOD)
		return "s%=";
	return operators[(i->code & OP) >> 4];
}

static void write_swap(const struct bpf_insn *i, char *out, size_t size)
{
	const char *order = BPF_CLASS(i->code) == BPF_ALU64 ? "bswap"
			    : i->code & BPF_X		    ? "be"
							    : "le";

	snprintf(out, size, "r%u = %s%d r%u", i->dst_reg, order, i->imm, i->dst_reg);
}

static void write_operation(const struct bpf_insn *i, char *out, size_t size)
{
	char reg = BPF_CLASS(i->code) == BPF_ALU ? 'w' : 'r';
	const char *sign = operator_of(i);

	if ((i->code & OP) == BPF_END)
		write_swap(i, out, size);
	else if ((i->code & OP) == BPF_NEG)
		snprintf(out, size, "%c%u = -%c%u", reg, i->dst_reg, reg, i->dst_reg);
	else if (!sign)
		snprintf(out, size, "?");
	else if (!(i->code & BPF_X))
		snprintf(out, size, "%c%u %s %d", reg, i->dst_reg, sign, i->imm);
	else if ((i->code & OP) == BPF_MOV && i->off)
		snprintf(out, size, "%c%u = (s%d)%c%u", reg, i->dst_reg, i->off, reg, i->src_reg);
	else
		snprintf(out, size, "%c%u %s %c%u", reg, i->dst_reg, sign, reg, i->src_reg);
}

static void write_atomic(const struct bpf_insn *i, char *out, size_t size)
{
	static const char *const names[16] = {[BPF_ADD >> 4] = "add",
					      [BPF_OR >> 4] = "or",
					      [BPF_AND >> 4] = "and",
					      [BPF_XOR >> 4] = "xor"};
	const char *sign = operators[(i->imm & OP) >> 4], *name = names[(i->imm & OP) >> 4];
	char to[32];

	place(i, i->dst_reg, "u", to, sizeof(to));
	if (i->imm == BPF_XCHG)
		snprintf(out, size, "r%u = xchg(%s, r%u)", i->src_reg, to, i->src_reg);
	else if (i->imm == BPF_CMPXCHG)
		snprintf(out, size, "r0 = cmpxchg(%s, r0, r%u)", to, i->src_reg);
	else if (!name)
		snprintf(out, size, "?");
	else if (i->imm & BPF_FETCH)
		snprintf(out, size, "r%u = atomic_fetch_%s(%s, r%u)", i->src_reg, name, to,
			 i->src_reg);
	else
		snprintf(out, size, "lock *%s %s r%u", to, sign, i->src_reg);
}

static void write_access(const struct bpf_insn *i, char *out, size_t size)
{
	char at[32];

	switch (BPF_CLASS(i->code)) {
	case BPF_LDX:
		place(i, i->src_reg, bpf_insn_is_signed(i) ? "s" : "u", at, sizeof(at));
		snprintf(out, size, "r%u = *%s", i->dst_reg, at);
		return;
	case BPF_ST:
		snprintf(out, size, "*%s = %d", place(i, i->dst_reg, "u", at, sizeof(at)), i->imm);
		return;
	default: break;
	}
	if (BPF_MODE(i->code) == BPF_ATOMIC)
		write_atomic(i, out, size);
	else
		snprintf(out, size, "*%s = r%u", place(i, i->dst_reg, "u", at, sizeof(at)),
			 i->src_reg);
}

static void write_constant(const struct bpf_insn *insns, uint32_t at, uint32_t n,
			   const char *symbol, char *out, size_t size)
{
	const struct bpf_insn *i = &insns[at];
	uint32_t high = at + 1 < n ? (uint32_t)insns[1 + at].imm : 0;

	if (!bpf_insn_is_wide(i))
		snprintf(out, size, "?");
	else if (symbol && i->imm)
		snprintf(out, size, "r%u = &%s%+d", i->dst_reg, symbol, i->imm);
	else if (symbol)
		snprintf(out, size, "r%u = &%s", i->dst_reg, symbol);
	else
		snprintf(out, size, "r%u = 0x%" PRIx64, i->dst_reg,
			 (uint64_t)high << 32 | (uint32_t)i->imm);
}

static void write_call(const struct bpf_insn *i, const char *symbol, char *out, size_t size)
{
	const char *helper = i->src_reg ? NULL : helper_name((uint32_t)i->imm);

	if (symbol)
		snprintf(out, size, "call %s", symbol);
	else if (helper)
		snprintf(out, size, "call bpf_%s", helper);
	else if (i->src_reg == BPF_PSEUDO_CALL)
		snprintf(out, size, "call pc%+d", i->imm);
	else
		snprintf(out, size, "call %s#%d", i->src_reg ? "kernel function " : "helper ",
			 i->imm);
}

static void write_jump(const struct bpf_insn *i, uint32_t at, const char *symbol, char *out,
		       size_t size)
{
	char reg = BPF_CLASS(i->code) == BPF_JMP32 ? 'w' : 'r';
	const char *comparison = comparisons[(i->code & OP) >> 4];
	int64_t to = (int64_t)at + 1 + i->off;

	switch (i->code & OP) {
	case BPF_CALL: write_call(i, symbol, out, size); return;
	case BPF_EXIT: snprintf(out, size, "exit"); return;
	case JCOND: snprintf(out, size, "may_goto %" PRId64, to); return;
	case BPF_JA:
		if (reg == 'w') /* a long one */
			to = (int64_t)at + 1 + i->imm;
		snprintf(out, size, "goto %" PRId64, to);
		return;
	default: break;
	}
	if (!comparison)
		snprintf(out, size, "?");
	else if (i->code & BPF_X)
		snprintf(out, size, "if %c%u %s %c%u goto %" PRId64, reg, i->dst_reg, comparison,
			 reg, i->src_reg, to);
	else
		snprintf(out, size, "if %c%u %s %d goto %" PRId64, reg, i->dst_reg, comparison,
			 i->imm, to);
}

void insn_text(const struct bpf_insn *insns, uint32_t at, uint32_t n, const char *symbol, char *out,
	       size_t size)
{
	const struct bpf_insn *i = &insns[at];

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU:
	case BPF_ALU64: write_operation(i, out, size); break;
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX: write_access(i, out, size); break;
	case BPF_LD: write_constant(insns, at, n, symbol, out, size); break;
	default: write_jump(i, at, symbol, out, size); break;
	}
}
