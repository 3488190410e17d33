/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of hand-made call frame information: each instruction, encoding of addresses,
 * augmentation and form of record; the expressions that are known; gaps, overlaps and damage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <zlib.h>
#include "runtime/unwind/cfi.h"
#include "runtime/unwind/rules.h"
#include "runtime/output/out.h"
#include "runtime/unwind/table.h"
#include "tests/unit/unwind_image.h"
#include "tests/unit/unwind_lookup.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define BYTES(...) {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})

enum { CODE_BYTES = 0x8000, RELATIVE = 0x1b };

static struct section eh, debug, go;
static struct unwind_rules rules;
static struct unwind_table table;

static int setup(void **state)
{
	(void)state;
	section_begin(&eh, CODE_BYTES, 0);
	section_begin(&debug, CODE_BYTES, SECTION_MAX);
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

static int read_again(const struct image *m)
{
	teardown(NULL);
	return image_table(m->bytes, m->n, &rules, &table);
}

static void read_image(struct image m)
{
	if (!m.code_bytes)
		m.code_bytes = CODE_BYTES;
	image_make(&m);
	assert_int_equal(read_again(&m), 0);
	free(m.bytes);
}

static void read_eh(void)
{
	read_image((struct image){.eh_frame = &eh, .has_sections = true});
}

static struct unwind_rule rule_at(uint64_t address)
{
	return *unwind_table_rule(&table, &rules, address);
}

/* The rule of a signal frame of x86-64. */
#define SIGNAL UNWIND_SIGNAL, 8, 120, 160

#define check(at, ...) check_rule(rule_at(at), (struct unwind_rule){__VA_ARGS__}, #at, __LINE__)

static void check_rule(struct unwind_rule r, struct unwind_rule want, const char *what, int line)
{
	if (!memcmp(&r, &want, sizeof(r)))
		return;
	print_error("%s, line %d: cfa %u%+d saved %#x%+d, not cfa %u%+d saved %#x%+d\n", what, line,
		    r.cfa, r.cfa_offset, r.saved, r.fp_offset, want.cfa, want.cfa_offset,
		    want.saved, want.fp_offset);
	fail();
}

/* ---- instructions ---- */

struct instructions {
	const char *what;
	uint8_t bytes[40];
	size_t n;
	struct unwind_rule rule; /* that they lead to from rsp + 8 */
};

enum { SAME = UNWIND_FP_SAME, AT_CFA = UNWIND_FP_AT_CFA, AT_RBP = UNWIND_FP_AT_FP };
enum { UNKNOWN = UNWIND_FP_UNKNOWN, RBX_UNKNOWN = UNWIND_SAVED(0, UNWIND_EXTRA_UNKNOWN) };
#define RBX_AT(offset) UNWIND_SAVED(0, UNWIND_EXTRA_AT(offset))

static const struct instructions all_instructions[] = {
	{"nothing", {0}, 0, {UNWIND_SP, SAME, 0, 8}},
	{"nop", BYTES(0, 0, 0), {UNWIND_SP, SAME, 0, 8}},
	/* the CFA */
	{"def_cfa", BYTES(0x0c, 6, 16), {UNWIND_FP, SAME, 0, 16}},
	{"def_cfa, two bytes", BYTES(0x0c, 7, 0x90, 0x02), {UNWIND_SP, SAME, 0, 0x110}},
	{"def_cfa r10", BYTES(0x0c, 10, 0), {UNWIND_REGISTER + 10, SAME, 0, 0}},
	{"def_cfa rax", BYTES(0x0c, 0, 8), {UNWIND_REGISTER, SAME, 0, 8}},
	{"def_cfa r15", BYTES(0x0c, 15, 8), {UNWIND_REGISTER + 15, SAME, 0, 8}},
	{"def_cfa rip", BYTES(0x0c, 16, 8), {UNWIND_UNSUPPORTED}},
	{"def_cfa, a register that does not exist",
	 BYTES(0x0c, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 8),
	 {UNWIND_UNSUPPORTED}},
	{"def_cfa_register", BYTES(0x0d, 6), {UNWIND_FP, SAME, 0, 8}},
	{"def_cfa_offset", BYTES(0x0e, 0x80, 0x01), {UNWIND_SP, SAME, 0, 128}},
	{"def_cfa_offset, 31 bits",
	 BYTES(0x0e, 0xff, 0xff, 0xff, 0xff, 7),
	 {UNWIND_SP, SAME, 0, INT32_MAX}},
	{"def_cfa_offset, 32 bits", BYTES(0x0e, 0x80, 0x80, 0x80, 0x80, 8), {UNWIND_UNSUPPORTED}},
	{"def_cfa_sf", BYTES(0x12, 6, 0x7e), {UNWIND_FP, SAME, 0, 16}},
	{"def_cfa_offset_sf", BYTES(0x13, 0x7d), {UNWIND_SP, SAME, 0, 24}},
	{"def_cfa_offset_sf, negative", BYTES(0x13, 1), {UNWIND_SP, SAME, 0, -8}},
	/* rbp */
	{"offset", BYTES(0x86, 2), {UNWIND_SP, AT_CFA, -16, 8}},
	{"offset, another register", BYTES(0x8c, 2), {UNWIND_SP, SAME, 0, 8}},
	{"offset_extended", BYTES(5, 6, 3), {UNWIND_SP, AT_CFA, -24, 8}},
	{"offset_extended, two bytes", BYTES(5, 0x86, 0, 3), {UNWIND_SP, AT_CFA, -24, 8}},
	{"offset_extended_sf", BYTES(0x11, 6, 0x7f), {UNWIND_SP, AT_CFA, 8, 8}},
	{"negative_offset_extended", BYTES(0x2f, 6, 2), {UNWIND_SP, AT_CFA, 16, 8}},
	{"offset, least", BYTES(0x86, 0x80, 0x20), {UNWIND_SP, AT_CFA, INT16_MIN, 8}},
	{"offset, too large", BYTES(0x86, 0x81, 0x20), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"restore", BYTES(0x86, 2, 0xc6), {UNWIND_SP, SAME, 0, 8}},
	{"restore_extended", BYTES(0x86, 2, 6, 6), {UNWIND_SP, SAME, 0, 8}},
	{"undefined", BYTES(7, 6), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"same_value", BYTES(0x86, 2, 8, 6), {UNWIND_SP, SAME, 0, 8}},
	{"register", BYTES(9, 6, 3), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"register, itself", BYTES(9, 6, 6), {UNWIND_SP, SAME, 0, 8}},
	{"val_offset", BYTES(0x14, 6, 2), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"val_offset_sf", BYTES(0x15, 6, 2), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"expression, rbp", BYTES(0x10, 6, 2, 0x76, 0x70), {UNWIND_SP, AT_RBP, -16, 8}},
	{"expression, rsp", BYTES(0x10, 6, 2, 0x77, 0), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"expression, more", BYTES(0x10, 6, 3, 0x76, 0, 6), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"expression, empty", BYTES(0x10, 6, 0), {UNWIND_SP, UNKNOWN, 0, 8}},
	{"val_expression", BYTES(0x16, 6, 2, 0x76, 0), {UNWIND_SP, UNKNOWN, 0, 8}},
	/* rbx */
	{"rbx", BYTES(0x83, 2), {UNWIND_SP, RBX_AT(-16), 0, 8}},
	{"rbx and rbp", BYTES(0x83, 7, 0x86, 2), {UNWIND_SP, AT_CFA | RBX_AT(-56), -16, 8}},
	{"rbx, last offset", BYTES(0x83, 63), {UNWIND_SP, RBX_AT(-504), 0, 8}},
	{"rbx, too far", BYTES(0x83, 0xc0, 0), {UNWIND_SP, RBX_UNKNOWN, 0, 8}},
	{"rbx, too near", BYTES(0x83, 1), {UNWIND_SP, RBX_UNKNOWN, 0, 8}},
	{"rbx by an expression", BYTES(0x16, 3, 2, 0x77, 4), {UNWIND_SP, RBX_UNKNOWN, 0, 8}},
	{"rbx restored", BYTES(0x83, 2, 0xc3), {UNWIND_SP, SAME, 0, 8}},
	{"rbx undefined", BYTES(7, 3), {UNWIND_SP, RBX_UNKNOWN, 0, 8}},
	{"rbx same_value", BYTES(0x83, 2, 8, 3), {UNWIND_SP, SAME, 0, 8}},
	{"rbx by rbp", BYTES(0x10, 3, 2, 0x76, 0x70), {UNWIND_SP, RBX_UNKNOWN, 0, 8}},
	{"CFA by rbx", BYTES(0x0c, 3, 24, 0x83, 3), {UNWIND_RBX, RBX_AT(-24), 0, 24}},
	/* states */
	{"remember and restore", BYTES(0x0a, 0x86, 2, 0x0e, 16, 0x0b), {UNWIND_SP, SAME, 0, 8}},
	{"restore_state of none", BYTES(0x0b), {UNWIND_UNSUPPORTED}},
	{"args_size", BYTES(0x2e, 0x80, 1, 0x0e, 16), {UNWIND_SP, SAME, 0, 16}},
	/* rsp and the return address */
	{"rsp is the CFA", BYTES(0x14, 7, 0), {UNWIND_SP, SAME, 0, 8}},
	{"rsp is not the CFA", BYTES(0x14, 7, 1), {UNWIND_UNSUPPORTED}},
	{"rsp is stored", BYTES(0x87, 2), {UNWIND_UNSUPPORTED}},
	{"rip elsewhere", BYTES(0x90, 2), {UNWIND_UNSUPPORTED}},
	{"rip undefined", BYTES(7, 16, 0x86, 2), {UNWIND_END}},
	{"rip in rdi", BYTES(9, 16, 5, 0x0e, 0), {UNWIND_SP_RA_RDI}},
	{"rip in rdi, CFA by rbp", BYTES(9, 16, 5, 0x0c, 6, 0), {UNWIND_UNSUPPORTED}},
	{"rip in rsi", BYTES(9, 16, 4), {UNWIND_UNSUPPORTED}},
	{"rip restored", BYTES(9, 16, 4, 0xd0), {UNWIND_SP, SAME, 0, 8}},
	/* expressions for the CFA */
	{"PLT",
	 BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
	 {UNWIND_PLT, SAME, 0, 11}},
	{"PLT with 16",
	 BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x40, 0x2a, 0x33, 0x24, 0x22),
	 {UNWIND_UNSUPPORTED}},
	{"not quite PLT",
	 BYTES(0x0f, 11, 0x77, 16, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22),
	 {UNWIND_UNSUPPORTED}},
	{"realigned",
	 BYTES(0x0f, 3, 0x76, 0x58, 6, 0x10, 6, 2, 0x76, 0),
	 {UNWIND_FP_DEREF, AT_RBP, 0, UNWIND_DEREF(-40, 0)}},
	{"word at rsp", BYTES(0x0f, 3, 0x77, 8, 6), {UNWIND_SP_DEREF, SAME, 0, UNWIND_DEREF(8, 0)}},
	{"word at rsp, + 8",
	 BYTES(0x0f, 6, 0x77, 0x98, 1, 6, 0x23, 8),
	 {UNWIND_SP_DEREF, SAME, 0, UNWIND_DEREF(152, 8)}},
	{"word at rbp + 152, + 56",
	 BYTES(0x0f, 6, 0x76, 0x98, 1, 6, 0x23, 56),
	 {UNWIND_FP_DEREF, SAME, 0, UNWIND_DEREF(152, 56)}},
	{"word below rsp", BYTES(0x0f, 5, 0x77, 0x78, 6, 0x23, 8), {UNWIND_UNSUPPORTED}},
	{"word at rbx", BYTES(0x0f, 3, 0x73, 8, 6), {UNWIND_UNSUPPORTED}},
	{"word at rsp + 2^15", BYTES(0x0f, 5, 0x77, 0x80, 0x80, 2, 6), {UNWIND_UNSUPPORTED}},
	{"word at rsp, - 8", BYTES(0x0f, 5, 0x77, 8, 6, 0x38, 0x1c), {UNWIND_UNSUPPORTED}},
	{"register + offset", BYTES(0x0f, 2, 0x76, 16), {UNWIND_FP, SAME, 0, 16}},
	{"an empty expression", BYTES(0x0f, 0), {UNWIND_UNSUPPORTED}},
	{"offset of an expression", BYTES(0x0f, 1, 0x96, 0x0e, 16), {UNWIND_UNSUPPORTED}},
	{"register of an expression", BYTES(0x0f, 1, 0x96, 0x0d, 6), {UNWIND_UNSUPPORTED}},
	{"defined again", BYTES(0x0f, 1, 0x96, 0x0c, 7, 16), {UNWIND_SP, SAME, 0, 16}},
	/* invalid ones; padding with nop must not complete them */
	{"unknown", BYTES(0x3f), {UNWIND_UNSUPPORTED}},
	{"of another machine", BYTES(0x2d), {UNWIND_UNSUPPORTED}},
	{"an expression that is too long", BYTES(0x0f, 100, 0x77, 8), {UNWIND_UNSUPPORTED}},
	{"a number that is too long",
	 BYTES(0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80),
	 {UNWIND_UNSUPPORTED}},
};

