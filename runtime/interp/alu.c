/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arithmetic and comparisons of BPF, as RFC 9669 defines them: division by zero is 0, modulo zero
 * leaves the value, shifts use the lower bits.
 */
#include "runtime/interp/interp_impl.h"
#include <byteswap.h>
#include <endian.h>

/* Signed division. The only overflow, INT64_MIN / -1, wraps around. */
static int64_t divide(int64_t a, int64_t b)
{
	return b == 0 ? 0 : b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t modulo(int64_t a, int64_t b)
{
	return b == 0 ? a : b == -1 ? 0 : a % b;
}

static uint64_t extend(uint64_t v, int bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

static uint64_t swap(uint64_t v, int32_t bits)
{
	return bits == 16   ? bswap_16((uint16_t)v)
	       : bits == 32 ? bswap_32((uint32_t)v)
			    : bswap_64(v);
}

static uint64_t cut(uint64_t v, int32_t bits)
{
	return bits == 16 ? (uint16_t)v : bits == 32 ? (uint32_t)v : v;
}

/* The instructions bswap16, htole16, htobe16 and their wider forms. */
static uint64_t byte_order(const struct bpf_insn *insn, uint64_t v)
{
	bool is_swapped = BPF_CLASS(insn->code) == BPF_ALU64 ||
			  (BPF_SRC(insn->code) == BPF_TO_BE) == (__BYTE_ORDER == __LITTLE_ENDIAN);

	return is_swapped ? swap(v, insn->imm) : cut(v, insn->imm);
}

static uint64_t divided(const struct bpf_insn *insn, uint64_t a, uint64_t b, bool is_32)
{
	bool is_div = BPF_OP(insn->code) == BPF_DIV;

	if (insn->off == 1) {
		int64_t x = is_32 ? (int32_t)a : (int64_t)a, y = is_32 ? (int32_t)b : (int64_t)b;

		return (uint64_t)(is_div ? divide(x, y) : modulo(x, y));
	}
	if (is_32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	return is_div ? (b ? a / b : 0) : (b ? a % b : a);
}

static uint64_t shifted(uint8_t op, uint64_t a, uint64_t b, bool is_32)
{
	uint32_t by = (uint32_t)b & (is_32 ? 31 : 63);

	if (op == BPF_LSH)
		return a << by;
	if (op == BPF_RSH)
		return is_32 ? (uint32_t)a >> by : a >> by;
	return is_32 ? (uint64_t)(int64_t)((int32_t)a >> by) : (uint64_t)((int64_t)a >> by);
}

uint64_t interp_alu(const struct bpf_insn *insn, uint64_t a, uint64_t b, bool *is_valid)
{
	bool is_32 = BPF_CLASS(insn->code) == BPF_ALU;
	uint64_t v;

	switch (BPF_OP(insn->code)) {
#define OPERATION(op, text, value) \
	case BPF_##op: v = value; break;
#include "runtime/bpf/bpf_ops.def"
	case BPF_END: return byte_order(insn, a);
	default: *is_valid = false; return 0;
	}
	return is_32 ? (uint32_t)v : v;
}

bool interp_compare(uint8_t op, uint64_t a, uint64_t b, bool is_32, bool *is_valid)
{
	int64_t x = is_32 ? (int32_t)a : (int64_t)a, y = is_32 ? (int32_t)b : (int64_t)b;

	if (is_32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
	}
	switch (op) {
#define COMPARISON(op, text, value) \
	case BPF_##op: return value;
#include "runtime/bpf/bpf_ops.def"
	default: *is_valid = false; return false;
	}
}

/* ---- atomic instructions ------------------------------------------------------------------ */

/* An atomic instruction on a word of type T; its previous value is stored in `old`. */
#define ATOMIC(T, at, op, v, expected, old, is_valid)                                          \
	do {                                                                                   \
		T *word = (at), was = (T)(expected), with = (T)(v);                            \
		switch ((op) & ~BPF_FETCH) {                                                   \
		case BPF_ADD: (old) = __atomic_fetch_add(word, with, __ATOMIC_SEQ_CST); break; \
		case BPF_OR: (old) = __atomic_fetch_or(word, with, __ATOMIC_SEQ_CST); break;   \
		case BPF_AND: (old) = __atomic_fetch_and(word, with, __ATOMIC_SEQ_CST); break; \
		case BPF_XOR: (old) = __atomic_fetch_xor(word, with, __ATOMIC_SEQ_CST); break; \
		case BPF_XCHG & ~BPF_FETCH:                                                    \
			(old) = __atomic_exchange_n(word, with, __ATOMIC_SEQ_CST);             \
			break;                                                                 \
		case BPF_CMPXCHG & ~BPF_FETCH:                                                 \
			__atomic_compare_exchange_n(word, &was, with, false, __ATOMIC_SEQ_CST, \
						    __ATOMIC_SEQ_CST);                         \
			(old) = was;                                                           \
			break;                                                                 \
		default: (is_valid) = false;                                                   \
		}                                                                              \
	} while (0)

int interp_atomic(struct interp *p, const struct bpf_insn *insn, uint64_t regs[11])
{
	bool is_long = BPF_SIZE(insn->code) == BPF_DW, is_valid = true;
	uint32_t bytes = is_long ? 8 : 4;
	void *at = interp_need(p, regs[insn->dst_reg] + (uint64_t)(int64_t)insn->off, bytes, true);
	uint64_t old = 0;

	if (!at)
		return -1;
	if (is_long)
		ATOMIC(uint64_t, at, insn->imm, regs[insn->src_reg], regs[0], old, is_valid);
	else
		ATOMIC(uint32_t, at, insn->imm, regs[insn->src_reg], regs[0], old, is_valid);
	if (!is_valid)
		return interp_end(p, "unknown atomic instruction 0x%x", (unsigned)insn->imm);
	if (insn->imm == BPF_CMPXCHG)
		regs[0] = old;
	else if (insn->imm & BPF_FETCH)
		regs[insn->src_reg] = old;
	return 0;
}
