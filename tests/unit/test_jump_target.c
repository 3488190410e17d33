/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where indirect jumps lead, in short pieces of code as compilers write them.
 */
#include "runtime/insn/jump_target.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The target of the jump at the end of the code, which is at address 0x1000. */
static struct jump_target target_of(uint16_t machine, const char *text, size_t n)
{
	const uint8_t *code = (const uint8_t *)text;
	struct jump_target t = {JUMP_VALUE_UNCLEAR, 1};
	struct jump_regs r = {0};
	struct insn_effect e;
	struct insn i;

	for (size_t at = 0; at < n; at += i.length) {
		assert_int_equal(insn_decode(machine, code + at, n - at, &i), 0);
		assert_int_equal(insn_effect(machine, code + at, n - at, &e), 0);
		if (i.is_indirect)
			t = jump_regs_target(&r, machine, &e, 0x1000 + at);
		else
			jump_regs_step(&r, machine, &e, 0x1000 + at, i.is_call);
	}
	return t;
}

#define TARGET(code) target_of(EM_X86_64, code, sizeof(code) - 1)

static void leads(struct jump_target t, enum jump_value value, uint64_t address)
{
	assert_int_equal(t.value, value);
	assert_int_equal(t.address, address);
}

static void test_calls(void **state)
{
	(void)state;
	/* jmp *%rdi: an argument */
	leads(TARGET("\xff\xe7"), JUMP_VALUE_POINTER, 0);
	/* mov (%rdi),%rax; jmp *0x10(%rax): a virtual function */
	leads(TARGET("\x48\x8b\x07\xff\x60\x10"), JUMP_VALUE_POINTER, 0);
	/* jmp *0x2000(%rip): a pointer in memory */
	leads(TARGET("\xff\x25\x00\x20\x00\x00"), JUMP_VALUE_POINTER, 0);
	/* mov (%rdi),%rdx; mov -0x1(%rdx,%rsi,1),%rax; jmp *%rax: a pointer to a virtual member */
	leads(TARGET("\x48\x8b\x17\x48\x8b\x44\x32\xff\xff\xe0"), JUMP_VALUE_POINTER, 0);
	/* mov %rdi,%rax; ror $0x11,%rax; xor %fs:0x30,%rax; jmp *%rax: a protected pointer */
	leads(TARGET("\x48\x89\xf8\x48\xc1\xc8\x11\x64\x48\x33\x04\x25\x30\x00\x00\x00\xff\xe0"),
	      JUMP_VALUE_POINTER, 0);
	/* lea 0x100(%rip),%rax; call +0; jmp *%rax: the call's result */
	leads(TARGET("\x48\x8d\x05\x00\x01\x00\x00\xe8\x00\x00\x00\x00\xff\xe0"),
	      JUMP_VALUE_POINTER, 0);
	/* lea 0x100(%rip),%rcx; movslq (%rcx,%rax,4),%rax; jmp *0x30(%rax,%rcx,1): a table of
	 * distances to tables of functions */
	leads(TARGET("\x48\x8d\x0d\x00\x01\x00\x00\x48\x63\x04\x81\xff\x64\x08\x30"),
	      JUMP_VALUE_POINTER, 0);
}