/* Each in a function of its own, first alone, then after an advance. */
static void test_instructions(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);
	uint64_t start = CODE;

	(void)state;
	for (size_t i = 0; i < COUNT(all_instructions); i++) {
		const struct instructions *c = &all_instructions[i];
		uint8_t later[48] = {0x48};

		memcpy(later + 1, c->bytes, c->n);
		put_fde(&eh, cie, start + 0x80 * i, 0x20, c->bytes, c->n);
		put_fde(&eh, cie, start + 0x80 * i + 0x40, 0x20, later, c->n + 1);
	}
	read_eh();
	for (size_t i = 0; i < COUNT(all_instructions); i++, start += 0x80) {
		const struct instructions *c = &all_instructions[i];

		check_rule(rule_at(start), c->rule, c->what, __LINE__);
		check_rule(rule_at(start + 0x1f), c->rule, c->what, __LINE__);
		check(start + 0x20, UNWIND_NO_RULE);
		check(start + 0x3f, UNWIND_NO_RULE);
		check(start + 0x47, UNWIND_SP, SAME, 0, 8);
		check_rule(rule_at(start + 0x48), c->rule, c->what, __LINE__);
		check_rule(rule_at(start + 0x5f), c->rule, c->what, __LINE__);
	}
	assert_true(table.n_unsupported > 0);
}

