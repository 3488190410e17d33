/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions of arm64: words as the GNU assembler makes them, and what they do.
 */
#include "runtime/insn/insn_arm64.h"
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define CODE(word) ((const uint8_t *)&(const uint32_t){word})
#define X(n) (1u << (n))
enum { NONE = INSN_NO_REG, SP = 31 };

static void test_flow(void **state)
{
	static const struct {
		uint32_t word;
		int64_t target;
		bool is_return, is_call, is_jump, is_indirect;
		int8_t condition;
	} rows[] = {
		{0x17ffffff, -4, .is_jump = true},				    /* b */
		{0x97ffffff, -4, .is_call = true},				    /* bl */
		{0x54ffffc0, -8, .is_jump = true, .condition = CONDITION_COUNTER},  /* b.eq */
		{0xb4ffffa0, -12, .is_jump = true, .condition = CONDITION_COUNTER}, /* cbz */
		{0xb747ff83, -16, .is_jump = true, .condition = CONDITION_COUNTER}, /* tbnz */
		{0x54000100, 32, .is_jump = true, .condition = CONDITION_COUNTER},  /* b.eq */
		{0xd61f0020, .is_indirect = true},				    /* br x1 */
		{0xd71f0801, .is_indirect = true},				    /* braa */
		{0xd63f0040, .is_call = true},					    /* blr x2 */
		{0xd65f03c0, .is_return = true},				    /* ret */
		{0xd65f00a0, .is_return = true},				    /* ret x5 */
		{0xd65f0bff, .is_return = true},				    /* retaa */
		{0xd503201f, 0},						    /* nop */
		{0xd4000001, 0},						    /* svc 0 */
		{0xa9be7bfd, 0},						    /* stp */
		{0x00000000, 0},						    /* udf */
	};
	struct insn i;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(insn_decode(EM_AARCH64, CODE(rows[k].word), 4, &i), 0);
		assert_int_equal(i.length, 4);
		assert_int_equal(i.target, rows[k].target);
		assert_int_equal(i.is_return, rows[k].is_return);
		assert_int_equal(i.is_call, rows[k].is_call);
		assert_int_equal(i.is_jump, rows[k].is_jump);
		assert_int_equal(i.is_indirect, rows[k].is_indirect);
		assert_int_equal(i.condition, rows[k].condition);
	}
	/* not enough bytes; unallocated: data */
	assert_int_equal(insn_decode(EM_AARCH64, CODE(0xd65f03c0), 3, &i), -EINVAL);
	assert_int_equal(insn_decode(EM_AARCH64, CODE(0x66666666), 4, &i), -EINVAL);
	assert_int_equal(insn_decode(EM_AARCH64, CODE(0x00010000), 4, &i), -EINVAL);
}

/* A: an address or a load, by base, index, scale and displacement. */
#define A(base_, disp_) .memory = {.base = base_, .index = NONE, .disp = disp_}
#define PLAIN .is_plain = true
#define SAFE PLAIN, .is_safe = true

