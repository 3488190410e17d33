/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where entry probes go: verdicts on short functions written out as bytes; instructions;
 * demangling; the dynamic linker's cache.
 */
#include "runtime/elf/demangle.h"
#include "runtime/elf/go_abi.h"
#include "runtime/insn/insn.h"
#include "runtime/elf/ldcache.h"
#include "runtime/insn/entry_judge.h"
#include "runtime/insn/uprobe_insn.h"
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define ENDBR "\xf3\x0f\x1e\xfa"
#define JUDGE(code, ...) \
	judge((const uint8_t *)(code), sizeof(code) - 1, ##__VA_ARGS__, READS_NOTHING)

enum reads { READS_NOTHING, READS_STACKS, READS_ARGS, READS_REGISTERS };

static uint8_t shift;
static struct uprobe_nops kernel;

static enum entry_verdict judge(const uint8_t *code, size_t n, enum reads reads, ...)
{
	const struct entry_reads r = {.stacks = reads == READS_STACKS,
				      .args = reads == READS_ARGS,
				      .registers = reads == READS_REGISTERS};

	shift = 0;
	return entry_judge(&r, &kernel, code, n, n, &shift);
}

static void test_first_instructions(void **state)
{
	const struct entry_reads none = {0};

	(void)state;
	assert_int_equal(JUDGE("\x55\x5d\xc3"), ENTRY_CHEAP);		/* push; pop; ret */
	assert_int_equal(JUDGE("\x41\x57\x41\x5f\xc3"), ENTRY_CHEAP);	/* push %r15 */
	assert_int_equal(JUDGE("\x48\x83\xec\x08\xc3"), ENTRY_STEPPED); /* sub $8,%rsp */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 4);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xc3", READS_STACKS), ENTRY_BEHIND);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xc3", READS_ARGS), ENTRY_BEHIND);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xc3", READS_REGISTERS), ENTRY_REGISTERS);
	assert_int_equal(JUDGE(ENDBR "\x41\x57\x41\x5f\xc3"), ENTRY_BEHIND);
	assert_int_equal(JUDGE(ENDBR "\x53\x5b\xc3", READS_STACKS), ENTRY_STACK);
	assert_int_equal(JUDGE(ENDBR "\x8d\x47\x01\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE(ENDBR), ENTRY_STEPPED);
	assert_int_equal(JUDGE(""), ENTRY_STEPPED);
	assert_int_equal(entry_judge(&none, &kernel, (const uint8_t *)ENDBR "\x55\xc3", 6, 0,
				     &shift),
			 ENTRY_NO_SIZE);
	assert_int_equal(entry_judge(&none, &kernel, (const uint8_t *)ENDBR "\x55\xc3", 6, 7,
				     &shift),
			 ENTRY_TOO_LONG);
}

/* What may be left out: computations, loads and comparisons, up to the first push or branch. */
static void test_later_instructions(void **state)
{
	(void)state;
	/* test %rdi,%rdi; je; ret */
	assert_int_equal(JUDGE("\x48\x85\xff\x74\x00\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 3);
	assert_int_equal(JUDGE("\x48\x85\xff\x74\x00\xc3", READS_ARGS), ENTRY_BEHIND);
	assert_int_equal(JUDGE("\x48\x85\xff\x74\x00\xc3", READS_STACKS), ENTRY_STACK);
	/* xor %eax,%eax; mov 8(%rdi),%rax; push %rbx */
	assert_int_equal(JUDGE("\x31\xc0\x48\x8b\x47\x08\x53\x5b\xc3", READS_ARGS), ENTRY_BEHIND);
	assert_int_equal(shift, 6);
	/* mov %fs:0x28,%rax; push %rbp */
	assert_int_equal(JUDGE("\x64\x48\x8b\x04\x25\x28\0\0\0\x55\x5d\xc3"), ENTRY_BEHIND);
	/* pxor %xmm0,%xmm0; push; lea (%rsi,%rdi),%rax; push */
	assert_int_equal(JUDGE("\x66\x0f\xef\xc0\x53\x5b\xc3"), ENTRY_BEHIND);
	assert_int_equal(JUDGE("\x48\x8d\x04\x3e\x53\x5b\xc3"), ENTRY_BEHIND);
	/* mov %rdx,%rcx; push: an argument is overwritten */
	assert_int_equal(JUDGE("\x48\x89\xd1\x53\x5b\xc3"), ENTRY_BEHIND);
	assert_int_equal(JUDGE("\x48\x89\xd1\x53\x5b\xc3", READS_ARGS), ENTRY_STEPPED);
	/* xor %edi,%edi, a write to a part of rsi (mov $1,%sil) */
	assert_int_equal(JUDGE("\x31\xff\x53\x5b\xc3", READS_ARGS), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x40\xb6\x01\x53\x5b\xc3", READS_ARGS), ENTRY_STEPPED);
	/* mov %rsp,%rbp; mov %rdi,%rbx; mov %rdi,%r12 */
	assert_int_equal(JUDGE("\x48\x89\xe5\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x48\x89\xfb\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x49\x89\xfc\x53\x5b\xc3"), ENTRY_STEPPED);
	/* mov %rdi,(%rsi), lock xadd %eax,(%rdi), xchg %eax,(%rdi), rep stosb: stores */
	assert_int_equal(JUDGE("\x48\x89\x3e\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\xf0\x0f\xc1\x07\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x87\x07\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\xf3\xaa\x53\x5b\xc3"), ENTRY_STEPPED);
	/* pop %rax, ret, syscall, cpuid, rdtsc, fld1, ldmxcsr, mov %eax,%ds, and no instruction */
	assert_int_equal(JUDGE("\x58\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\xc3\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x0f\x05\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x0f\xa2\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x0f\x31\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\xd9\xe8\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x0f\xae\x17\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x8e\xd8\x53\x5b\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x06\x53\x5b\xc3"), ENTRY_STEPPED);
}

#define NOP5 "\x0f\x1f\x44\0\0"
#define IS(what, code) uprobe_insn_is_##what((const uint8_t *)(code), sizeof(code) - 1)
#define IS_CHEAP(code) uprobe_insn_is_cheap((const uint8_t *)(code), sizeof(code) - 1, &kernel)

/* All forms that Linux 6.18 replaces by a call. */
static void test_nops_of_5_bytes(void **state)
{
	(void)state;
	assert_true(IS(nop5, NOP5));
	assert_true(IS(nop5, "\x0f\x1f\x44\x00\x08\x90")); /* clang */
	assert_true(IS(nop5, "\x66\x0f\x1f\x40\x00"));
	assert_true(IS(nop5, "\x48\x0f\x1f\x40\x00"));
	assert_true(IS(nop5, "\xf3\x0f\x1f\x40\x00"));
	assert_true(IS(nop5, "\x64\x0f\x1f\x40\x00"));
	assert_true(IS(nop5, "\x66\x66\x66\x66\x90"));
	assert_false(IS(nop5, "\x0f\x1f\x40\x00\x90"));
	assert_false(IS(nop5, "\x66\x0f\x1f\x44\0\0"));
	assert_false(IS(nop5, "\x0f\x1f\x80\0\0\0\0"));
	assert_false(IS(nop5, "\x0f\x1f\x05\0\0\0\0")); /* relative to %rip */
	assert_false(IS(nop5, "\x0f\x1f\x04\x25\0\0\0\0"));
	assert_false(IS(nop5, "\x90\x90\x90\x90\x90"));
	assert_false(IS(nop5, "\x48\x8d\x74\x26\x00")); /* lea 0(%rsi), %rsi */
	assert_false(IS(nop5, "\xe9\0\0\0\0"));
	assert_false(IS(nop5, "\x0f\x1f\x44"));
	assert_false(IS(nop5, "\x0f\x1f"));
	assert_false(IS(nop5, "\x66"));
	assert_false(IS(nop5, ""));
}

static void test_nops_by_kernel(void **state)
{
	(void)state;
	kernel = (struct uprobe_nops){0};
	assert_true(IS_CHEAP("\x66\x90"));
	assert_true(IS_CHEAP("\xf3\x90"));
	assert_true(IS_CHEAP("\x48\x90"));
	assert_false(IS_CHEAP("\x49\x90")); /* xchg %r8, %rax */
	assert_true(IS(misread, "\x49\x90"));
	assert_true(IS(misread, "\x66\x41\x90"));
	assert_false(IS(misread, "\x90\x90"));
	assert_false(IS_CHEAP(NOP5));
	assert_int_equal(JUDGE(ENDBR NOP5 "\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE(ENDBR NOP5 "\x55\x5d\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 9);
	kernel.is_emulated = true;
	assert_true(IS_CHEAP(NOP5));
	assert_true(IS_CHEAP("\x0f\x1f\x00"));
	assert_true(IS_CHEAP("\x66\x0f\x1f\x44\0\0"));
	assert_false(IS_CHEAP("\x0f\x1f\x44\x00\x08"));
	assert_false(IS_CHEAP("\x66\x0f\x1f\x84\0\0\0\0\0"));
	kernel.is_any_emulated = true;
	assert_true(IS_CHEAP("\x0f\x1f\x44\x00\x08"));
	assert_true(IS_CHEAP("\x66\x2e\x0f\x1f\x84\0\0\0\0\0"));
	kernel = (struct uprobe_nops){.is_emulated = true, .is_called = true};
	assert_true(IS_CHEAP("\x0f\x1f\x44\x00\x08"));
	assert_int_equal(JUDGE(NOP5 "\xc3"), ENTRY_CHEAP);
	assert_int_equal(JUDGE(ENDBR NOP5 "\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 4);
	/* The kernel's walk of stacks knows push %rbp, and no nops. */
	assert_int_equal(JUDGE(ENDBR NOP5 "\x55\x5d\xc3", READS_STACKS), ENTRY_BEHIND);
	assert_int_equal(shift, 9);
	assert_int_equal(JUDGE(NOP5 "\x55\x5d\xc3", READS_STACKS), ENTRY_BEHIND);
	assert_int_equal(shift, 5);
	assert_int_equal(JUDGE(NOP5 "\xc3", READS_STACKS), ENTRY_CHEAP);
	/* Anywhere else it is not chosen: xor %eax, %eax before it, or a jump to it. */
	assert_int_equal(JUDGE(ENDBR "\x31\xc0" NOP5 "\xc3"), ENTRY_STEPPED);
	assert_int_equal(JUDGE("\x31\xc0" NOP5 "\x53\x5b\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 7);
	assert_int_equal(JUDGE(ENDBR NOP5 "\xeb\xf9\xc3"), ENTRY_TARGET);
	kernel = (struct uprobe_nops){0};
}

#define SUSPECT(code) uprobe_insn_suspect((const uint8_t *)(code), sizeof(code) - 1)

static void test_suspects(void **state)
{
	(void)state;
	assert_int_equal(SUSPECT("\xf0\x48\x0f\xb1\x0f"), 0xf0); /* lock cmpxchg */
	assert_int_equal(SUSPECT("\x66\x2e\x0f\x1f\x84"), 0x2e); /* cs nopw */
	assert_int_equal(SUSPECT("\x3e\xff\xe0"), 0x3e);	 /* notrack jmp */
	assert_int_equal(SUSPECT("\xf4"), 0xf4);		 /* hlt */
	assert_int_equal(SUSPECT("\x48\xcf"), 0xcf);		 /* iretq */
	assert_int_equal(SUSPECT(ENDBR), 0);
	assert_int_equal(SUSPECT("\x64\x48\x8b\x04\x25"), 0); /* mov %fs:0,%rax */
	assert_int_equal(SUSPECT("\xf3\x48\xa5"), 0);	      /* rep movsq */
	assert_int_equal(SUSPECT("\x0f\x0b"), 0);	      /* ud2 */
	assert_int_equal(SUSPECT("\x66"), 0);
	assert_int_equal(SUSPECT(""), 0);
}

/* What the kernel would take for another instruction is left for one that it does not. */
static void test_misread(void **state)
{
	const uint8_t *misread[] = {
		(const uint8_t *)"\xc5\xf8\x57\xc0\x48\x83\xec\x08", /* vxorps: a push */
		(const uint8_t *)"\xc5\xf8\x77\x90\x48\x83\xec\x08", /* vzeroupper: ja */
		(const uint8_t *)"\x62\xe2\x7d\x28\x7a\xce\x89\xf8", /* vpbroadcastb: jp */
		(const uint8_t *)"\xc4\xc1\x78\xc2\xc0\x00\x89\xf8", /* vcmpeqps: ret */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(misread) / sizeof(*misread); i++)
		assert_true(uprobe_insn_is_misread(misread[i], 8));
	assert_false(uprobe_insn_is_misread((const uint8_t *)"\xc5\xf8\x58\xc0", 4)); /* vaddps */
	assert_false(uprobe_insn_is_misread((const uint8_t *)"\x55\x48", 2));
	assert_false(uprobe_insn_is_misread((const uint8_t *)"\xc5\xf8", 2));
	assert_false(uprobe_insn_is_misread((const uint8_t *)"", 0));
	/* vxorps; sub $8,%rsp */
	assert_int_equal(JUDGE("\xc5\xf8\x57\xc0\x48\x83\xec\x08\xc3"), ENTRY_BEHIND);
	assert_int_equal(shift, 4);
	assert_int_equal(JUDGE("\xc5\xf8\x57\xc0\x48\x83\xec\x08\xc3", READS_STACKS), ENTRY_STACK);
	/* vaddps may be probed */
	assert_int_equal(JUDGE("\xc5\xf8\x58\xc0\x48\x83\xec\x08\xc3"), ENTRY_STEPPED);
}

static void test_jumps(void **state)
{
	(void)state;
	/* push; pop; jmp to the push; ret */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xeb\xfc\xc3"), ENTRY_TARGET);
	/* ... je */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\x74\xfc\xc3"), ENTRY_TARGET);
	/* ... a jump of four bytes' distance, conditional or not */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xe9\xf9\xff\xff\xff\xc3"), ENTRY_TARGET);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\x0f\x84\xf8\xff\xff\xff\xc3"), ENTRY_TARGET);
	/* ... to the pop, or the endbr64 itself */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xeb\xfd\xc3"), ENTRY_BEHIND);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xeb\xf8\xc3"), ENTRY_BEHIND);
	/* the same bytes inside an immediate: mov $0xfceb5d55,%eax */
	assert_int_equal(JUDGE(ENDBR "\x55\xb8\xeb\xfc\x5d\x5d\xc3"), ENTRY_BEHIND);
	/* notrack jmp *%rax; jmp *%rax, which must lead to an endbr64 */
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\x3e\xff\xe0"), ENTRY_TABLE);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\x3e\x41\xff\xe3"), ENTRY_TABLE);
	assert_int_equal(JUDGE(ENDBR "\x55\x5d\xff\xe0"), ENTRY_BEHIND);
	/* what is no instruction is not trusted: push; pop; jmp back; bad */
	assert_int_equal(JUDGE(ENDBR "\x55\x06\x5d\xeb\xfb"), ENTRY_TARGET);
	/* xor %eax,%eax; test %edi,%edi; je; jmp to the test, to the je, to the start */
	assert_int_equal(JUDGE("\x31\xc0\x85\xff\x74\x02\xeb\xfa\xc3"), ENTRY_TARGET);
	assert_int_equal(JUDGE("\x31\xc0\x85\xff\x74\x02\xeb\xfc\xc3"), ENTRY_TARGET);
	assert_int_equal(JUDGE("\x31\xc0\x85\xff\x74\x02\xeb\xf8\xc3"), ENTRY_BEHIND);
	/* without endbr64, jmp *%rax may lead anywhere; a call may not */
	assert_int_equal(JUDGE("\x31\xc0\x53\xff\xe0"), ENTRY_TABLE);
	assert_int_equal(JUDGE("\x31\xc0\x53\xff\xd0\x5b\xc3"), ENTRY_BEHIND);
}

#define GO_ENTRY(machine, code) go_entry(machine, (const uint8_t *)(code), sizeof(code) - 1)

static void test_go(void **state)
{
	/* Go 1.16: cmp 0x10(%rcx),%rsp; jbe 12; push %rbp; pop; ret; call +0; jmp to the start */
	static const uint8_t code[] = "\x48\x3b\x61\x10\x76\x03\x55\x5d\xc3\xe8\0\0\0\0\xeb\xf0";

	(void)state;
	assert_int_equal(go_entry(EM_X86_64, code, sizeof(code) - 1), 6);
	assert_int_equal(go_entry(EM_X86_64, code, 9), 0); /* nothing jumps back */
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x75\xfe"), 0);
	assert_int_equal(GO_ENTRY(EM_386, "\x49\x3b\x66\x10\x76\x3b\x90"), 0);
}

/* The checks of Go 1.19 for frames of three sizes; for the system's stack; without one. */
static void test_go_checks(void **state)
{
	(void)state;
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x49\x3b\x66\x10\x76\x3b\x90"), 6);
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x49\x3b\x66\x18\x0f\x86\x01\x02\0\0\x90"), 10);
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x4c\x8d\x64\x24\xc0\x4d\x3b\x66\x10\x76\x3b\x90"),
			 11);
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x4c\x8d\xa4\x24\x78\xff\xff\xff\x4d\x3b\x66\x10\x0f"
					     "\x86\xcf\0\0\0\x90"),
			 18);
	assert_int_equal(GO_ENTRY(EM_X86_64,
				  "\x49\x89\xe4\x49\x81\xec\xc8\x4d\0\0\x0f\x82\xd9\0\0\0"
				  "\x4d\x3b\x66\x10\x0f\x86\xcf\0\0\0\x90"),
			 26);
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x49\x3b\x66\x10\x76"), 0); /* cut off */
	assert_int_equal(GO_ENTRY(EM_X86_64, "\x48\x8d\x04\x18\xc3"), 0); /* no check */
}