static void test_advance(void **state)
{
	const uint8_t program[] = {0x41, 0x0e, 16,			   /* advance_loc 1 */
				   2,	 2,    0x0e, 24,		   /* advance_loc1 2 */
				   3,	 0,    1,    0x0e, 32,		   /* advance_loc2 0x100 */
				   4,	 0,    0,    1,	   0,	 0x0e, 40, /* advance_loc4 */
				   0x1d, 16,   0,    0,	   0,	 0,    0,
				   0,	 0,    0x0e, 48,   0x40, 0x0e, 56};
	uint64_t at = CODE;
	size_t cie;

	(void)state;
	section_begin(&eh, 0x20000, 0);
	cie = put_cie(&eh, RELATIVE);
	put_fde(&eh, cie, CODE, 0x11000, program, sizeof(program));
	read_image((struct image){.eh_frame = &eh, .code_bytes = 0x20000});
	check(at, UNWIND_SP, SAME, 0, 8);
	check(at += 1, UNWIND_SP, SAME, 0, 16);
	check(at + 1, UNWIND_SP, SAME, 0, 16);
	check(at += 2, UNWIND_SP, SAME, 0, 24);
	check(at + 0xff, UNWIND_SP, SAME, 0, 24);
	check(at += 0x100, UNWIND_SP, SAME, 0, 32);
	check(at + 0xffff, UNWIND_SP, SAME, 0, 32);
	check(at += 0x10000, UNWIND_SP, SAME, 0, 40);
	check(at + 15, UNWIND_SP, SAME, 0, 40);
	/* two at one address: the later one counts */
	check(at += 16, UNWIND_SP, SAME, 0, 56);
	check(CODE + 0x10fff, UNWIND_SP, SAME, 0, 56);
	check(CODE + 0x11000, UNWIND_NO_RULE);
	assert_int_equal(table.n_rows, 6);
	assert_int_equal(table.n_refused, 0);
}

/* An advance that leads out of the function ends it; one by a factor that overflows does, too. */
static void test_advance_too_far(void **state)
{
	const uint8_t program[] = {0x7f, 0x0e, 16, 4, 0xff, 0xff, 0xff, 0xff, 0x0e, 24};
	const uint8_t cie[] = {1,    'z',  'R',	 0,  0xff, 0xff,     0xff, 0xff, 0xff, 0xff, 0xff,
			       0xff, 0x7f, 0x78, 16, 1,	   RELATIVE, 0x0c, 7,	 8,    0x90, 1};
	size_t at = put_cie(&eh, RELATIVE), wide;

	(void)state;
	put_fde(&eh, at, CODE, 0x60, program, sizeof(program));
	wide = eh.n;
	put(&eh, 0, 8);
	put_bytes(&eh, cie, sizeof(cie));
	end_record(&eh, wide);
	put_fde(&eh, wide, CODE + 0x60, 0x10, program, sizeof(program));
	read_eh();
	check(CODE + 0x3e, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x5f, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x60, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x6f, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x70, UNWIND_NO_RULE);
	assert_int_equal(table.n_refused, 0);
}

static void test_set_location(void **state)
{
	uint8_t program[12] = {0x41, 0x0e, 16, 1};
	size_t cie = put_cie(&eh, RELATIVE);
	uint64_t address_at;
	uint32_t distance;

	(void)state;
	/* the FDE's instructions start 17 bytes behind it */
	address_at = here(&eh) + 17 + 4;
	distance = (uint32_t)(CODE + 0x18 - address_at);
	memcpy(program + 4, &distance, 4);
	memcpy(program + 8, (uint8_t[]){0x0e, 24}, 2);
	put_fde(&eh, cie, CODE, 0x20, program, 10);
	/* backwards: invalid */
	address_at = here(&eh) + 17 + 4;
	distance = (uint32_t)(CODE + 0x100 - address_at);
	memcpy(program + 4, &distance, 4);
	put_fde(&eh, cie, CODE + 0x100, 0x20, program, 10);
	read_eh();
	check(CODE + 0x17, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x18, UNWIND_SP, SAME, 0, 24);
	check(CODE + 0x100, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x101, UNWIND_UNSUPPORTED);
	check(CODE + 0x11f, UNWIND_UNSUPPORTED);
	check(CODE + 0x120, UNWIND_NO_RULE);
	assert_int_equal(table.n_refused, 1);
}

/* Code that has only invalid information: a table must not refer to rules that do not exist. */
static void test_only_invalid(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	put_fde(&eh, cie, CODE, 0x20, (uint8_t[]){0x3f}, 1);
	read_eh();
	assert_true(rules.list.n > UNWIND_RULE_UNSUPPORTED);
	check(CODE, UNWIND_UNSUPPORTED);
	assert_int_equal(table.n_refused, 1);
	assert_int_equal(table.n_unsupported, 1);
}

/* States can be nested, but not without bounds. */
static void test_nesting(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);
	uint8_t program[80];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 16; i++) {
		program[n++] = 0x0a;
		program[n++] = 0x0e;
		program[n++] = (uint8_t)(16 + i);
	}
	program[n++] = 0x44;
	memset(program + n, 0x0b, 16);
	put_fde(&eh, cie, CODE, 0x20, program, n + 16);
	memset(program, 0x0a, sizeof(program));
	program[sizeof(program) - 1] = 0x44;
	put_fde(&eh, cie, CODE + 0x100, 0x20, program, sizeof(program));
	read_eh();
	check(CODE + 3, UNWIND_SP, SAME, 0, 31);
	check(CODE + 4, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x100, UNWIND_UNSUPPORTED);
	assert_int_equal(table.n_refused, 1);
}

/* ---- signal frames ---- */

static const uint8_t signal_program[] = {0x0f, 4,    0x77, 0xa0, 0x01, 0x06, /* CFA */
					 0x10, 6,    3,	   0x77, 0xf8, 0x00, /* rbp */
					 0x10, 7,    3,	   0x77, 0xa0, 0x01, /* rsp */
					 0x10, 0x10, 3,	   0x77, 0xa8, 0x01 /* rip */};

/* A CIE with the augmentation "zRS". */
static size_t put_signal_cie(void)
{
	const uint8_t cie[] = {1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, RELATIVE, 0x0c, 7, 8, 0x90, 1};
	size_t at = eh.n;

	put(&eh, 0, 8);
	put_bytes(&eh, cie, sizeof(cie));
	end_record(&eh, at);
	return at;
}

static void test_signal(void **state)
{
	uint8_t other[sizeof(signal_program)];
	size_t signal = put_signal_cie(), plain = put_cie(&eh, RELATIVE);
	const size_t offsets[] = {3, 10, 16, 22};

	(void)state;
	put_fde(&eh, signal, CODE, 0x20, signal_program, sizeof(signal_program));
	put_fde(&eh, plain, CODE + 0x100, 0x20, signal_program, sizeof(signal_program));
	for (size_t i = 0; i < COUNT(offsets); i++) {
		memcpy(other, signal_program, sizeof(other));
		other[offsets[i]] -= 8;
		put_fde(&eh, signal, CODE + 0x200 + 0x100 * i, 0x20, other, sizeof(other));
	}
	put_fde(&eh, signal, CODE + 0x800, 0x20, NULL, 0);
	read_eh();
	check(CODE, SIGNAL);
	check(CODE + 0x1f, SIGNAL);
	/* without S, or with another layout, it is something else */
	for (size_t i = 0; i <= COUNT(offsets); i++)
		check(CODE + 0x100 + 0x100 * i, UNWIND_UNSUPPORTED);
	check(CODE + 0x800, UNWIND_SP, SAME, 0, 8);
}

