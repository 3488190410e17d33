/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the place of an entry probe on a Go function. The function first checks the size of its
 * stack. If the stack has to grow, or the scheduler wants the thread, it calls the runtime and
 * jumps back to its first instruction. The code after the check runs once for each call, with the
 * stack pointer and the arguments as the caller has set them.
 *
 * The check of current compilers is recognized by its bytes. Other functions are disassembled: the
 * first jump must belong to a check, and a later one must lead back to the start.
 */
#include "runtime/elf/go_abi.h"
#include "runtime/insn/insn.h"
#include <elf.h>
#include <string.h>

enum { LOOK_MAX = 32, WORD = 4, WORDS_MAX = 12 };

/* ---- x86-64 -------------------------------------------------------------------------------- */

/* The bytes of an instruction: `n` that must match, and `more` of any value. */
struct bytes {
	uint8_t bytes[4];
	uint8_t n, more;
};

static const struct bytes compare_sp = {{0x49, 0x3b, 0x66}, 3, 1};  /* cmp x(%r14),%rsp */
static const struct bytes compare_r12 = {{0x4d, 0x3b, 0x66}, 3, 1}; /* cmp x(%r14),%r12 */
static const struct bytes copy_sp = {{0x49, 0x89, 0xe4}, 3, 0};	    /* mov %rsp,%r12 */
static const struct bytes lower[] = {
	{{0x4c, 0x8d, 0x64, 0x24}, 4, 1}, /* lea -x(%rsp),%r12 */
	{{0x4c, 0x8d, 0xa4, 0x24}, 4, 4},
};
static const struct bytes subtract = {{0x49, 0x81, 0xec}, 3, 4};		   /* sub $x,%r12 */
static const struct bytes if_carry[] = {{{0x72}, 1, 1}, {{0x0f, 0x82}, 2, 4}};	   /* jb */
static const struct bytes if_not_above[] = {{{0x76}, 1, 1}, {{0x0f, 0x86}, 2, 4}}; /* jbe */

struct code {
	const uint8_t *bytes;
	size_t n, at;
};

/* Skip the instruction if it is the next one. */
static bool skip(struct code *c, const struct bytes *b)
{
	if (c->n - c->at < b->n + b->more || memcmp(c->bytes + c->at, b->bytes, b->n) != 0)
		return false;
	c->at += b->n + b->more;
	return true;
}

static bool skip_either(struct code *c, const struct bytes pair[2])
{
	return skip(c, &pair[0]) || skip(c, &pair[1]);
}

/* Skip the check: the larger the frame, the longer it is. */
static bool skip_check(struct code *c)
{
	if (skip(c, &compare_sp))
		return true;
	if (skip_either(c, lower))
		return skip(c, &compare_r12);
	return skip(c, &copy_sp) && skip(c, &subtract) && skip_either(c, if_carry) &&
	       skip(c, &compare_r12);
}

/* Find the end of the check by disassembling. Before Go 1.17 the goroutine is in no fixed
 * register. */
static uint64_t disassemble(uint16_t machine, const uint8_t *c, size_t n)
{
	uint64_t behind = 0;
	struct insn i;

	for (size_t at = 0; at < n && !insn_decode(machine, c + at, n - at, &i); at += i.length) {
		if (i.is_jump && !behind) {
			if (c[at] != 0x76 && (c[at] != 0x0f || c[at + 1] != 0x86)) /* jbe */
				return 0;
			behind = at + i.length;
		} else if (i.is_jump && (int64_t)at + i.target == 0) {
			return behind;
		} else if (!behind && at > LOOK_MAX) {
			return 0;
		}
	}
	return 0;
}

static uint64_t behind_on_x86(const uint8_t *bytes, size_t n)
{
	struct code c = {bytes, n, 0};

	if (skip_check(&c) && skip_either(&c, if_not_above))
		return c.at;
	return disassemble(EM_X86_64, bytes, n);
}

/* ---- arm64 --------------------------------------------------------------------------------- */

/* The offset after the check on arm64: ldr x16, [x28, #16], or #24; then arithmetic, perhaps a
 * b.lo, and at last a b.ls. */
static uint64_t behind_on_arm64(const uint8_t *bytes, size_t n)
{
	uint32_t word;

	for (size_t i = 0; i < WORDS_MAX && (i + 1) * WORD <= n; i++) {
		memcpy(&word, bytes + i * WORD, WORD);
		if (i == 0 && word != 0xf9400b90 && word != 0xf9400f90)
			return 0;
		if ((word & 0xff00001f) == 0x54000009)
			return (i + 1) * WORD;
		if ((word & 0x1c000000) == 0x14000000 && (word & 0xff00001f) != 0x54000003)
			return 0; /* another branch */
	}
	return 0;
}

uint64_t go_entry(uint16_t machine, const uint8_t *code, size_t n)
{
	switch (machine) {
	case EM_X86_64: return behind_on_x86(code, n);
	case EM_AARCH64: return behind_on_arm64(code, n);
	default: return 0;
	}
}