/* The same on arm64. */
static void test_go_checks_arm64(void **state)
{
	static const uint32_t small[] = {0xf9400b90, 0xeb3063ff, 0x540001c9, 0xf81e0ffe};
	static const uint32_t middle[] = {0xf9400b90, 0xd10683f1, 0xeb10023f, 0x54000469,
					  0xd10883f4};
	static const uint32_t large[] = {0xf9400b90, 0xd289b81b, 0xeb3b63f1, 0x540006c3,
					 0xeb10023f, 0x54000689, 0xd289c81b};
	static const uint32_t none[] = {0x8b020020, 0xd65f03c0};
	static const uint32_t other[] = {0xf9400b90, 0xb40001c9, 0x540001c9};

	(void)state;
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)small, sizeof(small)), 12);
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)small, 8), 0);
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)middle, sizeof(middle)), 16);
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)large, sizeof(large)), 24);
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)none, sizeof(none)), 0);
	assert_int_equal(go_entry(EM_AARCH64, (const uint8_t *)other, sizeof(other)), 0);
}

static void test_instructions(void **state)
{
	struct insn i;

	(void)state;
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xc3", 1, &i), 0);
	assert_true(i.is_return && i.length == 1 && !i.is_jump && !i.is_indirect);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xf3\xc3", 2, &i), 0);
	assert_true(i.is_return && i.length == 2);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xe8\0\0\0\0", 5, &i), 0);
	assert_false(i.is_jump || i.is_return || i.is_indirect);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\x3e\xff\xe0", 3, &i), 0);
	assert_true(i.is_indirect && i.is_notrack);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xeb\x02", 2, &i), 0);
	assert_true(i.is_jump && i.condition == CONDITION_NONE && i.target == 4);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\x74\x02", 2, &i), 0); /* je */
	assert_true(i.is_jump && i.condition == 5);
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\x0f\x8f\0\0\0\0", 6, &i), 0);
	assert_true(i.is_jump && i.condition == CONDITION_LAST); /* jg */
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xe3\x02", 2, &i), 0);
	assert_true(i.is_jump && i.condition == CONDITION_COUNTER); /* jrcxz */
	assert_int_equal(insn_decode(EM_X86_64, (const uint8_t *)"\xe8", 1, &i), -22);
	assert_int_equal(insn_decode(EM_386, (const uint8_t *)"\x40", 1, &i), 0); /* inc %eax */
	assert_int_equal(insn_decode(EM_ARM, (const uint8_t *)"\x40", 1, &i), -95);
}

