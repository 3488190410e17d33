/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter: arithmetic with known answers, memory and its bounds, calls, the budget; and
 * random instructions beside the kernel, where it loads them.
 */
#include "runtime/interp/interp_impl.h"
#include <bpf/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#define INSN(c, d, s, o, i) \
	((struct bpf_insn){.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i)})
#define MOV(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* Run a program of `n` instructions. */
static int run(struct bpf_insn *insns, uint32_t n, uint64_t *result, struct interp *p)
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
	assert_non_null(strstr(p.fault, "nested too deep"));
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

enum { N_RANDOM = 60, N_PROGRAMS = 200, N_REGISTERS = 6 };

static struct bpf_insn random_insn(void)
{
	static const uint8_t ops[] = {BPF_ADD, BPF_SUB,	 BPF_MUL, BPF_DIV, BPF_OR,
				      BPF_AND, BPF_LSH,	 BPF_RSH, BPF_MOD, BPF_XOR,
				      BPF_MOV, BPF_ARSH, BPF_NEG};
	uint8_t op = ops[rand() % (int)sizeof(ops)];
	bool is_long = rand() % 2, is_register = rand() % 2 && op != BPF_NEG;
	bool shifts = op == BPF_LSH || op == BPF_RSH || op == BPF_ARSH;
	int32_t imm = op == BPF_NEG || is_register ? 0 : rand() % 2 ? rand() - rand() : rand() % 9;

	if (shifts && !is_register)
		imm = rand() % (is_long ? 64 : 32);
	if ((op == BPF_DIV || op == BPF_MOD) && !is_register && !imm)
		imm = 3;
	return INSN((is_long ? BPF_ALU64 : BPF_ALU) | op | (is_register ? BPF_X : BPF_K),
		    rand() % N_REGISTERS, is_register ? rand() % N_REGISTERS : 0, 0, imm);
}

/* Registers with random values, arithmetic and jumps forward, and all registers added up. */
static uint32_t make_program(struct bpf_insn *to)
{
	static const uint8_t jumps[] = {BPF_JEQ, BPF_JGT, BPF_JSGT, BPF_JSET, BPF_JNE, BPF_JSLE};
	uint32_t n = 0;

	for (uint8_t i = 0; i < N_REGISTERS; i++) {
		to[n++] = INSN(BPF_LD | BPF_IMM | BPF_DW, i, 0, 0, rand() - rand());
		to[n++] = INSN(0, 0, 0, 0, rand() % 3 ? rand() - rand() : 0);
	}
	for (int i = 0; i < N_RANDOM; i++) {
		if (rand() % 8 == 0)
			to[n++] = INSN((rand() % 2 ? BPF_JMP : BPF_JMP32) |
					       jumps[rand() % (int)sizeof(jumps)] | BPF_X,
				       rand() % N_REGISTERS, rand() % N_REGISTERS, 1, 0);
		to[n++] = random_insn();
	}
	for (uint8_t i = 1; i < N_REGISTERS; i++) {
		to[n++] = INSN(BPF_ALU64 | BPF_MUL | BPF_K, 0, 0, 0, 31);
		to[n++] = INSN(BPF_ALU64 | BPF_XOR | BPF_X, 0, i, 0, 0);
	}
	/* the result has 32 bits */
	to[n++] = INSN(BPF_ALU64 | BPF_MOV | BPF_X, 1, 0, 0, 0);
	to[n++] = INSN(BPF_ALU64 | BPF_RSH | BPF_K, 1, 0, 0, 32);
	to[n++] = INSN(BPF_ALU64 | BPF_XOR | BPF_X, 0, 1, 0, 0);
	to[n++] = EXIT;
	return n;
}

static void beside_the_kernel(void **state)
{
	struct bpf_insn insns[4 * N_RANDOM];
	char packet[64] = {0};

	srand(20261126);
	for (int i = 0; i < N_PROGRAMS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = packet,
			    .data_size_in = sizeof(packet));
		uint32_t n = make_program(insns);
		struct interp p;
		uint64_t r = 0;
		int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "interp", "GPL", insns, n, NULL);

		if (fd < 0 && geteuid() != 0)
			skip();
		assert_true(fd >= 0);
		assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
		close(fd);
		assert_int_equal(run(insns, n, &r, &p), 0);
		if ((uint32_t)r != opts.retval)
			fail_msg("program %d: %#x, the kernel %#x", i, (uint32_t)r, opts.retval);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(memory_and_bounds),
		cmocka_unit_test(atomics),
		cmocka_unit_test(calls),
		cmocka_unit_test(budget),
		cmocka_unit_test(beside_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
