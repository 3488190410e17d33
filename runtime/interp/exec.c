/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that executes instructions. Each function has a frame in the stack region, which its
 * callees and callbacks can access by address, as in the kernel.
 */
#include "runtime/bpf/bpf_insn.h"
#include "runtime/interp/interp_impl.h"

/* The state that a call saves. */
struct frame {
	uint32_t back;
	uint64_t saved[5]; /* r6 to r10 */
};

struct run {
	struct interp *p;
	uint64_t r[11];
	uint32_t pc;   /* index of the next instruction */
	uint32_t base; /* depth at which this run began */
	struct frame frames[INTERP_MAX_DEPTH];
};

static uint64_t frame_end(uint32_t depth)
{
	return interp_address(REGION_STACK, (uint64_t)depth * INTERP_FRAME_BYTES);
}

static int enter(struct run *x, uint32_t at)
{
	struct interp *p = x->p;
	struct frame *f;

	if (p->depth >= INTERP_MAX_DEPTH || at >= p->n_insns)
		return interp_end(p, at >= p->n_insns ? "call of an address that is not a function"
						      : "calls are nested too deeply");
	f = &x->frames[p->depth++];
	f->back = x->pc;
	memcpy(f->saved, &x->r[6], sizeof(f->saved));
	x->r[10] = frame_end(p->depth);
	x->pc = at;
	return 0;
}

static void leave(struct run *x)
{
	const struct frame *f = &x->frames[--x->p->depth];

	memcpy(&x->r[6], f->saved, sizeof(f->saved));
	x->pc = f->back;
}

static uint64_t load(const void *at, uint32_t size, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, at, size);
	if (is_signed && size < 8)
		v = (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size));
	return v;
}

static int memory(struct run *x, const struct bpf_insn *insn)
{
	uint32_t size = bpf_insn_size(insn), class = BPF_CLASS(insn->code);
	uint32_t base = class == BPF_LDX ? insn->src_reg : insn->dst_reg;
	uint64_t address = x->r[base] + (uint64_t)(int64_t)insn->off, v;
	void *at;

	if (class == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC)
		return interp_atomic(x->p, insn, x->r);
	at = interp_need(x->p, address, size, class != BPF_LDX);
	if (!at)
		return -EFAULT;
	if (class == BPF_LDX) {
		x->r[insn->dst_reg] = load(at, size, bpf_insn_is_signed(insn));
		return 0;
	}
	v = class == BPF_ST ? (uint64_t)(int64_t)insn->imm : x->r[insn->src_reg];
	memcpy(at, &v, size); /* little endian, as the programs are */
	return 0;
}

static int unknown(struct run *x, const struct bpf_insn *insn)
{
	return interp_end(x->p, "unknown instruction 0x%02x", insn->code);
}

static int call(struct run *x, const struct bpf_insn *insn)
{
	if (insn->src_reg == BPF_PSEUDO_CALL)
		return enter(x, (uint32_t)((int64_t)x->pc + insn->imm));
	if (insn->src_reg != 0)
		return unknown(x, insn);
	return interp_helper(x->p, (uint32_t)insn->imm, &x->r[1], &x->r[0]);
}

static int jump(struct run *x, const struct bpf_insn *insn)
{
	bool is_32 = BPF_CLASS(insn->code) == BPF_JMP32, is_valid = true;
	uint8_t op = BPF_OP(insn->code);
	uint64_t b =
		BPF_SRC(insn->code) == BPF_X ? x->r[insn->src_reg] : (uint64_t)(int64_t)insn->imm;

	if (op == BPF_JA)
		x->pc = (uint32_t)((int64_t)x->pc + (is_32 ? insn->imm : insn->off));
	else if (op == BPF_CALL)
		return call(x, insn);
	else if (op == BPF_EXIT)
		leave(x);
	else if (interp_compare(op, x->r[insn->dst_reg], b, is_32, &is_valid))
		x->pc = (uint32_t)((int64_t)x->pc + insn->off);
	return is_valid ? 0 : unknown(x, insn);
}

static int arithmetic(struct run *x, const struct bpf_insn *insn)
{
	bool is_valid = true;
	uint64_t b =
		BPF_SRC(insn->code) == BPF_X ? x->r[insn->src_reg] : (uint64_t)(int64_t)insn->imm;

	x->r[insn->dst_reg] = interp_alu(insn, x->r[insn->dst_reg], b, &is_valid);
	return is_valid ? 0 : unknown(x, insn);
}

static int load_long(struct run *x, const struct bpf_insn *insn)
{
	if (!bpf_insn_is_wide(insn) || x->pc >= x->p->n_insns)
		return unknown(x, insn);
	x->r[insn->dst_reg] = (uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32;
	x->pc++;
	return 0;
}

static int step(struct run *x)
{
	const struct bpf_insn *insn;
	struct interp *p = x->p;

	if (x->pc >= p->n_insns)
		return interp_end(p, "a jump out of the program");
	p->pc = x->pc;
	insn = &p->insns[x->pc++];
	if (!p->left--)
		return interp_end(p, "it ran %llu instructions without an end", INTERP_BUDGET);
	if (insn->dst_reg > 10 || insn->src_reg > 10)
		return unknown(x, insn);
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64: return arithmetic(x, insn);
	case BPF_JMP:
	case BPF_JMP32: return jump(x, insn);
	case BPF_LD: return load_long(x, insn);
	default: return memory(x, insn);
	}
}

int interp_call(struct interp *p, uint32_t at, const uint64_t args[5], uint64_t *result)
{
	struct run x = {.p = p, .base = p->depth};
	int err;

	memcpy(&x.r[1], args, 5 * sizeof(*args));
	err = enter(&x, at);
	while (!err && p->depth > x.base)
		err = step(&x);
	p->depth = x.base;
	*result = x.r[0];
	return err ? -EFAULT : 0;
}