static void names(const char *symbol, const char *plain, const char *full)
{
	char out[256];

	assert_true(demangle(symbol, false, out, sizeof(out)));
	assert_string_equal(out, plain);
	assert_true(demangle(symbol, true, out, sizeof(out)));
	assert_string_equal(out, full);
}

static void test_demangle(void **state)
{
	char out[8];

	(void)state;
	names("_ZN2ns1fEi", "ns::f", "ns::f(int)");
	names("_ZN2ns5twiceIiEET_S1_", "ns::twice<int>", "ns::twice<int>(int)");
	names("_ZNK2ns1C3getEv", "ns::C::get", "ns::C::get() const");
	names("_ZN3app6module7compute17h05af221e174051e9E", "app::module::compute",
	      "app::module::compute");
	names("_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo");
	assert_false(demangle("main", true, out, sizeof(out)));
	assert_false(demangle("_Znonsense", true, out, sizeof(out)));
	assert_false(demangle("_ZN2ns1fEi", true, out, sizeof(out))); /* does not fit */
}

static void test_library_names(void **state)
{
	(void)state;
	assert_true(ldcache_is_library("libc.so.6", "libc"));
	assert_true(ldcache_is_library("libc.so.6", "libc.so"));
	assert_true(ldcache_is_library("libc.so.6", "libc.so.6"));
	assert_false(ldcache_is_library("libcrypt.so.1", "libc"));
	assert_false(ldcache_is_library("libc.so.6", "libc.so.5"));
	assert_false(ldcache_is_library("libc.a", "libc"));
	assert_false(ldcache_is_library("libssl.so.30", "libssl.so.3"));
}

