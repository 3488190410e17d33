/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that are made from instructions: those of small functions are known; those of files of this
 * machine are compared with the rows of their call frame information, byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "runtime/elf/elfsym_impl.h"
#include "runtime/unwind/code_rows.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/pack.h"
#include "tests/unit/unwind_lookup.h"

enum { GUESS = UNWIND_GUESS, SAME = -1, UNKNOWN = -2 };

/* ---- known functions ----------------------------------------------------------------------- */

#ifdef __x86_64__

/* Each instruction that is tested has a label. */
__asm__("	.text\n"
	"	.balign 16\n"
	"code_begin:\n"
	"pushes_0:	push %rbp\n"
	"pushes_1:	push %rbx\n"
	"pushes_2:	sub $24, %rsp\n"
	"pushes_3:	xor %ebp, %ebp\n"
	"		test %edi, %edi\n"
	"		jz 1f\n"
	"		add $24, %rsp\n"
	"pushes_4:	pop %rbx\n"
	"pushes_5:	pop %rbp\n"
	"pushes_6:	ret\n"
	/* reached by a jump only */
	"1:		call code_begin\n"
	"pushes_7:	ud2\n"
	"	.balign 16\n"
	"frame_0:	push %rbp\n"
	"frame_1:	mov %rsp, %rbp\n"
	"frame_2:	push %r12\n"
	"		sub %rax, %rsp\n"
	"frame_3:	call code_begin\n"
	"		lea -8(%rbp), %rsp\n"
	"frame_4:	pop %r12\n"
	"		pop %rbp\n"
	"frame_5:	ret\n"
	"	.balign 16\n"
	"leaves_0:	push %rbp\n"
	"		mov %rsp, %rbp\n"
	"leaves_1:	leave\n"
	"leaves_2:	ret\n"
	/* a realigned stack, as gcc makes it */
	"	.balign 16\n"
	"drap_0:	lea 8(%rsp), %r10\n"
	"		and $-32, %rsp\n"
	"drap_1:	push -8(%r10)\n"
	"		push %rbp\n"
	"drap_2:	mov %rsp, %rbp\n"
	"		push %r10\n"
	"		call code_begin\n"
	"drap_3:	mov -8(%rbp), %r10\n"
	"		leave\n"
	"		lea -8(%r10), %rsp\n"
	"drap_4:	ret\n"
	/* as OpenSSL does */
	"	.balign 16\n"
	"deref_0:	mov %rsp, %rax\n"
	"		push %rbx\n"
	"		push %rbp\n"
	"		sub $160, %rsp\n"
	"		and $-64, %rsp\n"
	"deref_1:	mov %rax, 152(%rsp)\n"
	"deref_2:	xor %ebp, %ebp\n"
	"		call code_begin\n"
	"deref_3:	mov 152(%rsp), %rsi\n"
	"		mov -16(%rsi), %rbp\n"
	"		mov -8(%rsi), %rbx\n"
	"		mov %rsi, %rsp\n"
	"deref_4:	ret\n"
	"	.balign 16\n"
	"by_rbx_0:	push %rbx\n"
	"		mov %rsp, %rbx\n"
	"		and $-64, %rsp\n"
	"by_rbx_1:	call code_begin\n"
	"		mov %rbx, %rsp\n"
	"by_rbx_2:	pop %rbx\n"
	"		ret\n"
	/* a switch: its cases are reached through a table */
	"	.balign 16\n"
	"cases_0:	sub $40, %rsp\n"
	"		jmp *table(,%rdi,8)\n"
	"cases_1:	call code_begin\n"
	"		jmp 2f\n"
	"cases_2:	call code_begin\n"
	"2:		add $40, %rsp\n"
	"cases_3:	ret\n"
	/* no symbol, no call */
	"	.balign 16\n"
	"pointed_0:	push %rbx\n"
	"pointed_1:	pop %rbx\n"
	"		ret\n"
	"	.balign 16\n"
	"loses_0:	mov (%rdi), %rsp\n"
	"loses_1:	call code_begin\n"
	"		ud2\n"
	/* reads its own address */
	"	.balign 16\n"
	"self_0:	call self_1\n"
	"self_1:	pop %rax\n"
	"self_2:	ret\n"
	"	.balign 16\n"
	"thread_0:	xor %ebp, %ebp\n"
	"		pop %rdi\n"
	"thread_1:	call *%r9\n"
	"thread_2:	hlt\n"
	"	.balign 16\n"
	"signal_0:	mov $15, %rax\n"
	"signal_1:	syscall\n"
	"code_end:\n"
	"table:\n"
	/* i386 */
	"	.balign 16\n"
	"	.code32\n"
	"begin_386:\n"
	"pushes32_0:	push %ebp\n"
	"pushes32_1:	push %ebx\n"
	"		call 1f\n" /* reads its own address */
	"1:		pop %ebx\n"
	"		sub $24, %esp\n"
	"pushes32_2:	push $1\n"
	"		call begin_386\n"
	"pushes32_3:	add $28, %esp\n"
	"		pop %ebx\n"
	"		pop %ebp\n"
	"pushes32_4:	ret\n"
	"	.balign 16\n"
	"frame32_0:	push %ebp\n"
	"frame32_1:	mov %esp, %ebp\n"
	"frame32_2:	sub $20, %esp\n"
	"		call begin_386\n"
	"frame32_3:	leave\n"
	"frame32_4:	ret\n"
	/* a realigned stack, as gcc makes it */
	"	.balign 16\n"
	"drap32_0:	lea 4(%esp), %ecx\n"
	"		and $-16, %esp\n"
	"drap32_1:	push -4(%ecx)\n"
	"		push %ebp\n"
	"		mov %esp, %ebp\n"
	"		push %ecx\n"
	"		call begin_386\n"
	"drap32_2:	mov -4(%ebp), %ecx\n"
	"		leave\n"
	"		lea -4(%ecx), %esp\n"
	"drap32_3:	ret\n"
	"	.balign 16\n"
	"signal32_0:	pop %eax\n"
	"signal32_1:	mov $119, %eax\n"
	"signal32_2:	int $0x80\n"
	"	.balign 16\n"
	"signal32_3:	mov $173, %eax\n"
	"signal32_4:	int $0x80\n"
	"end_386:\n"
	"	.code64\n");