/* A signal frame has one byte more at both ends, unless that is another function. */
static void test_ends_of_signal(void **state)
{
	size_t signal = put_signal_cie(), plain = put_cie(&eh, RELATIVE);

	(void)state;
	put_fde(&eh, signal, CODE + 0x100, 0x20, signal_program, sizeof(signal_program));
	put_fde(&eh, plain, CODE + 0x200, 0x20, NULL, 0);
	put_fde(&eh, signal, CODE + 0x220, 0x20, signal_program, sizeof(signal_program));
	put_fde(&eh, plain, CODE + 0x240, 0x20, NULL, 0);
	read_eh();
	check(CODE + 0xfe, UNWIND_NO_RULE);
	check(CODE + 0xff, SIGNAL);
	check(CODE + 0x120, SIGNAL);
	check(CODE + 0x121, UNWIND_NO_RULE);
	check(CODE + 0x21f, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x220, SIGNAL);
	check(CODE + 0x23f, SIGNAL);
	check(CODE + 0x240, UNWIND_SP, SAME, 0, 8);
}

/* The signal frames of i386: the three of the vDSO up to 6.x, those since 7, and others. */
static void test_signal_of_i386(void **state)
{
	enum { ESP = 4, EBP = 5 };
	static const struct {
		struct cfi_state s;
		int at; /* of the registers, from sp; -1: it is none */
	} frames[] = {
#define BY_SP(cfa, fp_at, ip_at)                                                              \
	{                                                                                     \
		CFI_CFA_DEREF, ESP, cfa, .fp = {CFI_AT_SP, fp_at}, .ip = { CFI_AT_SP, ip_at } \
	}
#define BY_CFA(offset, fp_at, sp_at, ip_at)                               \
	{                                                                 \
		CFI_CFA_REGISTER, ESP, offset, .fp = {CFI_AT_CFA, fp_at}, \
			.sp = {CFI_AT_CFA, sp_at},                        \
			.ip = { CFI_AT_CFA,                               \
				ip_at }                                   \
	}
		{BY_SP(32, 28, 60), 4},		{BY_SP(28, 24, 56), 0},
		{BY_SP(188, 184, 216), 160},	{BY_CFA(4, 24, 28, 56), 4},
		{BY_CFA(0, 24, 28, 56), 0},	{BY_CFA(160, 24, 28, 56), 160},
		{BY_SP(32, 24, 60), -1},	{BY_SP(32, 28, 56), -1},
		{BY_SP(24, 20, 52), -1},	{BY_CFA(4, 20, 28, 56), -1},
		{BY_CFA(4, 24, 24, 56), -1},	{BY_CFA(4, 24, 28, 60), -1},
		{BY_CFA(-4, 24, 28, 56), -1},	{BY_CFA(INT64_MIN, 24, 28, 56), -1},
		{BY_SP(INT64_MIN, 24, 28), -1},
	};
	struct cfi_cie cie = {.machine = unwind_machine_of(EM_386), .is_signal = true};

	(void)state;
	for (size_t i = 0; i < COUNT(frames); i++) {
		int16_t at = (int16_t)frames[i].at;
		struct unwind_rule want = {UNWIND_SIGNAL, 28, (int16_t)(at + 24), at + 28};

		if (at < 0)
			want = (struct unwind_rule){.cfa = UNWIND_UNSUPPORTED};
		check_rule(cfi_rule(&cie, &frames[i].s), want, "frame of i386", (int)i);
	}
}

/* ---- records ---- */

/* An FDE with an encoding of addresses, in a section with such a CIE. */
static void put_encoded(uint8_t encoding, uint64_t start)
{
	size_t cie = put_cie(&eh, encoding), at = eh.n, address_bytes;
	uint64_t value;

	put(&eh, 0, 4);
	put(&eh, eh.n - cie, 4);
	value = (encoding & 0x70) == 0x10 ? start - here(&eh) : start;
	switch (encoding & 0x0f) {
	case 0x01:
		put_uleb(&eh, value);
		put_uleb(&eh, 0x20);
		break;
	case 0x09: /* signed: a last byte with bit 6 clear, or set */
		for (int i = 0; i < 9; i++, value = (uint64_t)((int64_t)value >> 7))
			put(&eh, (value & 0x7f) | (i < 8 ? 0x80 : 0), 1);
		put(&eh, 0x20, 1);
		break;
	default:
		address_bytes = (encoding & 7) == 2 ? 2 : (encoding & 7) == 3 ? 4 : 8;
		put(&eh, value, address_bytes);
		put(&eh, 0x20, address_bytes);
	}
	put(&eh, 0, 1);
	end_record(&eh, at);
}

static void test_encodings(void **state)
{
	const uint8_t encodings[] = {0x00, 0x01, 0x03, 0x04, 0x08, 0x09, 0x0b,
				     0x0c, 0x10, 0x18, 0x14, 0x19, 0x1b, 0x1c};

	(void)state;
	for (size_t i = 0; i < COUNT(encodings); i++)
		put_encoded(encodings[i], CODE + 0x100 * i);
	/* two bytes reach from the last page of the code to the section only */
	put_encoded(0x1a, CODE + CODE_BYTES - 0x100);
	read_eh();
	for (size_t i = 0; i < COUNT(encodings); i++) {
		check(CODE + 0x100 * i, UNWIND_SP, SAME, 0, 8);
		check(CODE + 0x100 * i + 0x1f, UNWIND_SP, SAME, 0, 8);
		check(CODE + 0x100 * i + 0x20, UNWIND_NO_RULE);
	}
	check(CODE + CODE_BYTES - 0x100, UNWIND_SP, SAME, 0, 8);
	assert_int_equal(table.n_refused, 0);
}

/* Addresses relative to what is not known, indirect ones, and formats that do not exist. */
static void test_encodings_refused(void **state)
{
	const uint8_t encodings[] = {0x2b, 0x3b, 0x4b, 0x50, 0x9b, 0xff, 0x05, 0x0d};
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	for (size_t i = 0; i < COUNT(encodings); i++)
		put_encoded(encodings[i], CODE + 0x100 * i);
	put_fde(&eh, cie, CODE + 0x2000, 0x20, NULL, 0);
	read_eh();
	for (size_t i = 0; i < COUNT(encodings); i++)
		check(CODE + 0x100 * i, UNWIND_NO_RULE);
	check(CODE + 0x2000, UNWIND_SP, SAME, 0, 8);
	/* the CIE and its FDE, except for the last two, whose formats show in the FDE only */
	assert_int_equal(table.n_refused, 6 * 2 + 2);
}