static const struct {
	uint32_t word;
	struct insn_effect e;
} effects[] = {
	{0x910043e1,
	 {SAFE, .writes = X(1), .reg = 1, .value = VALUE_ADDRESS, A(SP, 16)}}, /* add x1, sp, 16 */
	{0xd10083ff,
	 {SAFE, .writes = X(SP), .reg = SP, .value = VALUE_ADDRESS,
	  A(SP, -32)}},								/* sub sp, sp, 32 */
	{0xb1000c3f, {SAFE, .writes = 0, .reg = NONE}},				/* cmn x1, 3 */
	{0x927cec3f, {SAFE, .writes = X(SP), .reg = SP, .value = VALUE_OTHER}}, /* and sp, x1, … */
	{0xf2400041, {SAFE, .writes = X(1), .reg = 1, .value = VALUE_OTHER}},	/* ands x1, x2, 1 */
	{0x10fffce4,
	 {SAFE, .writes = X(4), .reg = 4, .value = VALUE_ADDRESS,
	  .memory = {NONE, NONE, .is_relative = true, .disp = -0x64}}}, /* adr */
	{0xb0000004,
	 {SAFE, .writes = X(4), .reg = 4, .value = VALUE_ADDRESS,
	  .memory = {NONE, NONE, .is_relative = true, .is_page = true, .disp = 4096}}}, /* adrp */
	{0xaa0203e1,
	 {SAFE, .writes = X(1), .reg = 1, .from = 2, .value = VALUE_REG}}, /* mov x1, x2 */
	{0x2a0203e1,
	 {SAFE, .writes = X(1), .reg = 1, .from = 2, .value = VALUE_REG}}, /* mov w1, w2 */
	{0xd28a0001,
	 {SAFE, .writes = X(1), .reg = 1, .value = VALUE_ADDRESS,
	  A(NONE, 0x5000)}},						    /* mov x1, 0x5000 */
	{0xf2800061, {SAFE, .writes = X(1), .reg = 1}},			    /* movk x1, 3 */
	{0x8b020020, {SAFE, .writes = X(0), .reg = 0, .value = VALUE_SUM}}, /* add x0, x1, x2 */
	{0x8b218800,
	 {SAFE, .writes = X(0), .reg = 0, .value = VALUE_SUM}}, /* add x0, x0, w1, sxtb 2 */
	{0x8b020c20,
	 {SAFE, .writes = X(0), .reg = 0, .value = VALUE_RESULT}}, /* add x0, x1, x2, lsl 3 */
	{0xd37df020, {SAFE, .writes = X(0), .reg = 0, .value = VALUE_RESULT}}, /* lsl x0, x1, 3 */
	{0x9b027c20, {SAFE, .writes = X(0), .reg = 0, .value = VALUE_RESULT}}, /* mul */
	{0x9ac20820, {SAFE, .writes = X(0), .reg = 0, .value = VALUE_RESULT}}, /* udiv */
	{0x9a820020, {SAFE, .writes = X(0), .reg = 0}},			       /* csel */
	{0xca020020, {SAFE, .writes = X(0), .reg = 0}},			       /* eor */
	{0xf9400841,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD, A(2, 16)}}, /* ldr x1, [x2, 16] */
	{0xf8410441,
	 {.writes = X(1) | X(2), .reg = 1, .value = VALUE_LOAD, A(2, 0)}}, /* … [x2], 16 */
	{0xf8410c41,
	 {.writes = X(1) | X(2), .reg = 1, .value = VALUE_LOAD, A(2, 16)}}, /* … [x2, 16]! */
	{0xf8637841,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD, .memory = {2, 3, 8}}}, /* lsl 3 */
	{0x38634841,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD, .memory = {2, 3, 1}}}, /* ldrb */
	{0xb8a37841,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD, .memory = {2, 3, 4}}}, /* ldrsw */
	{0x58fffa61,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD,
	  .memory = {NONE, NONE, .is_relative = true, .disp = -0xb4}}}, /* ldr x1, label */
	{0x5cfffa41, {.writes = 0, .reg = NONE}},			/* ldr d1, label */
	{0x3cc10441, {.writes = X(2), .reg = NONE}},			/* ldr q1, [x2], 16 */
	{0xf9000841, {.writes = 0, .reg = NONE}},			/* str x1, [x2, 16] */
	{0xf81f0c41, {.writes = X(2), .reg = NONE}},			/* str x1, [x2, -16]! */
	{0xa9be7bfd, {.writes = X(SP), .reg = NONE}},		      /* stp x29, x30, [sp, -32]! */
	{0xa8c27bfd, {.writes = X(29) | X(30) | X(SP), .reg = NONE}}, /* ldp x29, x30, [sp], 32 */
	{0xa9400861, {.writes = X(1) | X(2), .reg = NONE}},	      /* ldp x1, x2, [x3] */
	{0x6cc10861, {.writes = X(3), .reg = NONE}},		      /* ldp d1, d2, [x3], 16 */
	{0xf9800000, {.writes = 0, .reg = NONE}},		      /* prfm */
	{0xd93ff860, {.writes = 0, .reg = NONE}},		      /* stg x0, [x3, -16] */
	{0xd93ffc60, {.writes = X(3), .reg = NONE}},		      /* stg x0, [x3, -16]! */
	{0xd9600020, {.writes = X(0), .reg = NONE}},		      /* ldg x0, [x1] */
	{0xf85f8041,
	 {PLAIN, .writes = X(1), .reg = 1, .value = VALUE_LOAD, A(2, -8)}}, /* ldur x1, [x2, -8] */
	{0x9e660041, {PLAIN, .writes = X(1), .reg = NONE}},		    /* fmov x1, d2 */
	{0x0e0c3c41, {PLAIN, .writes = X(1), .reg = NONE}},		    /* mov w1, v2.s[1] */
	{0x4cdf7020, {.writes = X(1), .reg = NONE}},			    /* ld1 …, [x1], 16 */
	{0x97ffffff, {.writes = X(30), .reg = NONE}},			    /* bl */
	{0xd61f0020, {.writes = 0, .reg = NONE, .from = 1, .value = VALUE_REG}}, /* br x1 */
	{0xd503233f, {SAFE, .writes = 0, .reg = NONE}},				 /* paciasp */
	{0xd4000001, {.writes = X(0), .reg = NONE}},				 /* svc 0 */
	{0xd53bd040, {.writes = X(0), .reg = NONE}},				 /* mrs x0, … */
};