extern const uint8_t code_begin[], code_end[], begin_386[], end_386[];

#define LABELS(X)                                              \
	X(pushes_0, UNWIND_SP, 8, SAME)                        \
	X(pushes_1, UNWIND_SP, 16, -16)                        \
	X(pushes_2, UNWIND_SP, 24, -16)                        \
	X(pushes_3, UNWIND_SP, 48, -16)                        \
	X(pushes_4, UNWIND_SP, 24, -16)                        \
	X(pushes_5, UNWIND_SP, 16, -16)                        \
	X(pushes_6, UNWIND_SP, 8, SAME)                        \
	X(pushes_7, UNWIND_SP, 48, -16)                        \
	X(frame_0, UNWIND_SP, 8, SAME)                         \
	X(frame_1, UNWIND_SP, 16, -16)                         \
	X(frame_2, UNWIND_FP, 16, -16)                         \
	X(frame_3, UNWIND_FP, 16, -16)                         \
	X(frame_4, UNWIND_FP, 16, -16)                         \
	X(frame_5, UNWIND_SP, 8, SAME)                         \
	X(leaves_0, UNWIND_SP, 8, SAME)                        \
	X(leaves_1, UNWIND_FP, 16, -16)                        \
	X(leaves_2, UNWIND_SP, 8, SAME)                        \
	X(drap_0, UNWIND_SP, 8, SAME)                          \
	X(drap_1, UNWIND_REGISTER + 10, 0, SAME)               \
	X(drap_2, UNWIND_REGISTER + 10, 0, SAME)               \
	X(drap_3, UNWIND_FP_DEREF, UNWIND_DEREF(-8, 0), 0)     \
	X(drap_4, UNWIND_SP, 8, SAME)                          \
	X(deref_0, UNWIND_SP, 8, SAME)                         \
	X(deref_1, UNWIND_REGISTER, 8, -24)                    \
	X(deref_2, UNWIND_SP_DEREF, UNWIND_DEREF(152, 8), -24) \
	X(deref_3, UNWIND_SP_DEREF, UNWIND_DEREF(152, 8), -24) \
	X(deref_4, UNWIND_SP, 8, SAME)                         \
	X(by_rbx_0, UNWIND_SP, 8, SAME)                        \
	X(by_rbx_1, UNWIND_RBX, 16, SAME)                      \
	X(by_rbx_2, UNWIND_SP, 16, SAME)                       \
	X(cases_0, UNWIND_SP, 8, SAME)                         \
	X(cases_1, UNWIND_SP, 48, SAME)                        \
	X(cases_2, UNWIND_SP, 48, SAME)                        \
	X(cases_3, UNWIND_SP, 8, SAME)                         \
	X(pointed_0, UNWIND_SP, 8, SAME)                       \
	X(pointed_1, UNWIND_SP, 16, SAME)                      \
	X(loses_0, UNWIND_SP, 8, SAME)                         \
	X(loses_1, UNWIND_NO_RULE, 0, SAME)                    \
	X(self_0, UNWIND_SP, 8, SAME)                          \
	X(self_1, UNWIND_SP, 16, SAME)                         \
	X(self_2, UNWIND_SP, 8, SAME)                          \
	X(thread_1, UNWIND_END, 0, SAME)                       \
	X(thread_2, UNWIND_END, 0, SAME)                       \
	X(signal_0, UNWIND_SIGNAL, 160, SAME)                  \
	X(signal_1, UNWIND_SIGNAL, 160, SAME)