/* Forms of CIEs: what follows the id, up to the initial instructions; how the FDE goes on. */
static const struct form {
	const char *what;
	uint8_t bytes[40];
	size_t n;
	bool has_sizes, is_absolute, is_valid;
} forms[] = {
	{"no augmentation", BYTES(1, 0, 1, 0x78, 16), false, true, true},
	{"version 3", BYTES(3, 0, 1, 0x78, 16), false, true, true},
	{"version 3, two bytes", BYTES(3, 0, 1, 0x78, 0x90, 0), false, true, true},
	{"version 4", BYTES(4, 0, 8, 0, 1, 0x78, 16), false, true, true},
	{"version 4, 32 bits", BYTES(4, 0, 4, 0, 1, 0x78, 16), false, true, false},
	{"version 4, segments", BYTES(4, 0, 8, 2, 1, 0x78, 16), false, true, false},
	{"version 2", BYTES(2, 0, 1, 0x78, 16), false, true, false},
	{"version 5", BYTES(5, 0, 8, 0, 1, 0x78, 16), false, true, false},
	{"eh", BYTES(1, 'e', 'h', 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 0x78, 16), false, true, true},
	{"z", BYTES(1, 'z', 0, 1, 0x78, 16, 0), true, true, true},
	{"z, more data", BYTES(1, 'z', 0, 1, 0x78, 16, 3, 1, 2, 3), true, true, true},
	{"zR", BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 1, RELATIVE), true, false, true},
	{"R", BYTES(1, 'R', 0, 1, 0x78, 16, RELATIVE), false, false, true},
	{"zPLR", BYTES(1, 'z', 'P', 'L', 'R', 0, 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, RELATIVE),
	 true, false, true},
	{"zPR, 8 bytes",
	 BYTES(1, 'z', 'P', 'R', 0, 1, 0x78, 16, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8, RELATIVE), true,
	 false, true},
	{"zPR, aligned", BYTES(1, 'z', 'P', 'R', 0, 1, 0x78, 16, 3, 0x50, 1, RELATIVE), true, false,
	 false},
	{"zRS", BYTES(1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, RELATIVE), true, false, true},
	{"zRB", BYTES(1, 'z', 'R', 'B', 0, 1, 0x78, 16, 1, RELATIVE), true, false, true},
	{"zRX", BYTES(1, 'z', 'R', 'X', 0, 1, 0x78, 16, 5, RELATIVE, 1, 2, 3, 4), true, false,
	 true},
	{"X", BYTES(1, 'X', 0, 1, 0x78, 16), false, true, false},
	{"too little data", BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 0), true, true, false},
	{"too much data", BYTES(1, 'z', 'R', 0, 1, 0x78, 16, 100, RELATIVE), true, false, false},
	{"return address 17", BYTES(1, 0, 1, 0x78, 17), false, true, false},
};

static void put_form(const struct form *f, uint64_t start)
{
	size_t cie = eh.n, at;

	put(&eh, 0, 8);
	put_bytes(&eh, f->bytes, f->n);
	put_bytes(&eh, (uint8_t[]){0x0c, 7, 8, 0x90, 1}, 5);
	end_record(&eh, cie);
	at = eh.n;
	put(&eh, 0, 4);
	put(&eh, eh.n - cie, 4);
	put(&eh, f->is_absolute ? start : start - here(&eh), f->is_absolute ? 8 : 4);
	put(&eh, 0x20, f->is_absolute ? 8 : 4);
	if (f->has_sizes)
		put_bytes(&eh, (uint8_t[]){2, 0x3f, 0x3f}, 3); /* to be skipped */
	put_bytes(&eh, (uint8_t[]){0x0e, 16}, 2);
	end_record(&eh, at);
}

static void test_forms(void **state)
{
	size_t n_refused = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		put_form(&forms[i], CODE + 0x100 * i);
		n_refused += forms[i].is_valid ? 0 : 2;
	}
	read_eh();
	for (size_t i = 0; i < COUNT(forms); i++)
		check_rule(rule_at(CODE + 0x100 * i),
			   forms[i].is_valid ? (struct unwind_rule){UNWIND_SP, SAME, 0, 16}
					     : (struct unwind_rule){UNWIND_NO_RULE},
			   forms[i].what, __LINE__);
	assert_int_equal(table.n_refused, n_refused);
}

/* A CIE's own instructions: rbp saved, and a restore that leads back to that. */
static void test_initial_state(void **state)
{
	const uint8_t cie[] = {1,	 'z',  'R', 0,	1,    0x78, 16,	  1,
			       RELATIVE, 0x0c, 7,   16, 0x86, 2,    0x90, 1};
	const uint8_t advancing[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, RELATIVE, 0x41};
	size_t first = eh.n, second;

	(void)state;
	put(&eh, 0, 8);
	put_bytes(&eh, cie, sizeof(cie));
	end_record(&eh, first);
	put_fde(&eh, first, CODE, 0x20, (uint8_t[]){8, 6, 0x44, 0xc6, 0x44, 8, 6, 0x44, 6, 6}, 10);
	second = eh.n;
	put(&eh, 0, 8);
	put_bytes(&eh, advancing, sizeof(advancing));
	end_record(&eh, second);
	put_fde(&eh, second, CODE + 0x100, 0x20, NULL, 0);
	read_eh();
	check(CODE, UNWIND_SP, SAME, 0, 16);
	check(CODE + 4, UNWIND_SP, AT_CFA, -16, 16);
	check(CODE + 8, UNWIND_SP, SAME, 0, 16);
	check(CODE + 12, UNWIND_SP, AT_CFA, -16, 16);
	check(CODE + 0x100, UNWIND_NO_RULE);
	assert_int_equal(table.n_refused, 2);
}

/* Lengths of 64 bits. */
static void test_dwarf64(void **state)
{
	const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, RELATIVE, 0x0c, 7, 8, 0x90, 1, 0, 0};
	const uint8_t debug_cie[] = {4, 0, 8, 0, 1, 0x78, 16, 0x0c, 7, 24, 0x90, 1, 0, 0, 0, 0};

	(void)state;
	put(&eh, UINT32_MAX, 4);
	put(&eh, 4 + sizeof(cie), 8);
	put(&eh, 0, 4);
	put_bytes(&eh, cie, sizeof(cie));
	put(&eh, UINT32_MAX, 4);
	put(&eh, 4 + 4 + 4 + 1 + 3, 8);
	put(&eh, eh.n, 4);
	put(&eh, CODE - here(&eh), 4);
	put(&eh, 0x20, 4);
	put(&eh, 0, 4);
	put(&debug, UINT32_MAX, 4);
	put(&debug, 8 + sizeof(debug_cie), 8);
	put(&debug, UINT64_MAX, 8);
	put_bytes(&debug, debug_cie, sizeof(debug_cie));
	put(&debug, UINT32_MAX, 4);
	put(&debug, 8 + 8 + 8, 8);
	put(&debug, 0, 8);
	put(&debug, CODE + 0x100, 8);
	put(&debug, 0x20, 8);
	read_image((struct image){.eh_frame = &eh, .debug_frame = &debug, .has_sections = true});
	check(CODE, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x100, UNWIND_SP, SAME, 0, 24);
	check(CODE + 0x11f, UNWIND_SP, SAME, 0, 24);
	check(CODE + 0x120, UNWIND_NO_RULE);
	assert_int_equal(table.n_refused, 0);
}

/* ---- .debug_frame ---- */

static void put_debug_fde(struct section *s, uint64_t start, uint64_t bytes, uint8_t cfa_offset)
{
	size_t at = s->n;

	if (!s->n) {
		put(s, 0, 4);
		put(s, UINT32_MAX, 4);
		put_bytes(s, (uint8_t[]){3, 0, 1, 0x78, 16, 0x0c, 7, 8, 0x90, 1}, 10);
		end_record(s, at);
		at = s->n;
	}
	put(s, 0, 8);
	put(s, start, 8);
	put(s, bytes, 8);
	put_bytes(s, (uint8_t[]){0x0e, cfa_offset}, 2);
	end_record(s, at);
}

