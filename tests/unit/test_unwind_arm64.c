/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of arm64, also made on other machines: instructions of call frame information, rows
 * from instructions of code that has none, PLTs, the return from a signal handler, functions of Go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include "runtime/output/out.h"
#include "tests/unit/unwind_image.h"
#include "tests/unit/unwind_lookup.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

enum { CODE_BYTES = 0x4000, RELATIVE = 0x1b };

static struct section eh, go;
static struct unwind_rules rules;
static struct unwind_table table;

static int setup(void **state)
{
	(void)state;
	section_begin(&eh, CODE_BYTES, 0);
	section_begin(&go, CODE_BYTES, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	memset(&rules, 0, sizeof(rules));
	return 0;
}

/* Make the table of an image whose code begins with these instructions. */
static void read_image(struct image m, const uint32_t *code, size_t n)
{
	m.code_bytes = CODE_BYTES;
	m.machine = EM_AARCH64;
	image_make(&m);
	memset(m.bytes + CODE_OFFSET, 0, CODE_BYTES);
	if (n)
		memcpy(m.bytes + CODE_OFFSET, code, n * sizeof(*code));
	teardown(NULL);
	assert_int_equal(image_table(m.bytes, m.n, &rules, &table), 0);
	free(m.bytes);
}

#define check(at, ...) check_rule(at, (struct unwind_rule){__VA_ARGS__}, #at, __LINE__)

static void check_rule(uint64_t address, struct unwind_rule want, const char *what, int line)
{
	struct unwind_rule r = *unwind_table_rule(&table, &rules, address);

	if (!memcmp(&r, &want, sizeof(r)))
		return;
	print_error("%s, line %d: cfa %u%+d saved %#x%+d, not cfa %u%+d saved %#x%+d\n", what, line,
		    r.cfa, r.cfa_offset, r.saved, r.fp_offset, want.cfa, want.cfa_offset,
		    want.saved, want.fp_offset);
	fail();
}

/* ---- call frame information ---- */

enum {
	LEAF = UNWIND_SAVED(UNWIND_FP_SAME, UNWIND_EXTRA_SAME),
	PAIR = UNWIND_SAVED(UNWIND_FP_AT_CFA, UNWIND_EXTRA_AFTER_FP),
	LINK_ONLY = UNWIND_SAVED(UNWIND_FP_SAME, UNWIND_EXTRA_AFTER_FP),
};

static const struct {
	const char *what;
	uint8_t bytes[24];
	size_t n;
	struct unwind_rule rule; /* that they lead to from sp + 0 */
} instructions[] = {
	{"nothing", {0}, 0, {UNWIND_SP, LEAF, 0, 0}},
	/* offset of x29, x30: def_cfa_offset 32, 0x9d 4, 0x9e 3 */
	{"stp x29, x30, [sp, #-32]!", BYTES(0x0e, 32, 0x9d, 4, 0x9e, 3), {UNWIND_SP, PAIR, -4, 32}},
	{"and mov x29, sp", BYTES(0x0e, 32, 0x9d, 4, 0x9e, 3, 0x0d, 29), {UNWIND_FP, PAIR, -4, 32}},
	{"x30 alone", BYTES(0x0e, 16, 0x9e, 2), {UNWIND_SP, LINK_ONLY, -3, 16}},
	{"x30 at the top", BYTES(0x0e, 16, 0x9e, 1), {UNWIND_SP, LINK_ONLY, -2, 16}},
	{"x30 apart from x29",
	 BYTES(0x0e, 64, 0x9d, 8, 0x9e, 5),
	 {UNWIND_SP, UNWIND_SAVED(UNWIND_FP_AT_CFA, UNWIND_EXTRA_AT(-40)), -8, 64}},
	{"x29 alone", BYTES(0x0e, 16, 0x9d, 2), {UNWIND_SP, UNWIND_FP_AT_CFA, -2, 16}},
	{"a frame of 200 KiB",
	 BYTES(0x0e, 0x80, 0xc0, 0x0c, 0x9d, 0x80, 0xc8, 0x01, 0x9e, 0xff, 0xc7, 0x01),
	 {UNWIND_SP, PAIR, -25600, 204800}},
	{"one of 400 KiB", /* x29 is not where a rule can say, so neither is x30 */
	 BYTES(0x0e, 0x80, 0x80, 0x19, 0x9d, 0x80, 0x90, 0x03, 0x9e, 0xff, 0x8f, 0x03),
	 {UNWIND_UNSUPPORTED}},
	{"restored", BYTES(0x0e, 32, 0x9d, 4, 0x9e, 3, 0x0e, 0, 0xdd, 0xde), {UNWIND_SP}},
	{"negate_ra_state", BYTES(0x2d, 0x0e, 16, 0x9e, 2), {UNWIND_SP, LINK_ONLY, -3, 16}},
	{"negate_ra_state twice", BYTES(0x2d, 0x2d), {UNWIND_SP}},
	{"negate_ra_state_with_pc", BYTES(0x2c, 0x0e, 16), {UNWIND_SP, LEAF, 0, 16}},
	{"x30 undefined", BYTES(7, 30), {UNWIND_END}},
	{"x30 in another register", BYTES(9, 30, 15), {UNWIND_UNSUPPORTED}},
	{"x30 same_value", BYTES(0x9e, 2, 8, 30), {UNWIND_SP}},
	{"CFA by x12", BYTES(0x0c, 12, 16), {UNWIND_REGISTER + 12, LEAF, 0, 16}},
	{"CFA by a vector register", BYTES(0x0c, 72, 16), {UNWIND_UNSUPPORTED}},
	{"x19 and d8", BYTES(0x93, 2, 5, 72, 3), {UNWIND_SP}},
	{"unknown", BYTES(0x3f), {UNWIND_UNSUPPORTED}},
};

static void test_instructions(void **state)
{
	size_t cie = put_cie_arm64(&eh, RELATIVE);
	const uint8_t advanced[] = {0x42, 0x0e, 16};

	(void)state;
	for (size_t i = 0; i < COUNT(instructions); i++)
		put_fde(&eh, cie, CODE + 0x40 * i, 0x20, instructions[i].bytes, instructions[i].n);
	put_fde(&eh, cie, CODE + 0x1000, 0x20, advanced, sizeof(advanced));
	read_image((struct image){.eh_frame = &eh, .has_sections = true}, NULL, 0);
	for (size_t i = 0; i < COUNT(instructions); i++) {
		check_rule(CODE + 0x40 * i, instructions[i].rule, instructions[i].what, __LINE__);
		if (i + 1 < COUNT(instructions))
			check(CODE + 0x40 * i + 0x20, UNWIND_NO_RULE);
	}
	/* the factor of the code is 4 */
	check(CODE + 0x1007, UNWIND_SP);
	check(CODE + 0x1008, UNWIND_SP, LEAF, 0, 16);
}

/* A signal frame says nothing of where the registers are: the kernel's layout is known. */
static void test_signal_frame(void **state)
{
	const uint8_t cie[] = {1, 'z', 'R', 'S', 0, 4, 0x78, 30, 1, RELATIVE, 0x0c, 29, 0};
	size_t at = put_cie_of(&eh, cie, sizeof(cie));

	(void)state;
	put_fde(&eh, at, CODE, 0x20, NULL, 0);
	read_image((struct image){.eh_frame = &eh, .has_sections = true}, NULL, 0);
	check(CODE, UNWIND_SIGNAL, 8, 544, 560);
}

/* ---- instructions of the machine ---- */

enum {
	PUSH_32 = 0xa9be7bfd,	    /* stp x29, x30, [sp, #-32]! */
	POP_32 = 0xa8c27bfd,	    /* ldp x29, x30, [sp], #32 */
	SET_FP = 0x910003fd,	    /* mov x29, sp */
	SP_FROM_FP = 0x910003bf,    /* mov sp, x29 */
	PUSH_LINK = 0xf81f0ffe,	    /* str x30, [sp, #-16]! */
	POP_LINK = 0xf84107fe,	    /* ldr x30, [sp], #16 */
	DOWN_64 = 0xd10103ff,	    /* sub sp, sp, #64 */
	UP_64 = 0x910103ff,	    /* add sp, sp, #64 */
	SAVE_AT_48 = 0xa9037bfd,    /* stp x29, x30, [sp, #48] */
	RESTORE_AT_48 = 0xa9437bfd, /* ldp x29, x30, [sp, #48] */
	DOWN_BY_X0 = 0xcb2063ff,    /* sub sp, sp, x0 */
	SET_X29 = 0xd280003d,	    /* mov x29, #1 */
	FORWARD_2 = 0x54000040,	    /* b.eq .+8 */
	FORWARD_3 = 0x54000060,	    /* b.eq .+12 */
	CALL_BACK = 0x97fffff0,	    /* bl .-64 */
	PUSH_VECTORS = 0x6dbe27e8,  /* stp d8, d9, [sp, #-32]! */
	RET = 0xd65f03c0,
	NOP = 0xd503201f,
	BTI_C = 0xd503245f,
	CALL_X0 = 0xd63f0000,	  /* blr x0 */
	JUMP_X0 = 0xd61f0000,	  /* br x0 */
	JUMP_OVER_2 = 0x14000003, /* b .+12 */
	BACK_2 = 0x54ffffc0,	  /* b.eq .-8 */
	BREAK = 0xd4200000,	  /* brk #0 */
};

#define GUESS(kind, saved, fp, cfa) {(kind) | UNWIND_GUESS, saved, fp, cfa}

/* One after another; each begins behind the return of the one before. */
static const struct {
	uint32_t code;
	struct unwind_rule rule;
} known[] = {
	{NOP, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},

	{PUSH_32, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{SET_FP, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{NOP, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{DOWN_BY_X0, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{NOP, GUESS(UNWIND_FP, PAIR, -4, 32)},
	{SP_FROM_FP, GUESS(UNWIND_FP, PAIR, -4, 32)},
	{POP_32, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},

	{PUSH_LINK, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{FORWARD_3, GUESS(UNWIND_SP, LINK_ONLY, -3, 16)},
	{POP_LINK, GUESS(UNWIND_SP, LINK_ONLY, -3, 16)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{CALL_BACK, GUESS(UNWIND_SP, LINK_ONLY, -3, 16)}, /* the jump leads here */
	{POP_LINK, GUESS(UNWIND_SP, LINK_ONLY, -3, 16)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},

	{DOWN_64, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{SAVE_AT_48, GUESS(UNWIND_SP, LEAF, 0, 64)},
	{SET_X29, GUESS(UNWIND_SP, PAIR, -2, 64)},
	{RESTORE_AT_48, GUESS(UNWIND_SP, PAIR, -2, 64)},
	{UP_64, GUESS(UNWIND_SP, LEAF, 0, 64)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},

	{BTI_C, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{PUSH_VECTORS, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{PUSH_LINK, GUESS(UNWIND_SP, LEAF, 0, 32)},
	{SET_X29, GUESS(UNWIND_SP, LINK_ONLY, -7, 48)},
	{NOP, GUESS(UNWIND_SP, UNWIND_SAVED(UNWIND_FP_UNKNOWN, UNWIND_EXTRA_AFTER_FP), -7, 48)},
	{RET, GUESS(UNWIND_SP, UNWIND_SAVED(UNWIND_FP_UNKNOWN, UNWIND_EXTRA_AFTER_FP), -7, 48)},

	/* a call that does not return, and another function */
	{PUSH_32, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{CALL_X0, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{DOWN_64, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{UP_64, GUESS(UNWIND_SP, LEAF, 0, 64)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},
	/* nothing leads here: it returns */
	{RESTORE_AT_48, GUESS(UNWIND_SP, PAIR, -2, 64)},
	{UP_64, GUESS(UNWIND_SP, LEAF, 0, 64)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},
	/* a loop whose body only a jump back leads to */
	{PUSH_32, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{JUMP_OVER_2, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{SET_FP, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{SET_FP, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{BACK_2, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{POP_32, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{RET, GUESS(UNWIND_SP, LEAF, 0, 0)},
	/* a case of a switch that does not return */
	{PUSH_32, GUESS(UNWIND_SP, LEAF, 0, 0)},
	{JUMP_X0, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{CALL_X0, GUESS(UNWIND_SP, PAIR, -4, 32)},
	{BREAK, GUESS(UNWIND_SP, PAIR, -4, 32)},

	{NOP, {UNWIND_NO_RULE}}, /* nothing leads here */
	{NOP, {UNWIND_NO_RULE}},
};

static void test_code(void **state)
{
	uint32_t code[1024];

	(void)state;
	for (size_t i = 0; i < COUNT(code); i++)
		code[i] = i < COUNT(known) ? known[i].code : NOP;
	read_image((struct image){.has_sections = true}, code, COUNT(code));
	for (size_t i = 0; i < COUNT(known); i++) {
		char what[32];

		snprintf(what, sizeof(what), "instruction %zu", i);
		check_rule(CODE + 4 * i, known[i].rule, what, __LINE__);
		check_rule(CODE + 4 * i + 3, known[i].rule, what, __LINE__);
	}
}

/* Any instructions: rules are such that a walk can use them. */
static void test_any_code(void **state)
{
	static uint32_t code[CODE_BYTES / 4];
	uint64_t x = 1;

	(void)state;
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < COUNT(code); i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			code[i] = round & 1 ? (uint32_t)(x >> 32)
					    : known[(x >> 32) % COUNT(known)].code;
		}
		read_image((struct image){.has_sections = true}, code, COUNT(code));
		for (uint64_t at = CODE; at < CODE + CODE_BYTES; at += 4) {
			const struct unwind_rule *r = unwind_table_rule(&table, &rules, at);
			uint8_t kind = r->cfa & 0x7f;

			assert_true(kind == UNWIND_NO_RULE || kind == UNWIND_SP ||
				    kind == UNWIND_FP || kind == UNWIND_SIGNAL);
			assert_in_range(r->cfa_offset, 0, 1 << 20);
		}
	}
}

/* mov x8, #139; svc #0: also the byte before, since a handler returns to the first of them; and the
 * byte after, since that is where the thread is in the call. */
static void test_signal_return(void **state)
{
	const uint32_t code[] = {RET, NOP, 0xd2801168, 0xd4000001, NOP};

	(void)state;
	read_image((struct image){.has_sections = true}, code, COUNT(code));
	check(CODE + 7, UNWIND_SIGNAL, 8, 544, 560);
	check(CODE + 8, UNWIND_SIGNAL, 8, 544, 560);
	check(CODE + 15, UNWIND_SIGNAL, 8, 544, 560);
	assert_int_not_equal(unwind_table_rule(&table, &rules, CODE + 6)->cfa, UNWIND_SIGNAL);
	check(CODE + 16, UNWIND_SIGNAL, 8, 544, 560);
	assert_int_not_equal(unwind_table_rule(&table, &rules, CODE + 17)->cfa, UNWIND_SIGNAL);
}

/* A program without information: it begins by setting x29 and x30 to 0. */
static void test_start(void **state)
{
	const uint32_t code[] = {BTI_C, 0xd280001d, 0xd280001e, NOP};

	(void)state;
	read_image((struct image){.has_sections = true, .entry = CODE}, code, COUNT(code));
	check(CODE, UNWIND_END);
	check(CODE + 47, UNWIND_END);
	read_image((struct image){.has_sections = true, .entry = CODE}, code, 1);
	assert_int_not_equal(unwind_table_rule(&table, &rules, CODE)->cfa, UNWIND_END);
}

/* musl's __clone(): the parent returns, the child calls a function and exits. */
static void test_thread(void **state)
{
	const uint32_t code[] = {0xd4000001, 0xb4000040, RET, 0xa8c103e1,
				 0xd63f0020, 0xd2800ba8, NOP};

	(void)state;
	read_image((struct image){.has_sections = true}, code, COUNT(code));
	check(CODE + 8, UNWIND_SP | UNWIND_GUESS);
	check(CODE + 12, UNWIND_SP | UNWIND_GUESS);
	check(CODE + 16, UNWIND_END);
	check(CODE + 20, UNWIND_END);
}

/* ---- Go ---- */

/* One function: 4 bytes with the return address in x30, 40 with a frame of 48 bytes, 4 without. */
static void test_go(void **state)
{
	static const uint8_t distances[] = {0, 2, 1, 96, 10, 95, 1, 0};
	/* ldr x6, [x4, 192]; ldr x29, [x28, 104]; stp x29, x30, [sp, 32] */
	static const uint32_t sets_fp[] = {NOP, 0xf9406086, 0xf940379d, 0xa9027bfd};
	const size_t function = 0x100;

	(void)state;
	memset(go.bytes, 0, 0x200);
	go.n = 0x200;
#define PUT(at, value, n) memcpy(go.bytes + (at), &(uint64_t){value}, n)
	PUT(0, 0xfffffff1, 4);
	PUT(6, 4, 1); /* bytes of an instruction */
	PUT(7, 8, 1);
	PUT(8, 1, 8); /* functions */
	PUT(24, CODE, 8);
	PUT(32, 72, 8); /* names */
	PUT(56, 0x80, 8);
	PUT(64, function - 16, 8);
	PUT(function - 16, 0, 4);
	PUT(function - 12, 16, 4);
	PUT(function - 8, 48, 4);
	PUT(function + 16, 1, 4);
	memcpy(go.bytes + 0x80, distances, sizeof(distances));
	read_image((struct image){.go = &go, .has_sections = true}, NULL, 0);
	assert_true(table.is_go);
	check(CODE, UNWIND_SP);
	check(CODE + 4, UNWIND_SP, PAIR, -7, 48);
	check(CODE + 43, UNWIND_SP, PAIR, -7, 48);
	check(CODE + 44, UNWIND_SP);
	/* functions that set sp: the frame pointer leads on, to another stack */
	PUT(function + 41, 2, 1);
	read_image((struct image){.go = &go, .has_sections = true}, NULL, 0);
	check(CODE, UNWIND_SP);
	check(CODE + 4, UNWIND_SWITCH_FP, 0, 0, UNWIND_GO_AT(48, 0));
	/* up to Go 1.20, two of them set x29, too */
	memcpy(go.bytes + 72, "runtime.asmcgocall", 19);
	read_image((struct image){.go = &go, .has_sections = true}, sets_fp, COUNT(sets_fp));
	check(CODE + 4, UNWIND_GO_C, 0, 0, UNWIND_GO_AT(48, 0));
	memcpy(go.bytes + 72, "runtime.systemstack", 20);
	read_image((struct image){.go = &go, .has_sections = true}, sets_fp, COUNT(sets_fp));
	check(CODE + 4, UNWIND_GO_SYSTEM, 0, 0, UNWIND_GO_AT(48, 192));
	/* it saves x29 and x30 at sp + 32 */
	PUT(function + 41, 4, 1);
	memcpy(go.bytes + 72, "crosscall2", 11);
	read_image((struct image){.go = &go, .has_sections = true}, sets_fp, COUNT(sets_fp));
	check(CODE + 4, UNWIND_SP, PAIR, -2, 48);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_instructions),  TEST(test_signal_frame),
		TEST(test_code),	  TEST(test_any_code),
		TEST(test_signal_return), TEST(test_start),
		TEST(test_thread),	  TEST(test_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