#define LABELS_386(X)                                         \
	X(pushes32_0, UNWIND_SP, 4, SAME)                     \
	X(pushes32_1, UNWIND_SP, 8, -8)                       \
	X(pushes32_2, UNWIND_SP, 36, -8)                      \
	X(pushes32_3, UNWIND_SP, 40, -8)                      \
	X(pushes32_4, UNWIND_SP, 4, SAME)                     \
	X(frame32_0, UNWIND_SP, 4, SAME)                      \
	X(frame32_1, UNWIND_SP, 8, -8)                        \
	X(frame32_2, UNWIND_FP, 8, -8)                        \
	X(frame32_3, UNWIND_FP, 8, -8)                        \
	X(frame32_4, UNWIND_SP, 4, SAME)                      \
	X(drap32_0, UNWIND_SP, 4, SAME)                       \
	X(drap32_1, UNWIND_REGISTER + 2, 0, SAME) /* rcx's */ \
	X(drap32_2, UNWIND_FP_DEREF, UNWIND_DEREF(-4, 0), 0)  \
	X(drap32_3, UNWIND_SP, 4, SAME)                       \
	X(signal32_0, UNWIND_SIGNAL, 32, SAME)                \
	X(signal32_1, UNWIND_SIGNAL, 28, SAME)                \
	X(signal32_2, UNWIND_SIGNAL, 28, SAME)                \
	X(signal32_3, UNWIND_SIGNAL, 188, SAME)               \
	X(signal32_4, UNWIND_SIGNAL, 188, SAME)

#define DECLARE(label, cfa, offset, rbp) extern const uint8_t label[];
LABELS(DECLARE)
LABELS_386(DECLARE)
#undef DECLARE

static const struct known {
	const char *name;
	const uint8_t *at;
	unsigned cfa;
	int32_t offset;
	int rbp;
} known[] =
	{
#define ROW(label, cfa, offset, rbp) {#label, label, cfa, offset, rbp},
		LABELS(ROW)},
  known_386[] = {LABELS_386(ROW)
#undef ROW
};

static uint64_t address_of(const uint8_t *at)
{
	return (uint64_t)(uintptr_t)at;
}

static void check(const struct known *k, const struct unwind_rule *r)
{
	int saved = UNWIND_SAVED_FP(r->saved);
	int rbp = saved == UNWIND_FP_SAME      ? SAME
		  : saved == UNWIND_FP_UNKNOWN ? UNKNOWN
					       : r->fp_offset;
	bool is_guess = k->cfa != UNWIND_NO_RULE && k->cfa != UNWIND_END && k->cfa != UNWIND_SIGNAL;

	if (r->cfa != (k->cfa | (is_guess ? GUESS : 0)) || r->cfa_offset != k->offset ||
	    rbp != k->rbp)
		fail_msg("%s: cfa %u%+d rbp %d", k->name, r->cfa & ~GUESS, r->cfa_offset, rbp);
}