static void test_debug_frame(void **state)
{
	struct image m = {.debug_frame = &debug, .has_sections = true};

	(void)state;
	put_debug_fde(&debug, CODE, 0x20, 16);
	put_debug_fde(&debug, CODE + 0x100, 0x20, 24);
	put_debug_fde(&debug, 0, 0x20, 32); /* of a function that the linker dropped */
	read_image(m);
	check(CODE, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x100, UNWIND_SP, SAME, 0, 24);
	assert_int_equal(table.n_refused, 0);
	/* where there is .eh_frame, it counts */
	put_fde(&eh, put_cie(&eh, RELATIVE), CODE, 0x20, NULL, 0);
	m.eh_frame = &eh;
	read_image(m);
	check(CODE, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x100, UNWIND_SP, SAME, 0, 24);
	/* that of Go does not say where rbp is */
	section_begin(&go, CODE_BYTES, SECTION_MAX / 2);
	put(&go, 0, 8);
	m.go = &go;
	read_image(m);
	assert_true(table.is_go);
	check(CODE, UNWIND_SP, SAME, 0, 8);
	check(CODE + 0x100, UNWIND_NO_RULE);
}

static void put_compressed(struct section *out, const struct section *in, uint32_t type,
			   uint64_t claimed)
{
	uLongf n = SECTION_MAX - sizeof(Elf64_Chdr);
	Elf64_Chdr h = {.ch_type = type, .ch_size = claimed, .ch_addralign = 1};

	out->n = 0;
	put_bytes(out, &h, sizeof(h));
	assert_int_equal(compress(out->bytes + sizeof(h), &n, in->bytes, in->n), Z_OK);
	out->n += n;
}

static void test_compressed(void **state)
{
	struct image m = {.debug_frame = &debug,
			  .has_sections = true,
			  .debug_flags = SHF_COMPRESSED};

	(void)state;
	eh.n = 0;
	for (unsigned i = 0; i < 16; i++)
		put_debug_fde(&eh, CODE + 0x100 * i, 0x20, 16);
	put_compressed(&debug, &eh, ELFCOMPRESS_ZLIB, eh.n);
	read_image(m);
	check(CODE, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0xf00, UNWIND_SP, SAME, 0, 16);
	/* a size that is wrong or beyond all measure, or an unknown method: no rows */
	put_compressed(&debug, &eh, ELFCOMPRESS_ZLIB, eh.n - 1);
	read_image(m);
	assert_int_equal(table.n_rows, 0);
	put_compressed(&debug, &eh, ELFCOMPRESS_ZLIB, 64 << 20);
	read_image(m);
	assert_int_equal(table.n_rows, 0);
	put_compressed(&debug, &eh, 2, eh.n);
	read_image(m);
	assert_int_equal(table.n_rows, 0);
}

/* ---- functions together ---- */

static void put_plain(size_t cie, uint64_t start, uint32_t bytes, uint8_t cfa_offset)
{
	put_fde(&eh, cie, start, bytes, (uint8_t[]){0x0e, cfa_offset}, 2);
}

/* The row of a function covers the alignment behind it, but no place where a function may start. */
static void test_alignment(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	put_plain(cie, CODE, 0x19, 16);
	put_plain(cie, CODE + 0x20, 0x20, 24); /* up to a multiple of 16 */
	put_plain(cie, CODE + 0x50, 0x18, 32); /* 0x10 behind it */
	put_plain(cie, CODE + 0x80, 0x5, 40);  /* 0x18 behind it */
	put_plain(cie, CODE + 0x8a, 0x6, 48);  /* in the same 16 bytes */
	put_plain(cie, CODE + 0x90, 0x10, 48);
	read_eh();
	check(CODE + 0x1f, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x3f, UNWIND_SP, SAME, 0, 24);
	check(CODE + 0x40, UNWIND_NO_RULE);
	check(CODE + 0x4f, UNWIND_NO_RULE);
	check(CODE + 0x67, UNWIND_SP, SAME, 0, 32);
	check(CODE + 0x68, UNWIND_NO_RULE);
	check(CODE + 0x7f, UNWIND_NO_RULE);
	check(CODE + 0x84, UNWIND_SP, SAME, 0, 40);
	check(CODE + 0x89, UNWIND_SP, SAME, 0, 40);
	check(CODE + 0x8a, UNWIND_SP, SAME, 0, 48);
	check(CODE + 0x9f, UNWIND_SP, SAME, 0, 48);
	check(CODE + 0xa0, UNWIND_NO_RULE);
	assert_int_equal(table.n_rows, 7); /* two of them gaps, and two equal ones are one */
}

/* Functions in any order, twice, and overlapping. */
static void test_order(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	put_plain(cie, CODE + 0x200, 0x80, 16);
	put_plain(cie, CODE + 0x40, 0x20, 24);
	put_plain(cie, CODE + 0x240, 0x20, 32); /* ends the one at 0x200 */
	put_plain(cie, CODE + 0x40, 0x80, 40);	/* a second time */
	put_plain(cie, CODE + 0x100, 0, 48);	/* empty */
	put_plain(cie, CODE + CODE_BYTES + 0x100000, 0x20, 56);
	put_plain(cie, CODE - 0x800, 0x900, 64);
	read_eh();
	check(CODE, UNWIND_NO_RULE);
	check(CODE + 0x40, UNWIND_SP, SAME, 0, 24);
	check(CODE + 0x60, UNWIND_NO_RULE);
	check(CODE + 0x100, UNWIND_NO_RULE);
	check(CODE + 0x200, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x23f, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x240, UNWIND_SP, SAME, 0, 32);
	check(CODE + 0x260, UNWIND_NO_RULE);
	assert_int_equal(table.n_refused, 0);
}

/* Rows for more code than a piece has words: several pieces, which together cover all of it. */
static void test_pieces(void **state)
{
	enum { ROWS = 150000, GAP = 1 << 18, TAIL = 0x300 };
	size_t cie, code_bytes = ROWS + GAP + TAIL;
	uint8_t *program = malloc(3 * ROWS);

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		memcpy(program + 3 * i, (uint8_t[]){0x41, 0x0e, (uint8_t)(8 * (i & 1))}, 3);
	section_begin(&eh, code_bytes, 0);
	cie = put_cie(&eh, RELATIVE);
	put_fde(&eh, cie, CODE, ROWS, program, 3 * ROWS);
	put_plain(cie, CODE + ROWS + GAP, TAIL, 64);
	read_image((struct image){.eh_frame = &eh, .code_bytes = code_bytes});
	/* 1.004 words a row, and one piece behind the gap */
	assert_int_equal(table.n_pieces, 3 + 1);
	assert_int_equal(table.n_rows, ROWS + 1);
	for (uint32_t i = 0; i < table.n_pieces; i++) {
		const struct unwind_piece *p = &table.pieces[i];

		assert_in_range(p->n_words, 2, UNWIND_CHUNK_WORDS);
		assert_int_equal(p->start % UNWIND_BLOCK_BYTES, 0);
		assert_true(i == 0 || i == 3 || p->start == p[-1].end);
	}
	assert_int_equal(table.pieces[2].end, CODE + ROWS);
	check(CODE, UNWIND_SP, SAME, 0, 8);
	for (size_t i = 1; i < ROWS; i++)
		check(CODE + i, UNWIND_SP, SAME, 0, 8 * ((i - 1) & 1));
	check(CODE + ROWS, UNWIND_NO_RULE);
	check(CODE + ROWS + GAP - 1, UNWIND_NO_RULE);
	check(CODE + ROWS + GAP, UNWIND_SP, SAME, 0, 64);
	check(CODE + ROWS + GAP + TAIL - 1, UNWIND_SP, SAME, 0, 64);
	check(CODE + ROWS + GAP + TAIL, UNWIND_NO_RULE);
	check(0, UNWIND_NO_RULE);
	check(UINT64_MAX, UNWIND_NO_RULE);
	free(program);
}

