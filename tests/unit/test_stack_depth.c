/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack of call chains (codegen/stack_depth.h), of objects that the test puts together.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "codegen/stack_depth.h"
#include "parser/base/arena.h"
#include <elf.h>
#include <linux/bpf.h>
#include <string.h>

#define STORE(at)                                  \
	{                                          \
		.code = BPF_ST | BPF_MEM | BPF_DW, \
		.dst_reg = BPF_REG_10,             \
		.off = (at),                       \
	}
#define CALL(to)                            \
	{                                   \
		.code = BPF_JMP | BPF_CALL, \
		.src_reg = BPF_PSEUDO_CALL, \
		.imm = (int)(to),           \
	}
#define HELPER                              \
	{                                   \
		.code = BPF_JMP | BPF_CALL, \
		.imm = 181,                 \
	}
#define COPY(to, from)                               \
	{                                            \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, \
		.dst_reg = (to),                     \
		.src_reg = (from),                   \
	}
#define ADD(to, n)                                   \
	{                                            \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, \
		.dst_reg = (to),                     \
		.imm = (n),                          \
	}
#define LOAD_ADDRESS(to)                           \
	{                                          \
		.code = BPF_LD | BPF_IMM | BPF_DW, \
		.dst_reg = BPF_REG_2,              \
		.imm = (to) * 8,                   \
	},                                         \
		{0}
#define EXIT                                \
	{                                   \
		.code = BPF_JMP | BPF_EXIT, \
	}

enum { PROGRAM = 1, TEXT, RELOCATIONS, SYMBOLS, NAMES, N_SECTIONS };
enum { MAX_INSNS = 16, MAX_SYMBOLS = 8, R_CALL = 10, R_ADDRESS = 1 };

static const char names[] = "\0main\0low\0lower\0outside";
enum { NAME_MAIN = 1, NAME_LOW = 6, NAME_LOWER = 10, NAME_OUTSIDE = 16 };

struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[N_SECTIONS];
	struct bpf_insn program[MAX_INSNS], text[MAX_INSNS];
	Elf64_Sym symbols[MAX_SYMBOLS];
	Elf64_Rel relocations[MAX_INSNS];
	char names[sizeof(names)];
	uint32_t n_symbols, n_relocations;
};

static void set_section(struct image *m, int i, uint32_t type, const void *at, size_t size)
{
	m->sections[i] = (Elf64_Shdr){.sh_type = type,
				      .sh_offset = (uint64_t)((const char *)at - (char *)m),
				      .sh_size = size};
}

/* The sections' sizes are complete when functions and relocations have been added. */
static struct stack_object finish(struct image *m)
{
	memcpy(m->head.e_ident, ELFMAG, SELFMAG);
	m->head.e_ident[EI_CLASS] = ELFCLASS64;
	m->head.e_ident[EI_DATA] = ELFDATA2LSB;
	m->head.e_machine = EM_BPF;
	m->head.e_type = ET_REL;
	m->head.e_shentsize = sizeof(*m->sections);
	m->head.e_shstrndx = NAMES;
	m->head.e_shoff = offsetof(struct image, sections);
	m->head.e_shnum = N_SECTIONS;
	memcpy(m->names, names, sizeof(names));
	set_section(m, PROGRAM, SHT_PROGBITS, m->program, sizeof(m->program));
	set_section(m, TEXT, SHT_PROGBITS, m->text, sizeof(m->text));
	m->sections[PROGRAM].sh_flags = m->sections[TEXT].sh_flags = SHF_EXECINSTR;
	set_section(m, RELOCATIONS, SHT_REL, m->relocations,
		    m->n_relocations * sizeof(*m->relocations));
	m->sections[RELOCATIONS].sh_info = PROGRAM;
	set_section(m, SYMBOLS, SHT_SYMTAB, m->symbols, m->n_symbols * sizeof(*m->symbols));
	m->sections[SYMBOLS].sh_link = NAMES;
	set_section(m, NAMES, SHT_STRTAB, m->names, sizeof(m->names));
	return (struct stack_object){m, sizeof(*m)};
}

/* A symbol of `n` instructions from `first` on. */
static void add_symbol(struct image *m, uint32_t name, uint16_t section, uint32_t first, uint32_t n)
{
	m->symbols[m->n_symbols++] = (Elf64_Sym){.st_name = name,
						 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						 .st_shndx = section,
						 .st_value = first * 8,
						 .st_size = n * 8};
}

static void relocate(struct image *m, uint32_t insn, uint32_t type, uint32_t symbol)
{
	m->relocations[m->n_relocations++] =
		(Elf64_Rel){.r_offset = insn * 8, .r_info = ELF64_R_INFO(symbol, type)};
}

static struct stack_depth depth(struct image *m, struct image *linked)
{
	struct arena *a = arena_new();
	struct stack_object object = finish(m), other = {0};
	struct stack_depth d;