/* Check the rows of code. A return address is looked up by the byte before `signal`. */
static void check_code(uint16_t elf, const uint8_t *begin, const uint8_t *end,
		       const uint8_t *signal, const struct known *k, size_t n)
{
	struct code_bytes code = {.machine = unwind_machine_of(elf),
				  .address = address_of(begin),
				  .bytes = begin,
				  .n = (size_t)(end - begin)};
	struct unwind_rules rules = {0};
	struct unwind_table table = {0};
	struct pack pack;

	assert_int_equal(pack_begin(&pack), 0);
	assert_int_equal(code_pack_rows(&code, &rules, &pack), 0);
	assert_int_equal(pack_end(&pack, address_of(end), &table), 0);
	for (size_t i = 0; i < n; i++)
		check(&k[i], unwind_table_rule(&table, &rules, address_of(k[i].at)));
	assert_int_equal(unwind_table_rule(&table, &rules, address_of(signal) - 1)->cfa,
			 UNWIND_SIGNAL);
	pack_free(&pack);
	unwind_table_free(&table);
	unwind_rules_free(&rules);
}

static void test_known_functions(void **state)
{
	(void)state;
	check_code(EM_X86_64, code_begin, code_end, signal_0, known,
		   sizeof(known) / sizeof(*known));
	check_code(EM_386, begin_386, end_386, signal32_3, known_386,
		   sizeof(known_386) / sizeof(*known_386));
}

/* Code whose last instruction is a call, or an indirect jump before more of them than there is
 * space for at first. */
static void test_ends_and_jumps(void **state)
{
	static const uint8_t call[] = {0xe8, 0, 0, 0, 0}, jump[] = {0xff, 0xe0}; /* jmp *%rax */

	(void)state;
	for (size_t n = 0; n < 70; n++) {
		uint8_t *bytes = malloc(n + sizeof(call));
		struct code_bytes code = {.machine = unwind_machine_of(EM_X86_64),
					  .address = 0x1000,
					  .bytes = bytes,
					  .n = n + sizeof(call)};
		struct unwind_rules rules = {0};
		struct unwind_table table = {0};
		struct pack pack;

		assert_non_null(bytes);
		memset(bytes, 0x50, n); /* push %rax */
		for (size_t at = 0; n % 2 && at + sizeof(jump) <= n; at += sizeof(jump))
			memcpy(bytes + at, jump, sizeof(jump));
		memcpy(bytes + n, call, sizeof(call));
		assert_int_equal(pack_begin(&pack), 0);
		assert_int_equal(code_pack_rows(&code, &rules, &pack), 0);
		assert_int_equal(pack_end(&pack, code.address + code.n, &table), 0);
		assert_non_null(unwind_table_rule(&table, &rules, code.address));
		pack_free(&pack);
		unwind_table_free(&table);
		unwind_rules_free(&rules);
		free(bytes);
	}
}

#endif

/* ---- files --------------------------------------------------------------------------------- */

/* What became of the bytes of code that have call frame information. */
struct counts {
	unsigned long bytes, equal;
	unsigned long none;  /* no guess */
	unsigned long other; /* the CFA is another register plus something: not comparable */
	unsigned long cfa;   /* another CFA */
	unsigned long saved; /* the same CFA, another place of rbp, or of x29 or x30 */
};

struct starts {
	VEC(uint64_t);
};

static int add_start(void *ctx, uint32_t i, const struct symbol *s)
{
	(void)i;
	return vec_push((struct starts *)ctx, s->value);
}

/* The table of a section's code, made from its instructions only. */
static void guess(const struct elf_file *f, const struct section *s, struct unwind_rules *rules,
		  struct unwind_table *out)
{
	struct elfsym e = {0};
	struct starts starts = {0};
	int fd = f->fd;
	uint8_t *bytes = malloc(s->size);
	struct code_bytes code = {.machine = unwind_machine_of(f->machine),
				  .address = s->address,
				  .bytes = bytes,
				  .n = s->size};
	struct pack pack;

	assert_int_equal(elfsym_read_at(fd, bytes, s->size, s->offset), s->size);
	elfsym_pick_table(f, SHT_DYNSYM, &e.tables[TABLE_FULL]);
	assert_int_equal(elfsym_each_symbol(&e, TABLE_FULL, SYMBOL_OBJECT, add_start, &starts), 0);
	vec_sort(&starts);
	code.starts = starts.items;
	code.n_starts = starts.n;
	assert_int_equal(pack_begin(&pack), 0);
	assert_int_equal(unwind_machine_of(f->machine)->pack_code(&code, rules, &pack), 0);
	assert_int_equal(pack_end(&pack, s->address + s->size, out), 0);
	pack_free(&pack);
	free(bytes);
	vec_free(&starts);
}