static void test_effects(void **state)
{
	struct insn_effect e;

	(void)state;
	for (size_t k = 0; k < sizeof(effects) / sizeof(*effects); k++) {
		const struct insn_effect *want = &effects[k].e;
		bool has_memory = want->value == VALUE_LOAD || want->value == VALUE_ADDRESS;

		assert_int_equal(insn_effect(EM_AARCH64, CODE(effects[k].word), 4, &e), 0);
		assert_int_equal(e.writes, want->writes);
		assert_int_equal(e.value, want->value);
		assert_int_equal(e.reg, want->reg);
		assert_int_equal(e.is_plain, want->is_plain);
		assert_int_equal(e.is_safe, want->is_safe);
		if (want->value == VALUE_REG)
			assert_int_equal(e.from, want->from);
		if (!has_memory)
			continue;
		assert_int_equal(e.memory.base, want->memory.base);
		assert_int_equal(e.memory.index, want->memory.index);
		assert_int_equal(e.memory.scale, want->memory.scale);
		assert_int_equal(e.memory.is_relative, want->memory.is_relative);
		assert_int_equal(e.memory.is_page, want->memory.is_page);
		assert_int_equal(e.memory.disp, want->memory.disp);
	}
	assert_int_equal(insn_stack_pointer(EM_AARCH64), X(SP));
}

/* Atomic and exclusive ones write at least what they do. */
static void test_writes(void **state)
{
	static const struct {
		uint32_t word, writes;
	} rows[] = {
		{0xc85f7c41, X(1)}, /* ldxr x1, [x2] */
		{0xc8037c41, X(3)}, /* stxr w3, x1, [x2] */
		{0xc8dffc41, X(1)}, /* ldar x1, [x2] */
		{0xf8210062, X(2)}, /* ldadd x1, x2, [x3] */
		{0xc8a17c62, X(1)}, /* cas x1, x2, [x3] */
		{0x1e780041, X(1)}, /* fcvtzs w1, d2 */
	};
	struct insn_effect e;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(insn_effect(EM_AARCH64, CODE(rows[k].word), 4, &e), 0);
		assert_int_equal(e.writes & rows[k].writes, rows[k].writes);
	}
}