	if (linked)
		other = finish(linked);
	d = stack_depth_of(a, &object, linked ? &other : NULL);
	arena_free(a);
	return d;
}

/* Conditional jumps of main and, for each call, of what it calls; not the way out of the function. */
static void test_branches(void **state)
{
	struct bpf_insn test = {.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0};
	struct bpf_insn jump = {.code = BPF_JMP | BPF_JA};
	struct image m = {.program = {CALL(0), CALL(0), test, jump, EXIT},
			  .text = {test, test, EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 5);
	add_symbol(&m, NAME_LOW, TEXT, 0, 3);
	relocate(&m, 0, R_CALL, 1);
	relocate(&m, 1, R_CALL, 1);
	m.program[0].imm = m.program[1].imm = -1;
	assert_int_equal(depth(&m, NULL).branches, 2 + 2 + 1);
}

static void test_alone(void **state)
{
	struct image m = {.program = {STORE(-8), STORE(-40), HELPER, EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 4);
	assert_int_equal(depth(&m, NULL).bytes, 64);
	assert_int_equal(depth(&m, NULL).frames, 1);
	assert_string_equal(depth(&m, NULL).program, "main");
}

/* A program that uses no stack takes 32 bytes all the same. */
static void test_empty(void **state)
{
	struct image m = {.program = {EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 1);
	assert_int_equal(depth(&m, NULL).bytes, 32);
	assert_int_equal(depth(&m, NULL).least, 16);
}

/* Helpers write behind an address that was computed from r10. */
static void test_addresses(void **state)
{
	struct image m = {.program = {COPY(BPF_REG_1, BPF_REG_10), ADD(BPF_REG_1, -200),
				      COPY(BPF_REG_3, BPF_REG_1), ADD(BPF_REG_3, -60), HELPER,
				      COPY(BPF_REG_2, BPF_REG_0), ADD(BPF_REG_2, -4000), EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 8);
	assert_int_equal(depth(&m, NULL).bytes, 288);
}

/* main calls low, which calls lower; both are in .text. */
static void test_chain(void **state)
{
	struct image m = {.program = {STORE(-100), CALL(0), EXIT},
			  .text = {STORE(-8), EXIT, STORE(-200), CALL(-4), EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 3);
	add_symbol(&m, NAME_LOWER, TEXT, 0, 2);
	add_symbol(&m, NAME_LOW, TEXT, 2, 3);
	relocate(&m, 1, R_CALL, 2);
	m.program[1].imm = -1;
	assert_int_equal(depth(&m, NULL).bytes, 128 + 224 + 32);
	assert_int_equal(depth(&m, NULL).least, 112 + 208 + 16);
	assert_int_equal(depth(&m, NULL).frames, 3);
	assert_string_equal(depth(&m, NULL).program, "main");
}

/* The address of a callback counts as a call. */
static void test_callback(void **state)
{
	struct image m = {.program = {STORE(-8), LOAD_ADDRESS(0), HELPER, EXIT},
			  .text = {STORE(-8), EXIT, STORE(-480), EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 5);
	add_symbol(&m, NAME_LOW, TEXT, 0, 2);
	add_symbol(&m, NAME_LOWER, TEXT, 2, 2);
	relocate(&m, 1, R_ADDRESS, 2);
	assert_int_equal(depth(&m, NULL).bytes, 32 + 480);
}

/* What the object only declares is in another one. */
static void test_linked(void **state)
{
	struct image m = {.program = {STORE(-8), CALL(-1), EXIT}};
	struct image other = {.text = {STORE(-64), EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 3);
	add_symbol(&m, NAME_OUTSIDE, SHN_UNDEF, 0, 0);
	relocate(&m, 1, R_CALL, 1);
	add_symbol(&other, NAME_OUTSIDE, TEXT, 0, 2);
	assert_int_equal(depth(&m, NULL).bytes, 32);
	assert_int_equal(depth(&m, &other).bytes, 96);
	assert_int_equal(depth(&m, &other).frames, 2);
}

/* main calls low twice; low calls lower. */
static void test_functions(void **state)
{
	struct image m = {.program = {CALL(-1), CALL(-1), EXIT},
			  .text = {STORE(-8), EXIT, STORE(-8), CALL(-4), EXIT}};

	(void)state;
	add_symbol(&m, NAME_MAIN, PROGRAM, 0, 3);
	add_symbol(&m, NAME_LOWER, TEXT, 0, 2);
	add_symbol(&m, NAME_LOW, TEXT, 2, 3);
	relocate(&m, 0, R_CALL, 2);
	relocate(&m, 1, R_CALL, 2);
	assert_int_equal(depth(&m, NULL).functions, 3);
	assert_string_equal(depth(&m, NULL).widest, "main");
	assert_int_equal(depth(&m, NULL).jump, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alone),  cmocka_unit_test(test_branches),
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_chain),  cmocka_unit_test(test_callback),
		cmocka_unit_test(test_linked), cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
