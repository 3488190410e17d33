/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter: arithmetic with known answers, memory and its bounds, calls, the budget.
 */
#include "tests/unit/interp_program.h"
#include "runtime/interp/interp_impl.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define RUN(result, p, ...)                   \
	run((struct bpf_insn[]){__VA_ARGS__}, \
	    sizeof((struct bpf_insn[]){__VA_ARGS__}) / sizeof(struct bpf_insn), result, p)

static uint64_t alu(uint8_t code, int16_t off, uint64_t a, uint64_t b)
{
	struct bpf_insn insn = {.code = code, .off = off, .imm = (int32_t)b};
	bool is_valid = true;
	uint64_t v = interp_alu(&insn, a, b, &is_valid);

	assert_true(is_valid);
	return v;
}

static void arithmetic(void **state)
{
	assert_int_equal(alu(BPF_ALU64 | BPF_ADD, 0, UINT64_MAX, 2), 1);
	assert_int_equal(alu(BPF_ALU | BPF_ADD, 0, UINT64_MAX, 2), 1);
	assert_int_equal(alu(BPF_ALU | BPF_SUB, 0, 0, 1), UINT32_MAX);
	assert_int_equal(alu(BPF_ALU64 | BPF_DIV, 0, 7, 0), 0);
	assert_int_equal(alu(BPF_ALU64 | BPF_MOD, 0, 7, 0), 7);
	assert_int_equal(alu(BPF_ALU | BPF_MOD, 0, 0x100000007, 0), 7);
	assert_int_equal(alu(BPF_ALU | BPF_DIV, 0, 0x100000008, 2), 4);
	assert_int_equal(alu(BPF_ALU64 | BPF_DIV, 1, (uint64_t)-7, 2), -3);
	assert_int_equal(alu(BPF_ALU64 | BPF_MOD, 1, (uint64_t)-7, 2), -1);
	assert_int_equal(alu(BPF_ALU64 | BPF_DIV, 1, 1ull << 63, (uint64_t)-1), 1ull << 63);
	assert_int_equal(alu(BPF_ALU | BPF_DIV, 1, 0x80000000, (uint64_t)-1), 0x80000000);
	assert_int_equal(alu(BPF_ALU64 | BPF_ARSH, 0, (uint64_t)-8, 1), -4);
	assert_int_equal(alu(BPF_ALU | BPF_ARSH, 0, 0x80000000, 31), UINT32_MAX);
	assert_int_equal(alu(BPF_ALU64 | BPF_LSH, 0, 1, 65), 2);
	assert_int_equal(alu(BPF_ALU | BPF_RSH, 0, 0x180000000, 33), 0x40000000);
	assert_int_equal(alu(BPF_ALU64 | BPF_NEG, 0, 1, 0), -1);
	assert_int_equal(alu(BPF_ALU64 | BPF_MOV | BPF_X, 8, 0, 0x80), -128);
	assert_int_equal(alu(BPF_ALU | BPF_MOV | BPF_X, 16, 0, 0x8000), 0xffff8000);
	assert_int_equal(alu(BPF_ALU | BPF_END | BPF_TO_LE, 0, 0x11223344, 16), 0x3344);
	assert_int_equal(alu(BPF_ALU | BPF_END | BPF_TO_BE, 0, 0x11223344, 32), 0x44332211);
	assert_int_equal(alu(BPF_ALU64 | BPF_END, 0, 0x1122, 16), 0x2211);
}

static void comparisons(void **state)
{
	bool v = true;

	assert_true(interp_compare(BPF_JGT, (uint64_t)-1, 1, false, &v));
	assert_false(interp_compare(BPF_JSGT, (uint64_t)-1, 1, false, &v));
	assert_true(interp_compare(BPF_JEQ, 1ull << 32, 0, true, &v));
	assert_true(interp_compare(BPF_JSLT, 0x80000000, 0, true, &v));
	assert_false(interp_compare(BPF_JSLT, 0x80000000, 0, false, &v));
	assert_true(interp_compare(BPF_JSET, 6, 2, false, &v));
	assert_true(v);
	interp_compare(0xf0, 0, 0, false, &v);
	assert_false(v);
}