static void test_accesses(void **state)
{
	static const struct {
		uint32_t word;
		struct insn_arm64_access a; /* base, regs, is_load, offset, change */
	} rows[] = {
		{0xa9be7bfd, {SP, {29, 30}, false, -32, -32}},	   /* stp x29, x30, [sp, -32]! */
		{0xa8c27bfd, {SP, {29, 30}, true, 0, 32}},	   /* ldp x29, x30, [sp], 32 */
		{0xa9437bfd, {SP, {29, 30}, true, 48, 0}},	   /* ldp x29, x30, [sp, 48] */
		{0xa9037fbf, {29, {NONE, NONE}, false, 48, 0}},	   /* stp xzr, xzr, [x29, 48] */
		{0x29017be1, {SP, {NONE, NONE}, false, 8, 0}},	   /* stp w1, w30, [sp, 8] */
		{0x6dbe27e8, {SP, {NONE, NONE}, false, -32, -32}}, /* stp d8, d9, [sp, -32]! */
		{0xf81f0ffe, {SP, {30, NONE}, false, -16, -16}},   /* str x30, [sp, -16]! */
		{0xf84107fe, {SP, {30, NONE}, true, 0, 16}},	   /* ldr x30, [sp], 16 */
		{0xf9400841, {2, {1, NONE}, true, 16, 0}},	   /* ldr x1, [x2, 16] */
		{0xf85f8041, {2, {1, NONE}, true, -8, 0}},	   /* ldur x1, [x2, -8] */
		{0xb9001041, {2, {NONE, NONE}, false, 16, 0}},	   /* str w1, [x2, 16] */
	};
	/* by an index, exclusive, from a constant, a sum */
	static const uint32_t others[] = {0xf8637841, 0xc85f7c41, 0x58fffa61, 0x910043e1};
	struct insn_arm64_access a;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_true(insn_arm64_access(CODE(rows[k].word), 4, &a));
		assert_int_equal(a.base, rows[k].a.base);
		assert_int_equal(a.regs[0], rows[k].a.regs[0]);
		assert_int_equal(a.regs[1], rows[k].a.regs[1]);
		assert_int_equal(a.is_load, rows[k].a.is_load);
		assert_int_equal(a.offset, rows[k].a.offset);
		assert_int_equal(a.change, rows[k].a.change);
	}
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
		assert_false(insn_arm64_access(CODE(others[k]), 4, &a));
}

static void test_probes(void **state)
{
	static const struct {
		uint32_t word;
		enum insn_arm64_refused kind;
		bool is_emulated, is_misread;
	} rows[] = {
		{0xa9be7bfd},			   /* stp */
		{0xd503201f},			   /* nop */
		{0xd503233f},			   /* paciasp */
		{0xd503245f},			   /* bti c */
		{0xd50323bf, ARM64_HINT},	   /* autiasp */
		{0xd503203f, ARM64_HINT},	   /* yield */
		{0x58fffa61, ARM64_LITERAL},	   /* ldr x1, label */
		{0x5cfffa41, .is_misread = true},  /* ldr d1, label */
		{0xc85f7c41, ARM64_EXCLUSIVE},	   /* ldxr */
		{0xc8037c41, ARM64_EXCLUSIVE},	   /* stxr */
		{0xc8dffc41},			   /* ldar */
		{0xd4000001, ARM64_EXCEPTION},	   /* svc */
		{0xd4200020, ARM64_EXCEPTION},	   /* brk */
		{0xd53bd040, ARM64_SYSTEM},	   /* mrs */
		{0xd51bd040, ARM64_SYSTEM},	   /* msr */
		{0xd65f0bff, ARM64_AUTHENTICATED}, /* retaa */
		{0xd71f0801, ARM64_AUTHENTICATED}, /* braa */
		{0xd65f03c0, .is_emulated = true}, /* ret */
		{0xd63f0040, .is_emulated = true}, /* blr */
		{0x14000000, .is_emulated = true}, /* b */
		{0x54ffffc0, .is_emulated = true}, /* b.eq */
		{0x10fffce4, .is_emulated = true}, /* adr */
		{0x90000004, .is_emulated = true}, /* adrp */
	};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(insn_arm64_refused(CODE(rows[k].word), 4), rows[k].kind);
		assert_int_equal(insn_arm64_is_emulated(CODE(rows[k].word), 4),
				 rows[k].is_emulated);
		assert_int_equal(insn_arm64_is_misread(CODE(rows[k].word), 4), rows[k].is_misread);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flow),   cmocka_unit_test(test_effects),
		cmocka_unit_test(test_writes), cmocka_unit_test(test_accesses),
		cmocka_unit_test(test_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