/* Blocks without a change share one row. */
static void test_long_function(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	put_plain(cie, CODE + 0x10, CODE_BYTES - 0x10, 16);
	read_eh();
	assert_int_equal(table.n_pieces, 1);
	/* the first block has two rows, and the last one */
	assert_int_equal(table.pieces[0].n_words, CODE_BYTES / UNWIND_BLOCK_BYTES + 2 + 1);
	check(CODE + 0xf, UNWIND_NO_RULE);
	check(CODE + 0x10, UNWIND_SP, SAME, 0, 16);
	check(CODE + CODE_BYTES - 1, UNWIND_SP, SAME, 0, 16);
}

/* ---- Go ---- */

enum { TOPFRAME = 1, SPWRITE = 2, ASM = 4, NO_TABLE = 255 };

/* 0x20 bytes of code each; distances as the table has them. */
static const struct go_function {
	const char *name;
	uint8_t flags, distances[8];
} go_functions[] = {
	{"main.main", 0, {2, 4, 48, 20, 47, 8}}, /* 0 for 4 bytes, 24 for 20, 0 */
	{"main.assembly", ASM, {2, 4, 32, 28}},	 /* 0 for 4 bytes, 16 */
	{"runtime.goexit", TOPFRAME | ASM, {2, 32}},
	{"runtime.mcall", SPWRITE | ASM, {2, 32}},
	{"runtime.systemstack", SPWRITE | ASM, {2, 32}},
	{"runtime.sigreturn__sigaction", ASM, {2, 32}},
	{"runtime.sigtramp", TOPFRAME | ASM, {2, 4, 112, 28}}, /* 0 for 4 bytes, 56 */
	{"runtime.nanotime1", SPWRITE | ASM, {2, 4, 48, 28}},  /* sets no frame pointer up */
	{"runtime.morestack", SPWRITE | ASM, {2, 32}},
	{"main.none", 0, {NO_TABLE}},
	{"main.short", 0, {2, 8, 0}},			      /* ends too early */
	{"main.below", 0, {1, 8, 18, 24}},		      /* -2, then 7 */
	{"main.huge", 0, {0xfe, 0xff, 0xff, 0xff, 0x0f, 32}}, /* 2^31 - 2 */
};
enum { GO_STEP = 0x20, NAMES = 72, DISTANCES = 0x200, FUNCTIONS = 0x280, DESCRIPTIONS = 0x100 };

static void go_at(size_t at, uint64_t value, size_t n)
{
	memcpy(go.bytes + at, &value, n);
}

static void make_go(uint32_t magic, uint64_t text)
{
	size_t n = COUNT(go_functions), name = NAMES, distances = DISTANCES + 1;

	memset(go.bytes, 0, 0x1000);
	go.n = 0x1000;
	go_at(0, magic, 4);
	go_at(6, 0x0801, 2);
	go_at(8, n, 8);
	go_at(24, text, 8);
	go_at(32, NAMES, 8);
	go_at(56, DISTANCES, 8);
	go_at(64, FUNCTIONS, 8);
	for (size_t i = 0; i < n; i++) {
		const struct go_function *f = &go_functions[i];
		size_t at = FUNCTIONS + DESCRIPTIONS + i * 48;

		go_at(FUNCTIONS + 8 * i, GO_STEP * i, 4);
		go_at(FUNCTIONS + 8 * i + 4, at - FUNCTIONS, 4);
		go_at(at + 4, name - NAMES, 4);
		memcpy(go.bytes + name, f->name, strlen(f->name) + 1);
		name += strlen(f->name) + 1;
		go_at(at + (magic == 0xfffffff0 ? 37 : 41), f->flags, 1);
		if (f->distances[0] != NO_TABLE) {
			go_at(at + 16, distances - DISTANCES, 4);
			memcpy(go.bytes + distances, f->distances, 8);
			distances += 9;
		}
	}
	go_at(FUNCTIONS + 8 * n, GO_STEP * n, 4);
}

static void check_go(void)
{
	uint64_t at = CODE;

	check(at, UNWIND_SP, RBX_UNKNOWN, 0, 8);
	check(at + 4, UNWIND_SP, AT_CFA | RBX_UNKNOWN, -16, 32);
	check(at + 23, UNWIND_SP, AT_CFA | RBX_UNKNOWN, -16, 32);
	check(at + 24, UNWIND_SP, RBX_UNKNOWN, 0, 8);
	check(at += GO_STEP, UNWIND_SP, RBX_UNKNOWN, 0, 8);
	check(at + 4, UNWIND_SP, UNKNOWN | RBX_UNKNOWN, 0, 24);
	check(at += GO_STEP, UNWIND_END);
	check(at += GO_STEP, UNWIND_END);
	check(at += GO_STEP, UNWIND_NO_RULE);
	/* a lookup of the return address finds the byte before it */
	at += GO_STEP;
	check(at - 2, UNWIND_NO_RULE);
	check(at - 1, SIGNAL);
	check(at + GO_STEP - 1, SIGNAL);
	check(at += GO_STEP, UNWIND_SP, RBX_UNKNOWN, 0, 8);
	check(at + 4, UNWIND_SP, UNKNOWN | RBX_UNKNOWN, 0, 64);
	check(at += GO_STEP, UNWIND_NO_RULE);
	check(at + 4, UNWIND_NO_RULE);
	check(at += GO_STEP, UNWIND_END);
	check(at += GO_STEP, UNWIND_NO_RULE);
	check(at += GO_STEP, UNWIND_SP, RBX_UNKNOWN, 0, 8);
	check(at + 8, UNWIND_NO_RULE);
	check(at += GO_STEP, UNWIND_NO_RULE);
	check(at + 8, UNWIND_SP, AT_CFA | RBX_UNKNOWN, -16, 15);
	check(at += GO_STEP, UNWIND_NO_RULE);
	check(at += GO_STEP, UNWIND_NO_RULE);
}

static void test_go(void **state)
{
	struct image m = {.go = &go, .has_sections = true};

	(void)state;
	make_go(0xfffffff0, CODE);
	read_image(m);
	assert_true(table.is_go);
	check_go();
	make_go(0xfffffff1, CODE);
	read_image(m);
	check_go();
	/* the address of the code is not in the file: that of the section, if the entry agrees */
	make_go(0xfffffff1, 0);
	m.entry = CODE + GO_STEP;
	read_image(m);
	check_go();
	m.entry = CODE + GO_STEP + 1;
	read_image(m);
	assert_int_equal(table.n_rows, 0);
	make_go(0xfffffffb, CODE); /* of Go 1.2 to 1.15 */
	read_image(m);
	assert_int_equal(table.n_rows, 0);
	assert_true(table.is_go);
}