static void test_tables(void **state)
{
	(void)state;
	/* lea 0x100(%rip),%rdx; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax */
	leads(TARGET("\x48\x8d\x15\x00\x01\x00\x00\x48\x63\x04\xba\x48\x01\xd0\xff\xe0"),
	      JUMP_VALUE_SUM, 0);
	/* the same with a move between: add %rdx,%rax; mov %rsi,%rdi; jmp *%rax */
	leads(TARGET("\x48\x8d\x15\x00\x01\x00\x00\x48\x63\x04\xba\x48\x01\xd0\x48\x89\xf7\xff\xe0"),
	      JUMP_VALUE_SUM, 0);
	/* jmp *0x402010(,%rdi,8) */
	leads(TARGET("\xff\x24\xfd\x10\x20\x40\x00"), JUMP_VALUE_ELEMENT, 0x402010);
	/* lea 0x100(%rip),%rdx; mov %rsi,%rdi; jmp *(%rdx,%rax,8) */
	leads(TARGET("\x48\x8d\x15\x00\x01\x00\x00\x48\x89\xf7\xff\x24\xc2"), JUMP_VALUE_ELEMENT,
	      0x1107);
	/* lea 0x100(%rip),%rcx; mov (%rcx,%rdx,8),%rdx; jmp *%rdx */
	leads(TARGET("\x48\x8d\x0d\x00\x01\x00\x00\x48\x8b\x14\xd1\xff\xe2"), JUMP_VALUE_ELEMENT,
	      0x1107);
	/* jmp *(%rdi,%rsi,8): an array that is not known */
	leads(TARGET("\xff\x24\xf7"), JUMP_VALUE_ELEMENT, 0);
	/* shl $3,%rdi; lea 0x100(%rip),%rdx; jmp *(%rdx,%rdi,1) */
	leads(TARGET("\x48\xc1\xe7\x03\x48\x8d\x15\x00\x01\x00\x00\xff\x24\x3a"),
	      JUMP_VALUE_ELEMENT, 0x110b);
	/* 32 bits: jmp *0x8049000(,%eax,4) */
	leads(target_of(EM_386, "\xff\x24\x85\x00\x90\x04\x08", 7), JUMP_VALUE_ELEMENT, 0x8049000);
}

static void test_others(void **state)
{
	(void)state;
	/* lea 0x100(%rip),%rax; jmp *%rax: a known address */
	leads(TARGET("\x48\x8d\x05\x00\x01\x00\x00\xff\xe0"), JUMP_VALUE_ADDRESS, 0x1107);
	/* mov $0x401000,%eax; jmp *%rax */
	leads(TARGET("\xb8\x00\x10\x40\x00\xff\xe0"), JUMP_VALUE_ADDRESS, 0x401000);
	/* sub %rsi,%rdi; jmp *%rdi */
	leads(TARGET("\x48\x29\xf7\xff\xe7"), JUMP_VALUE_UNCLEAR, 0);
	/* lea (%rdi,%rsi,8),%rax; jmp *%rax */
	leads(TARGET("\x48\x8d\x04\xf7\xff\xe0"), JUMP_VALUE_UNCLEAR, 0);
}

#define ARM(...)                                                             \
	target_of(EM_AARCH64, (const char *)(const uint32_t[]){__VA_ARGS__}, \
		  sizeof((const uint32_t[]){__VA_ARGS__}))

static void test_arm64(void **state)
{
	(void)state;
	/* br x0: an argument */
	leads(ARM(0xd61f0000), JUMP_VALUE_POINTER, 0);
	/* ldr x2, [x0]; ldr x2, [x2, 16]; br x2: a virtual function */
	leads(ARM(0xf9400002, 0xf9400842, 0xd61f0040), JUMP_VALUE_POINTER, 0);
	/* adrp x1, +1 page; add x1, x1, 16; ldrb w1, [x1, w0, uxtw]; adr x2, +8; add x1, x2, w1,
	 * sxtb 2; br x1: a table of distances */
	leads(ARM(0xb0000001, 0x91004021, 0x38604821, 0x10000042, 0x8b218841, 0xd61f0020),
	      JUMP_VALUE_SUM, 0);
	/* adrp x1, +1 page; add x1, x1, 16; ldr x0, [x1, w0, sxtw 3]; br x0: an array */
	leads(ARM(0xb0000001, 0x91004021, 0xf860d820, 0xd61f0000), JUMP_VALUE_ELEMENT, 0x2010);
	/* adrp x16, +1 page; add x16, x16, 16; br x16: a veneer */
	leads(ARM(0xb0000010, 0x91004210, 0xd61f0200), JUMP_VALUE_ADDRESS, 0x2010);
	/* adrp x1, +1 page; add x1, x1, 16; bl; br x1: lost by the call */
	leads(ARM(0xb0000001, 0x91004021, 0x94000000, 0xd61f0020), JUMP_VALUE_POINTER, 0);
	/* adrp x19, +1 page; bl; br x19: kept */
	leads(ARM(0xb0000013, 0x94000000, 0xd61f0260), JUMP_VALUE_ADDRESS, 0x2000);
	/* add x0, x0, x1, lsl 3; br x0 */
	leads(ARM(0x8b010c00, 0xd61f0000), JUMP_VALUE_UNCLEAR, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_arm64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