/* A word below rsp that held the caller's rbp until it was popped. */
static bool is_popped(const struct unwind_rule *theirs, const struct unwind_rule *ours)
{
	return theirs->cfa == UNWIND_SP && UNWIND_SAVED_FP(theirs->saved) == UNWIND_FP_AT_CFA &&
	       UNWIND_SAVED_FP(ours->saved) == UNWIND_FP_SAME &&
	       theirs->fp_offset < -theirs->cfa_offset;
}

static void compare(const struct unwind_rule *theirs, const struct unwind_rule *ours,
		    struct counts *n)
{
	int theirs_rbp = UNWIND_SAVED_FP(theirs->saved), ours_rbp = UNWIND_SAVED_FP(ours->saved);

	n->bytes++;
	if (ours->cfa == UNWIND_NO_RULE)
		n->none++;
	else if ((ours->cfa & ~GUESS) != theirs->cfa)
		n->other++;
	else if (ours->cfa_offset != theirs->cfa_offset)
		n->cfa++;
	else if ((theirs_rbp != ours_rbp || theirs->fp_offset != ours->fp_offset) &&
		 !is_popped(theirs, ours))
		n->saved++;
	else
		n->equal++;
}

/* The rule without the mark that the function interprets a program. */
static struct unwind_rule unmarked(struct unwind_rule rule)
{
	if (rule.cfa == UNWIND_RUN_SP)
		rule.cfa = UNWIND_SP;
	if (rule.cfa == UNWIND_RUN_FP)
		rule.cfa = UNWIND_FP;
	return rule;
}

static void compare_section(const struct elf_file *f, const struct section *s,
			    const struct unwind_table *table, struct unwind_rules *rules,
			    struct counts *n)
{
	struct unwind_table guessed = {0};

	guess(f, s, rules, &guessed);
	for (uint64_t at = s->address; at < s->address + s->size; at++) {
		struct unwind_rule theirs = unmarked(*unwind_table_rule(table, rules, at));

		if (theirs.cfa == UNWIND_NO_RULE || theirs.cfa & GUESS ||
		    theirs.cfa == UNWIND_PLT || theirs.cfa == UNWIND_END)
			continue;
		compare(&theirs, unwind_table_rule(&guessed, rules, at), n);
	}
	unwind_table_free(&guessed);
}

static double percent(unsigned long x, const struct counts *n)
{
	return 100.0 * (double)x / (double)n->bytes;
}

/* In percent of the code: at least so much is equal, at most so much has another CFA. */
static void compare_file(const char *path, double least, double most_other)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {0};
	struct unwind_table table;
	struct counts n = {0};
	struct elf_file f = {0};

	if (fd < 0)
		return;
	assert_int_equal(unwind_table_read(fd, &rules, &table), 0);
	assert_int_equal(elfsym_read_file(&f, fd), 0);
	for (uint32_t i = 0; i < f.n_sections; i++)
		if (f.sections[i].flags & SHF_EXECINSTR)
			compare_section(&f, &f.sections[i], &table, &rules, &n);
	print_message("%-32s %8lu bytes: %.2f %% equal, %.2f without a row, %.2f by another "
		      "register, %.2f another CFA, %.2f another place of a register\n",
		      strrchr(path, '/') + 1, n.bytes, percent(n.equal, &n), percent(n.none, &n),
		      percent(n.other, &n), percent(n.cfa, &n), percent(n.saved, &n));
	assert_true(percent(n.equal, &n) >= least);
	assert_true(percent(n.cfa, &n) <= most_other);
	elfsym_close_file(&f);
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	close(fd);
}

/* Files to be compared by hand: UNWIND_FILES=PATH:PATH... */
static void compare_named(const char *list)
{
	char *copy = strdup(list ? list : ""), *rest = copy, *path;

	while ((path = strsep(&rest, ":")))
		compare_file(path, 0, 100);
	free(copy);
}

/* In qemu-user, the files of arm64 are those of the sysroot. */
static void test_files(void **state)
{
	(void)state;
	compare_named(getenv("UNWIND_FILES"));
	compare_file("/usr/lib/aarch64-linux-gnu/libc.so.6", 79, 0.5);
	compare_file("/usr/lib/x86_64-linux-gnu/libc.so.6", 95, 3);
	compare_file("/usr/bin/bash", 98, 1);
	compare_file("/usr/bin/python3", 98, 1);
	compare_file("/lib32/libc.so.6", 90, 6);
}