static void memory_and_bounds(void **state)
{
	struct interp p;
	uint64_t r = 0;

	/* the last byte of the frame, sign extension */
	assert_int_equal(RUN(&r, &p, INSN(BPF_ST | BPF_MEM | BPF_B, 10, 0, -1, -2),
			     INSN(BPF_LDX | 0x80 | BPF_B, 0, 10, -1, 0), EXIT),
			 0);
	assert_int_equal(r, -2);
	/* behind the context */
	assert_int_equal(RUN(&r, &p, INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 1, 8, 0), EXIT), 0);
	assert_true(RUN(&r, &p, INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 1, 9, 0), EXIT) < 0);
	assert_non_null(strstr(p.fault, "outside of the program's memory"));
	/* NULL, and an address of a kernel */
	assert_true(RUN(&r, &p, MOV(2, 0), INSN(BPF_LDX | BPF_MEM | BPF_B, 0, 2, 0, 0), EXIT) < 0);
	assert_true(RUN(&r, &p, MOV(2, -4096), INSN(BPF_LDX | BPF_MEM | BPF_B, 0, 2, 0, 0), EXIT) <
		    0);
	assert_non_null(strstr(p.fault, "memory of the kernel"));
}

static void atomics(void **state)
{
	struct interp p;
	uint64_t r = 0;

	assert_int_equal(RUN(&r, &p, INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 40), MOV(2, 2),
			     INSN(BPF_STX | BPF_ATOMIC | BPF_DW, 10, 2, -8, BPF_ADD | BPF_FETCH),
			     INSN(BPF_LDX | BPF_MEM | BPF_DW, 0, 10, -8, 0),
			     INSN(BPF_ALU64 | BPF_ADD | BPF_X, 0, 2, 0, 0), EXIT),
			 0);
	assert_int_equal(r, 82);
	/* compare and exchange: r0 is 40, the word becomes 7 */
	assert_int_equal(RUN(&r, &p, INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -8, 40), MOV(0, 40),
			     MOV(2, 7), INSN(BPF_STX | BPF_ATOMIC | BPF_W, 10, 2, -8, BPF_CMPXCHG),
			     INSN(BPF_LDX | BPF_MEM | BPF_W, 1, 10, -8, 0),
			     INSN(BPF_ALU64 | BPF_SUB | BPF_X, 0, 1, 0, 0), EXIT),
			 0);
	assert_int_equal(r, 33);
}

static void calls(void **state)
{
	struct interp p;
	uint64_t r = 0;

	/* r6 is kept by the callee's caller, and each function has its frame */
	assert_int_equal(RUN(&r, &p, MOV(6, 5), INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 3),
			     INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, 4),
			     INSN(BPF_ALU64 | BPF_ADD | BPF_X, 0, 6, 0, 0),
			     INSN(BPF_LDX | BPF_MEM | BPF_DW, 1, 10, -8, 0),
			     INSN(BPF_ALU64 | BPF_ADD | BPF_X, 0, 1, 0, 0), EXIT, MOV(6, 100),
			     INSN(BPF_ST | BPF_MEM | BPF_DW, 10, 0, -8, 9), MOV(0, 1), EXIT),
			 0);
	assert_int_equal(r, 9);
	/* a function that calls itself */
	assert_true(RUN(&r, &p, INSN(BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, -1), EXIT) < 0);
	assert_non_null(strstr(p.fault, "nested too deeply"));
	assert_true(RUN(&r, &p, INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_redirect), EXIT) < 0);
	assert_non_null(strstr(p.fault, "bpf_redirect()"));
}

static void budget(void **state)
{
	struct interp p;
	uint64_t r = 0;

	assert_true(RUN(&r, &p, INSN(BPF_JMP | BPF_JA, 0, 0, -1, 0), EXIT) < 0);
	assert_non_null(strstr(p.fault, "without an end"));
	assert_true(RUN(&r, &p, INSN(BPF_JMP | BPF_JA, 0, 0, 100, 0), EXIT) < 0);
	assert_true(RUN(&r, &p, INSN(0xff, 0, 0, 0, 0), EXIT) < 0);
}

/* ---- beside the kernel -------------------------------------------------------------------- */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(memory_and_bounds),
		cmocka_unit_test(atomics),
		cmocka_unit_test(calls),
		cmocka_unit_test(budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
