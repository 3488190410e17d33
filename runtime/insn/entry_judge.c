/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the places of entry probes: see entry_judge.h.
 *
 * The instructions from the entry to the probe must do nothing that the script can see: endbr64,
 * loads, arithmetic and comparisons, without a change of the stack pointer or of a register that
 * the script reads.
 *
 * They must also run exactly once in each call, so no jump may lead to one of them, or to the
 * probe. Direct jumps contain their distance: the function is searched for bytes that look like
 * such a jump, and disassembled if there are any. An indirect jump must lead to an endbr64 in code
 * that is compiled for CET, unless it has the prefix notrack, as the jumps of jump tables do.
 * Without CET it may lead anywhere.
 */
#include "runtime/insn/entry_judge.h"
#include "runtime/insn/insn.h"
#include "runtime/insn/uprobe_insn.h"
#include <elf.h>
#include <errno.h>
#include <string.h>

enum {
	SHIFT_MAX = 64,
	ARGS = INSN_SET(INSN_RCX, INSN_RDX) | INSN_SET(INSN_RSI, INSN_R9),
};

/* ---- jumps --------------------------------------------------------------------------------- */

static bool is_within(int64_t target, uint8_t shift)
{
	return target > 0 && target <= shift;
}

static bool may_jump_near(const uint8_t *c, size_t i, uint8_t shift)
{
	bool is_jump = c[i] == 0xeb || (c[i] & 0xf0) == 0x70 || (c[i] & 0xfc) == 0xe0;

	return is_jump && is_within((int64_t)i + 2 + (int8_t)c[i + 1], shift);
}

/* May a call, jmp or jcc with a distance of four bytes be there: opcodes e8, e9, 0f 80 to 0f 8f? */
static bool may_jump_far(const uint8_t *c, size_t i, size_t n, uint8_t shift)
{
	int32_t distance;

	if (c[i] != 0xe9 && c[i] != 0xe8 && (!i || c[i - 1] != 0x0f || (c[i] & 0xf0) != 0x80))
		return false;
	if (i + 4 >= n)
		return false;
	memcpy(&distance, c + i + 1, sizeof(distance));
	return is_within((int64_t)i + 5 + distance, shift);
}

/* May a jmp through a register or memory be there? With CET only one with the prefix notrack
 * counts, possibly with a REX prefix. */
static bool may_be_table(const uint8_t *c, size_t i, bool with_cet)
{
	if (c[i] != 0xff || (c[i + 1] >> 3 & 7) != 4)
		return false;
	return !with_cet || (i >= 1 && c[i - 1] == 0x3e) ||
	       (i >= 2 && c[i - 2] == 0x3e && (c[i - 1] & 0xf0) == 0x40);
}

/* Some bytes look like a jump: disassemble to see if they are instructions. */
static enum entry_verdict disassemble(const uint8_t *c, size_t n, uint8_t shift)
{
	bool with_cet = insn_is_endbr64(c, n);
	struct insn i;
	int err;

	for (size_t at = 0; at < n; at += i.length) {
		err = insn_decode(EM_X86_64, c + at, n - at, &i);
		if (err)
			return err == -ENOSYS ? ENTRY_UNKNOWN : ENTRY_TARGET;
		if (i.is_jump && is_within((int64_t)at + i.target, shift))
			return ENTRY_TARGET;
		if (with_cet ? i.is_notrack : i.is_indirect)
			return ENTRY_TABLE;
	}
	return ENTRY_BEHIND;
}

static enum entry_verdict judge_body(const uint8_t *c, size_t n, uint8_t shift)
{
	bool with_cet = insn_is_endbr64(c, n);

	for (size_t i = 1; i + 1 < n; i++)
		if (may_jump_near(c, i, shift) || may_be_table(c, i, with_cet) ||
		    may_jump_far(c, i, n, shift))
			return disassemble(c, n, shift);
	return ENTRY_BEHIND;
}

/* ---- the place ----------------------------------------------------------------------------- */

/* The length of the instruction at c[at] if a probe may be put after it; or 0. */
static uint8_t skip(const struct entry_reads *reads, const uint8_t *c, size_t n, size_t at)
{
	uint16_t kept = reads->args ? INSN_PRESERVED | ARGS : INSN_PRESERVED;
	struct insn_effect e;

	if (!at && insn_is_endbr64(c, n))
		return INSN_ENDBR_BYTES;
	if (at >= n || insn_effect(EM_X86_64, c + at, n - at, &e) || !e.is_plain || e.writes & kept)
		return 0;
	return e.length;
}

/* A nop of 5 bytes anywhere else than at the entry, or behind its endbr64: see uprobe_insn.h. The
 * kernel's walk of user stacks recognises the entry of a function by `push %rbp`, and then adds its
 * caller; it does not know nops. */
static bool is_unfit(const struct entry_reads *reads, const uint8_t *c, size_t n, size_t at)
{
	if (reads->stacks && uprobe_insn_is_long_nop(c + at, n - at))
		return true;
	return uprobe_insn_is_nop5(c + at, n - at) &&
	       at != (insn_is_endbr64(c, n) ? INSN_ENDBR_BYTES : 0);
}

/* The distance of the first cheap instruction. If there is none and the first instruction cannot be
 * probed, the distance of the first one that can. 0: the probe has to stay at the entry. */
static size_t find_place(const struct entry_reads *reads, const struct uprobe_nops *nops,
			 const uint8_t *c, size_t n)
{
	bool is_misread = uprobe_insn_is_misread(c, n);
	size_t at = 0, first = 0;
	uint8_t length;

	while ((length = skip(reads, c, n, at)) && at + length <= SHIFT_MAX && at + length < n) {
		at += length;
		if (is_unfit(reads, c, n, at))
			continue;
		if (uprobe_insn_is_cheap(c + at, n - at, nops))
			return at;
		if (is_misread && !first && !uprobe_insn_is_misread(c + at, n - at))
			first = at;
	}
	return first;
}

static enum entry_verdict judge_place(const struct entry_reads *reads, size_t at, const uint8_t *c,
				      size_t n, uint64_t size)
{
	if (!at)
		return ENTRY_STEPPED;
	if (reads->registers)
		return ENTRY_REGISTERS;
	if (reads->stacks && c[at] != 0x55)
		return ENTRY_STACK;
	if (!size)
		return ENTRY_NO_SIZE;
	if (size > n)
		return ENTRY_TOO_LONG;
	return at < size ? judge_body(c, (size_t)size, (uint8_t)at) : ENTRY_STEPPED;
}

enum entry_verdict entry_judge(const struct entry_reads *reads, const struct uprobe_nops *nops,
			       const uint8_t *c, size_t n, uint64_t size, uint8_t *shift)
{
	bool is_cheap = uprobe_insn_is_cheap(c, n, nops);
	enum entry_verdict verdict;

	if (is_cheap && !is_unfit(reads, c, n, 0))
		return ENTRY_CHEAP;
	*shift = (uint8_t)find_place(reads, nops, c, n);
	verdict = judge_place(reads, *shift, c, n, size);
	return is_cheap && verdict != ENTRY_BEHIND ? ENTRY_CHEAP : verdict;
}

bool entry_has_nop(const uint8_t *c, size_t n)
{
	size_t at = insn_is_endbr64(c, n) ? INSN_ENDBR_BYTES : 0;

	return uprobe_insn_is_long_nop(c + at, n - at);
}
