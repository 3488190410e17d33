/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands of USDT notes on x86-64 and arm64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "parser/base/arena.h"
#include "parser/lang/usdt_operand.h"

enum { BP = 32, BX = 40, AX = 80, CX = 88, SI = 104, DI = 112, IP = 128, SP = 152, R9 = 64 };
enum { NONE = USDT_NO_REG };

static void check(const char *text, enum usdt_machine m, struct usdt_operand want)
{
	struct arena *a = arena_new();
	struct usdt_format f;

	usdt_format_parse(a, text, m, &f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.args[0].text, text);
	if (!usdt_operand_same(&f.args[0], &want))
		fail_msg(
			"%s: kind %d size %d signed %d skip %d scale %d base %d index %d disp %lld",
			text, f.args[0].kind, f.args[0].size, f.args[0].is_signed, f.args[0].skip,
			f.args[0].scale, f.args[0].base, f.args[0].index,
			(long long)f.args[0].disp);
	if (want.symbol)
		assert_string_equal(f.args[0].symbol, want.symbol);
	else
		assert_null(f.args[0].symbol);
	arena_free(a);
}

#define OP(kind_, size_, signed_, base_, index_, scale_, disp_, ...)               \
	(struct usdt_operand)                                                      \
	{                                                                          \
		.kind = kind_, .size = size_, .is_signed = signed_, .base = base_, \
		.index = index_, .scale = scale_, .disp = disp_, __VA_ARGS__       \
	}
#define REG(size, sign, reg, ...) OP(USDT_SUM, size, sign, reg, NONE, 1, 0, __VA_ARGS__)
#define MEM(size, sign, base, index, scale, disp, ...) \
	OP(USDT_MEMORY, size, sign, base, index, scale, disp, __VA_ARGS__)
#define NUM(size, sign, n) OP(USDT_CONSTANT, size, sign, NONE, NONE, 1, n)

static void x86_registers(void **state)
{
	(void)state;
	check("-4@%edi", USDT_X86, REG(4, true, DI));
	check("8@%rsi", USDT_X86, REG(8, false, SI));
	check("2@%ax", USDT_X86, REG(2, false, AX));
	check("-1@%bl", USDT_X86, REG(1, true, BX));
	check("1@%ah", USDT_X86, REG(1, false, AX, .skip = 1));
	check("1@%sil", USDT_X86, REG(1, false, SI));
	check("4@%r9d", USDT_X86, REG(4, false, R9));
	check("1@%r9b", USDT_X86, REG(1, false, R9));
	check("8@%rsp", USDT_X86, REG(8, false, SP));
	check("%rsi", USDT_X86, REG(8, false, SI)); /* notes of old have no sizes */
	check("%esi", USDT_X86, REG(4, false, SI));
}

static void x86_constants(void **state)
{
	(void)state;
	check("-4@$-5", USDT_X86, NUM(4, true, -5));
	check("8@$7", USDT_X86, NUM(8, false, 7));
	check("8@$0xffffffffffffffff", USDT_X86, NUM(8, false, -1));
	check("8@$18446744073709551615", USDT_X86, NUM(8, false, -1));
	check("-8@$-9223372036854775808", USDT_X86, NUM(8, true, INT64_MIN));
	check("8@$name+4", USDT_X86,
	      OP(USDT_CONSTANT, 8, false, NONE, NONE, 1, 4, .symbol = "name"));
}

static void x86_memory(void **state)
{
	(void)state;
	check("-4@-20(%rbp)", USDT_X86, MEM(4, true, BP, NONE, 1, -20));
	check("8@(%rax)", USDT_X86, MEM(8, false, AX, NONE, 1, 0));
	check("8@0x10(%rsp)", USDT_X86, MEM(8, false, SP, NONE, 1, 16));
	check("2@(%rax,%rcx)", USDT_X86, MEM(2, false, AX, CX, 1, 0));
	check("4@-8(%rax,%rcx,4)", USDT_X86, MEM(4, false, AX, CX, 4, -8));
	check("4@8(,%rcx,8)", USDT_X86, MEM(4, false, NONE, CX, 8, 8));
	check("4@4(%esp)", USDT_X86, MEM(4, false, SP, NONE, 1, 4));
	check("4@counter(%rip)", USDT_X86, MEM(4, false, NONE, NONE, 1, 0, .symbol = "counter"));
	check("4@counter+8(%rip)", USDT_X86, MEM(4, false, NONE, NONE, 1, 8, .symbol = "counter"));
	check("4@8+counter(%rip)", USDT_X86, MEM(4, false, NONE, NONE, 1, 8, .symbol = "counter"));
	check("4@-8+counter-4(%rip)", USDT_X86,
	      MEM(4, false, NONE, NONE, 1, -12, .symbol = "counter"));
	check("4@counter", USDT_X86, MEM(4, false, NONE, NONE, 1, 0, .symbol = "counter"));
	check("4@table(,%rcx,4)", USDT_X86, MEM(4, false, NONE, CX, 4, 0, .symbol = "table"));
	check("4@16(%rip)", USDT_X86, MEM(4, false, IP, NONE, 1, 16));
	check("4@0x601040", USDT_X86, MEM(4, false, NONE, NONE, 1, 0x601040));
}