/* Beside functions of C. */
static void test_go_and_c(void **state)
{
	struct image m = {.go = &go, .eh_frame = &eh, .has_sections = true};

	(void)state;
	section_begin(&go, CODE_BYTES, SECTION_MAX);
	make_go(0xfffffff1, CODE);
	put_plain(put_cie(&eh, RELATIVE), CODE + 0x1000, 0x40, 16);
	read_image(m);
	check_go();
	check(CODE + 0x1000, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0xfff, UNWIND_NO_RULE);
}

/* With sanitizers, each takes 10 ms, and fuzz_cfi tries more. */
#ifdef SONDE_ASAN
enum { DAMAGE_STEP = 255 };
#else
enum { DAMAGE_STEP = 51 };
#endif

/* Each byte of the table damaged, and the table cut off. */
static void test_go_damage(void **state)
{
	struct image m = {.go = &go, .code_bytes = CODE_BYTES, .has_sections = true};

	(void)state;
	make_go(0xfffffff1, CODE);
	image_make(&m);
	for (size_t i = 0; i < FUNCTIONS + DESCRIPTIONS + 48 * COUNT(go_functions); i++) {
		uint8_t *at = m.bytes + CODE_OFFSET + CODE_BYTES + i, old = *at;

		for (unsigned value = 0; value <= 255; value += DAMAGE_STEP) {
			*at = (uint8_t)value;
			assert_int_equal(read_again(&m), 0);
			for (uint64_t a = CODE; a < CODE + 0x200; a += 3)
				assert_in_range(rule_at(a).cfa, 0, UNWIND_UNSUPPORTED);
		}
		*at = old;
	}
	free(m.bytes);
}

/* ---- files ---- */

/* Without section headers, and without a length 0 at the end; larger than the first read. */
static void test_stripped(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);
	struct image m = {.eh_frame = &eh};

	(void)state;
	for (unsigned i = 0; i < CODE_BYTES / 8; i++)
		put_plain(cie, CODE + 8 * i, 8, i & 1 ? 16 : 24);
	assert_true(eh.n > 1 << 16);
	read_image(m);
	check(CODE, UNWIND_SP, SAME, 0, 24);
	check(CODE + CODE_BYTES - 1, UNWIND_SP, SAME, 0, 16);
	put(&eh, 0, 4);
	put(&eh, 0x1234567, 4); /* something else */
	read_image(m);
	check(CODE + CODE_BYTES - 1, UNWIND_SP, SAME, 0, 16);
	assert_int_equal(table.n_refused, 0);
}

/* A length of 0 in the middle of a section is skipped. */
static void test_terminator(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE);

	(void)state;
	put_plain(cie, CODE, 0x20, 16);
	put(&eh, 0, 4);
	put_plain(cie, CODE + 0x20, 0x20, 24);
	read_eh();
	check(CODE, UNWIND_SP, SAME, 0, 16);
	check(CODE + 0x20, UNWIND_SP, SAME, 0, 24);
}

static void test_no_frames(void **state)
{
	(void)state;
	read_image((struct image){.has_sections = true});
	assert_int_equal(table.n_rows, 0);
	assert_int_equal(table.n_pieces, 0);
	assert_int_equal(table.n_segments, 1);
	assert_int_equal(table.segments[0].address, CODE);
	assert_int_equal(table.segments[0].file_offset, CODE_OFFSET);
	check(CODE, UNWIND_NO_RULE);
}

static void test_other_files(void **state)
{
	struct image m = {.code_bytes = CODE_BYTES, .eh_frame = &eh, .has_sections = true};
	Elf64_Ehdr h;

	(void)state;
	put_plain(put_cie(&eh, RELATIVE), CODE, 0x20, 16);
	image_make(&m);
	assert_int_equal(read_again(&m), 0);
	assert_int_equal(table.n_rows, 1);
#define WITH(member, value, error)                       \
	memcpy(&h, m.bytes, sizeof(h));                  \
	((Elf64_Ehdr *)(void *)m.bytes)->member = value; \
	assert_int_equal(read_again(&m), error);         \
	memcpy(m.bytes, &h, sizeof(h))
	WITH(e_machine, EM_RISCV, -ENOEXEC);
	WITH(e_type, ET_REL, -ENOEXEC);
	WITH(e_type, ET_CORE, -ENOEXEC);
	WITH(e_type, ET_EXEC, 0);
	WITH(e_ident[EI_CLASS], ELFCLASS32, -ENOEXEC);
	WITH(e_ident[EI_DATA], ELFDATA2MSB, -ENOEXEC);
	WITH(e_ident[0], 0, -ENOEXEC);
	WITH(e_phnum, 0, 0);
	assert_int_equal(table.n_rows, 0);
	m.n = 10;
	assert_int_equal(read_again(&m), -ENOEXEC);
	m.n = 0;
	assert_int_equal(read_again(&m), -ENOEXEC);
	free(m.bytes);
	assert_int_equal(unwind_table_read(-1, &rules, &table), -EBADF);
}

/* The file, cut off at each byte of its last part, and with each byte of the section damaged: the
 * table is one that can be searched, whatever it says. */
static void test_damage(void **state)
{
	size_t cie = put_cie(&eh, RELATIVE), at;
	struct image m = {.code_bytes = CODE_BYTES, .eh_frame = &eh, .has_sections = true};

	(void)state;
	put_plain(cie, CODE, 0x20, 16);
	put_fde(&eh, cie, CODE + 0x20, 0x20, signal_program, sizeof(signal_program));
	image_make(&m);
	at = eh.address - CODE + CODE_OFFSET;
	for (size_t i = at; i < at + eh.n; i++) {
		const uint8_t old = m.bytes[i],
			      values[] = {0, 0xff, 0x7f, 0x80, (uint8_t)(old + 1)};

		for (size_t j = 0; j < COUNT(values); j++) {
			m.bytes[i] = values[j];
			assert_int_equal(read_again(&m), 0);
			for (uint64_t a = CODE; a < CODE + 0x100; a++)
				assert_in_range(rule_at(a).cfa, 0, UNWIND_REGISTER + 15);
		}
		m.bytes[i] = old;
	}
	for (; m.n > at; m.n--)
		read_again(&m);
	free(m.bytes);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_instructions),  TEST(test_advance),		TEST(test_advance_too_far),
		TEST(test_set_location),  TEST(test_only_invalid),	TEST(test_nesting),
		TEST(test_signal),	  TEST(test_ends_of_signal),	TEST(test_signal_of_i386),
		TEST(test_encodings),	  TEST(test_encodings_refused), TEST(test_forms),
		TEST(test_initial_state), TEST(test_dwarf64),		TEST(test_debug_frame),
		TEST(test_compressed),	  TEST(test_alignment),		TEST(test_order),
		TEST(test_pieces),	  TEST(test_long_function),	TEST(test_go),
		TEST(test_go_and_c),	  TEST(test_go_damage),		TEST(test_stripped),
		TEST(test_terminator),	  TEST(test_no_frames),		TEST(test_other_files),
		TEST(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