#ifdef __x86_64__

/* Code that is all jumps, each with a state of its own to remember: beyond a limit it gets no rows. */
static void test_branches(void **state)
{
	enum { LENGTH = 4 };
	struct unwind_rules rules = {0};
	struct unwind_table t = {0};
	struct code_bytes code = {.machine = unwind_machine_of(EM_X86_64), .address = 0x1000};
	struct pack pack;
	uint8_t *bytes;

	(void)state;
	for (uint32_t n = 1000; n <= 200000; n += 199000) {
		bytes = malloc(n * LENGTH + n);
		for (uint32_t i = 0; i < n; i++) /* push %rax; push %rbx; jz to its nop */
			memcpy(bytes + i * LENGTH, "\x50\x53\x74\x7e", LENGTH);
		memset(bytes + n * LENGTH, 0x90, n);
		code.bytes = bytes;
		code.n = n * LENGTH + n;
		assert_int_equal(pack_begin(&pack), 0);
		assert_int_equal(code_pack_rows(&code, &rules, &pack), 0);
		assert_int_equal(pack_end(&pack, code.address + code.n, &t), 0);
		assert_int_equal(t.n_rows > 0, n == 1000);
		pack_free(&pack);
		unwind_table_free(&t);
		free(bytes);
	}
	unwind_rules_free(&rules);
}

/* The rows of each block must be sorted, or the kernel does not find them. */
static void check_order(const struct unwind_piece *p)
{
	for (uint64_t block = 0; block < (p->end - p->start) >> UNWIND_BLOCK_BITS; block++) {
		uint32_t first = UNWIND_BLOCK_FIRST(p->words[block]);
		uint32_t n = UNWIND_BLOCK_ROWS(p->words[block]);

		assert_true(first + n <= p->n_words);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t offset = UNWIND_ROW_OFFSET(p->words[first + i]);

			assert_true(offset < UNWIND_BLOCK_BYTES);
			assert_true(!i || offset > UNWIND_ROW_OFFSET(p->words[first + i - 1]));
		}
	}
}

/* This program without its information, all of whose executable sections claim to be the first 8 KB
 * of .text, each from another address on. */
static void test_sections_that_overlap(void **state)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = memfd_create("overlap", 0);
	off_t n = lseek(from, 0, SEEK_END);
	uint8_t *bytes = malloc((size_t)n);
	Elf64_Ehdr *h = (void *)bytes;
	struct unwind_rules rules = {0};
	struct unwind_table table;
	uint64_t distance = 0;

	(void)state;
	assert_int_equal(pread(from, bytes, (size_t)n, 0), n);
	for (int i = 0; i < h->e_phnum; i++) {
		Elf64_Phdr *p = (void *)(bytes + h->e_phoff + (size_t)i * sizeof(*p));

		if (p->p_type == PT_GNU_EH_FRAME)
			p->p_type = PT_NULL;
	}
	for (int i = 0; i < h->e_shnum; i++) {
		Elf64_Shdr *s = (void *)(bytes + h->e_shoff + (size_t)i * sizeof(*s));

		if (s->sh_flags & SHF_EXECINSTR) {
			s->sh_offset += h->e_entry + distance - s->sh_addr;
			s->sh_addr = h->e_entry + distance;
			s->sh_size = 8192;
			distance += 1024;
		} else if (s->sh_type != SHT_STRTAB) {
			s->sh_type = SHT_NOBITS;
		}
	}
	assert_int_equal(write(fd, bytes, (size_t)n), n);
	assert_int_equal(unwind_table_read(fd, &rules, &table), 0);
	assert_true(distance >= 2048);
	assert_in_range(table.n_rows, 20, UINT32_MAX);
	for (uint32_t i = 0; i < table.n_pieces; i++) {
		assert_true(table.pieces[i].start < table.pieces[i].end);
		check_order(&table.pieces[i]);
		assert_true(!i || table.pieces[i - 1].end <= table.pieces[i].start);
	}
	unwind_table_free(&table);
	unwind_rules_free(&rules);
	free(bytes);
	close(from);
	close(fd);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
#ifdef __x86_64__
		cmocka_unit_test(test_known_functions),
		cmocka_unit_test(test_ends_and_jumps),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_sections_that_overlap),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