/* A cache of two libraries, one of them for certain processors. */
static void test_cache(void **state)
{
	struct {
		char magic[20];
		uint32_t n, bytes, unused[5];
		struct {
			int32_t flags;
			uint32_t name, path, version;
			uint64_t hwcap;
		} entries[3];
		char texts[64];
	} c = {.n = 3};
	const uint32_t texts = offsetof(__typeof__(c), texts);
#if defined(__x86_64__)
	const int32_t flags = 0x303;
#else
	const int32_t flags = 0xa03;
#endif

	(void)state;
	memcpy(c.magic, "glibc-ld.so.cache1.1", 20);
	memcpy(c.texts, "libz.so.1\0/v3/libz.so.1\0/lib/libz.so.1", 39);
	for (int i = 0; i < 3; i++) {
		c.entries[i].flags = flags;
		c.entries[i].name = texts;
		c.entries[i].path = texts + (i == 2 ? 24 : 10);
	}
	c.entries[0].hwcap = 1ull << 62;
	c.entries[1].flags = 3; /* i386 */
	assert_string_equal(ldcache_find((char *)&c, sizeof(c), EM_NONE, "libz"), "/lib/libz.so.1");
	assert_string_equal(ldcache_find((char *)&c, sizeof(c), EM_386, "libz"), "/v3/libz.so.1");
	assert_null(ldcache_find((char *)&c, sizeof(c), EM_NONE, "libzz"));
	for (size_t n = 0; n < sizeof(c) - 40; n++) /* cut short anywhere */
		ldcache_find((char *)&c, n, EM_NONE, "libz");
	c.entries[2].path = 4000;
	assert_null(ldcache_find((char *)&c, sizeof(c), EM_NONE, "libz"));
	c.n = UINT32_MAX;
	assert_null(ldcache_find((char *)&c, sizeof(c), EM_NONE, "libz"));
	assert_null(ldcache_find("ld.so-1.7.0", 11, EM_NONE, "libz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_instructions),
		cmocka_unit_test(test_later_instructions),
		cmocka_unit_test(test_suspects),
		cmocka_unit_test(test_nops_of_5_bytes),
		cmocka_unit_test(test_nops_by_kernel),
		cmocka_unit_test(test_misread),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_go),
		cmocka_unit_test(test_go_checks),
		cmocka_unit_test(test_go_checks_arm64),
		cmocka_unit_test(test_instructions),
		cmocka_unit_test(test_demangle),
		cmocka_unit_test(test_library_names),
		cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