static void arm64(void **state)
{
	(void)state;
	check("-4@w3", USDT_ARM64, REG(4, true, 24));
	check("8@x30", USDT_ARM64, REG(8, false, 240));
	check("8@sp", USDT_ARM64, REG(8, false, 248));
	check("4@wzr", USDT_ARM64, NUM(4, false, 0));
	check("-4@-5", USDT_ARM64, NUM(4, true, -5));
	check("8@#12", USDT_ARM64, NUM(8, false, 12));
	check("-4@[x1]", USDT_ARM64, MEM(4, true, 8, NONE, 1, 0));
	check("8@[sp, 16]", USDT_ARM64, MEM(8, false, 248, NONE, 1, 16));
	check("8@[x29, -24]", USDT_ARM64, MEM(8, false, 232, NONE, 1, -24));
	check("8@[x0, #8]", USDT_ARM64, MEM(8, false, 0, NONE, 1, 8));
	check("8@[x0, x1]", USDT_ARM64, MEM(8, false, 0, 8, 1, 0));
	check("8@[x0, x1, lsl #3]", USDT_ARM64, MEM(8, false, 0, 8, 8, 0));
}

/* Of recorded probes. */
static void words_of_the_context(void **state)
{
	(void)state;
	check("-4@=0", USDT_X86, REG(4, true, 0));
	check("8@=11", USDT_ARM64, REG(8, false, 88));
	check("8@=12", USDT_X86, OP(USDT_UNREADABLE, 8, false, NONE, NONE, 1, 0));
	check("8@=x", USDT_X86, OP(USDT_UNREADABLE, 8, false, NONE, NONE, 1, 0));
	check("8@=-1", USDT_X86, OP(USDT_UNREADABLE, 8, false, NONE, NONE, 1, 0));
}

static void unreadable(void **state)
{
	static const char *const x86[] = {
		"8@%xmm0",
		"8f@%xmm0",
		"3@%eax",
		"16@%rax",
		"4@%",
		"4@$",
		"4@",
		"@%eax",
		"4@%eax,",
		"4@%gs:16",
		"4@%fs:(%rax)",
		"4@(%rax",
		"4@(%ax)",
		"4@(%rax,%rcx,3)",
		"4@8(%rax)x",
		"4@$5x",
		"4@$99999999999999999999",
		"4@a+b(%rip)",
		"4@foo@GOTPCREL(%rip)",
		"4@8f(%rip)",
		"4@()()",
		"4@()",
		"4@(,)",
		"4@*%rax",
		"-@%eax",
		"4@%rbx(%rax)",
	};
	static const char *const arm[] = {"8@x31",  "8@q0",    "8@[x0",
					  "8@[x0,", "8@[w99]", "8@[x0, x1, lsl 9]"};
	struct arena *a = arena_new();
	struct usdt_format f;

	(void)state;
	for (size_t i = 0; i < sizeof(x86) / sizeof(*x86); i++) {
		usdt_format_parse(a, x86[i], USDT_X86, &f);
		if (f.n != 1 || f.args[0].kind != USDT_UNREADABLE)
			fail_msg("%s was read", x86[i]);
	}
	for (size_t i = 0; i < sizeof(arm) / sizeof(*arm); i++) {
		usdt_format_parse(a, arm[i], USDT_ARM64, &f);
		if (f.n != 1 || f.args[0].kind != USDT_UNREADABLE)
			fail_msg("%s was read", arm[i]);
	}
	arena_free(a);
}

static void formats(void **state)
{
	struct arena *a = arena_new();
	struct usdt_format f, g;

	(void)state;
	usdt_format_parse(a, "", USDT_X86, &f);
	assert_int_equal(f.n, 0);
	usdt_format_parse(a, "  -4@%edi  8@$7 ", USDT_X86, &f);
	assert_int_equal(f.n, 2);
	assert_string_equal(f.args[1].text, "8@$7");
	usdt_format_parse(a, "-4@%edi 8@$7", USDT_X86, &g);
	assert_true(usdt_format_same(&f, &g));
	usdt_format_parse(a, "-4@%edi 4@$7", USDT_X86, &g);
	assert_false(usdt_format_same(&f, &g));
	usdt_format_parse(a, "-4@%edi", USDT_X86, &g);
	assert_false(usdt_format_same(&f, &g));
	usdt_format_parse(a, "8@[sp, 16] 4@[x0, x1, lsl 2] 8@x0", USDT_ARM64, &f);
	assert_int_equal(f.n, 3);
	usdt_format_parse(a,
			  "1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1 1@$1",
			  USDT_X86, &f);
	assert_int_equal(f.n, USDT_ARGS);
	assert_int_equal(f.n_noted, 14);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_registers),
		cmocka_unit_test(x86_constants),
		cmocka_unit_test(x86_memory),
		cmocka_unit_test(arm64),
		cmocka_unit_test(words_of_the_context),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
