/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interpreter: random instructions beside the kernel, where it loads them.
 */
#include "tests/unit/interp_program.h"
#include "runtime/interp/interp_impl.h"
#include <bpf/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

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
		cmocka_unit_test(beside_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
