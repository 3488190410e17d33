/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Choosing the place of entry probes: see uprobe_place.h.
 *
 * What must not be is a way to the instruction behind endbr64 that does not come from endbr64: the
 * probe would fire where no call began. Direct jumps hold their distance in the instruction, so the
 * bytes of the function (short jumps) and of all code (long ones, also from its .cold part) are
 * searched for that distance behind a jump's first byte; only what is found in the function itself
 * is disassembled. Jumps through a register or memory must lead to an endbr64, unless they have the
 * notrack prefix of jump tables: with one of those a function is left alone.
 */
#include "runtime/elf/uprobe_place.h"
#include "runtime/elf/elfsym.h"
#include "runtime/elf/insn.h"
#include "runtime/base/log.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENDBR_BYTES = 4,
	CODE_MAX = 64 << 10,
	BLOCK = 1 << 20,
	OVERLAP = 8,
	SAID_MAX = 8,
	GO_LOOK_MAX = 32
};

static const uint8_t endbr64[ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};

/* ---- one function -------------------------------------------------------------------------- */

/* Does the kernel imitate this instruction? push, nop, jumps and calls. */
static bool is_cheap(const uint8_t *c, size_t n)
{
	if (n < 2)
		return false;
	if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50))
		return true;
	return c[0] == 0x90 || c[0] == 0xe8 || c[0] == 0xe9 || c[0] == 0xeb ||
	       (c[0] & 0xf0) == 0x70 || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80);
}

/* Bytes at c[i] that may be a jump of one byte's distance to the place behind endbr64. */
static bool may_jump_back(const uint8_t *c, size_t i)
{
	bool is_jump = c[i] == 0xeb || (c[i] & 0xf0) == 0x70 || (c[i] & 0xfc) == 0xe0;

	return is_jump && (int64_t)i + 2 + (int8_t)c[i + 1] == ENDBR_BYTES;
}

/* ... of four bytes' distance, c[i] being the byte before it: opcodes e8, e9, 0f 80 to 0f 8f. */
static bool may_jump_far(const uint8_t *c, size_t i)
{
	return c[i] == 0xe9 || c[i] == 0xe8 || (i && c[i - 1] == 0x0f && (c[i] & 0xf0) == 0x80);
}

static int32_t distance_at(const uint8_t *c)
{
	int32_t d;

	memcpy(&d, c, sizeof(d));
	return d;
}

/* jmp through a register or memory with the prefix notrack, and perhaps one more. */
static bool may_be_table(const uint8_t *c, size_t i)
{
	if (c[i] != 0xff || (c[i + 1] >> 3 & 7) != 4)
		return false;
	return (i >= 1 && c[i - 1] == 0x3e) ||
	       (i >= 2 && c[i - 2] == 0x3e && (c[i - 1] & 0xf0) == 0x40);
}

/* Some bytes look suspicious: are they instructions? */
static enum place_verdict disassemble(uint16_t machine, const uint8_t *c, size_t n)
{
	struct insn i;
	int err;

	for (size_t at = 0; at < n; at += i.length) {
		err = insn_decode(machine, c + at, n - at, &i);
		if (err)
			return err == -ENOSYS ? PLACE_UNKNOWN : PLACE_TARGET;
		if (i.is_jump && (int64_t)at + i.target == ENDBR_BYTES)
			return PLACE_TARGET;
		if (i.is_notrack)
			return PLACE_TABLE;
	}
	return PLACE_BEHIND;
}

static enum place_verdict judge_body(uint16_t machine, const uint8_t *c, size_t n)
{
	for (size_t i = ENDBR_BYTES; i + 1 < n; i++)
		if (may_jump_back(c, i) || may_be_table(c, i) ||
		    (may_jump_far(c, i) && i + 4 < n &&
		     (int64_t)i + 5 + distance_at(c + i + 1) == ENDBR_BYTES))
			return disassemble(machine, c, n);
	return PLACE_BEHIND;
}

enum place_verdict place_judge(uint16_t machine, const uint8_t *c, size_t n, uint64_t size,
			       bool with_stacks)
{
	if (n < ENDBR_BYTES || memcmp(c, endbr64, ENDBR_BYTES) != 0)
		return is_cheap(c, n) ? PLACE_CHEAP : PLACE_STEPPED;
	if (!is_cheap(c + ENDBR_BYTES, n - ENDBR_BYTES))
		return PLACE_STEPPED_BEHIND;
	/* The kernel finds the caller by `push %rbp` at the probe; see ustack. */
	if (with_stacks && c[ENDBR_BYTES] != 0x55)
		return PLACE_STACK;
	if (!size)
		return PLACE_NO_SIZE;
	if (size > n)
		return PLACE_TOO_LONG;
	return judge_body(machine, c, (size_t)size);
}

/* A Go function begins with a look at its stack's room; if there is too little it lets the stack
 * grow and jumps back to its first instruction. Behind that look it is once a call. */
uint64_t place_in_go(uint16_t machine, const uint8_t *c, size_t n)
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
		} else if (!behind && at > GO_LOOK_MAX) {
			return 0;
		}
	}
	return 0;
}

/* ---- all functions of a file --------------------------------------------------------------- */

struct candidate {
	struct plan_target *target;
	uint64_t offset; /* in the file, of the function */
	uint64_t shift;	 /* of Go: see place_in_go */
	enum place_verdict verifier_message;
};

struct file_search {
	struct elfsym *elf;
	struct candidate *list; /* by offset */
	size_t n;
	uint64_t low, high; /* offsets behind the endbr64 of those to be moved: first, last */
	uint8_t *wanted;    /* a bit each from low on */
	uint8_t *block;
};

static struct candidate *find_candidate(const struct file_search *s, uint64_t offset)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->n && s->list[low].offset == offset ? &s->list[low] : NULL;
}

/* Something jumps to `place`; what is in the function itself was disassembled already. */
static void note_jump(const struct file_search *s, uint64_t from, uint64_t place)
{
	struct candidate *c = find_candidate(s, place - ENDBR_BYTES);

	if (c && from - c->offset >= c->target->size)
		for (; c < s->list + s->n && c->offset == place - ENDBR_BYTES; c++)
			c->verifier_message = PLACE_TARGET;
}

static void search_block(const struct file_search *s, const uint8_t *c, size_t n, uint64_t at)
{
	for (size_t i = 0; i + 4 < n; i++) {
		uint64_t place;

		if (!may_jump_far(c, i))
			continue;
		place = at + i + 5 + (uint64_t)(int64_t)distance_at(c + i + 1);
		if (place - s->low > s->high - s->low)
			continue;
		place -= s->low;
		if (s->wanted[place / 8] >> place % 8 & 1)
			note_jump(s, at + i, place + s->low);
	}
}

/* Distances are the same in the file as in memory, within one segment. */
static void search_segment(uint64_t offset, uint64_t size, void *ctx)
{
	const struct file_search *s = ctx;

	if (s->high < offset || s->low >= offset + size)
		return;
	for (uint64_t at = 0; at < size; at += BLOCK) {
		uint64_t left = size - at;
		size_t n = elfsym_read(s->elf, offset + at, s->block,
				       left < BLOCK + OVERLAP ? left : BLOCK + OVERLAP);

		search_block(s, s->block, n, offset + at);
	}
}

/* Jumps from anywhere in the file, for all functions at once. False when out of memory. */
static bool search_file(struct file_search *s)
{
	bool is_any = false;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t place = s->list[i].offset + ENDBR_BYTES;

		if (s->list[i].verifier_message != PLACE_BEHIND)
			continue;
		s->low = is_any ? s->low : place; /* they are in order */
		s->high = place;
		is_any = true;
	}
	if (!is_any)
		return true;
	s->wanted = calloc((s->high - s->low) / 8 + 1, 1);
	s->block = malloc(BLOCK + OVERLAP);
	if (!s->wanted || !s->block)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t bit = s->list[i].offset + ENDBR_BYTES - s->low;

		if (s->list[i].verifier_message == PLACE_BEHIND)
			s->wanted[bit / 8] |= (uint8_t)(1u << bit % 8);
	}
	elfsym_each_code(s->elf, search_segment, s);
	return true;
}

/* ---- what is said -------------------------------------------------------------------------- */

static const char *const reasons[PLACE_COUNT] = {
	[PLACE_STEPPED] = "its first instruction is not one that the kernel imitates",
	[PLACE_STEPPED_BEHIND] = "neither endbr64 nor what follows is one that the kernel imitates",
	[PLACE_STACK] = "behind endbr64 user stacks would lack the caller",
	[PLACE_NO_SIZE] = "it begins with endbr64, and its size is not known",
	[PLACE_TOO_LONG] = "it begins with endbr64, and is too long to be searched",
	[PLACE_TABLE] = "it begins with endbr64, and jumps by a table",
	[PLACE_TARGET] = "it begins with endbr64, and something jumps behind it",
	[PLACE_UNKNOWN] = "it begins with endbr64, and there is no libZydis to tell if something "
			  "jumps behind it",
};

static void say(const struct file_search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct plan_target *t = s->list[i].target;

		if (!reasons[s->list[i].verifier_message] ||
		    (i && s->list[i - 1].offset == s->list[i].offset))
			continue;
		if (n++ < SAID_MAX)
			log_verbose("%s:%s: each hit is single-stepped: %s", t->path, t->symbol,
				    reasons[s->list[i].verifier_message]);
	}
	if (n > SAID_MAX)
		log_verbose("... and so are %zu more functions", n - SAID_MAX);
}

/* ---- the plan ------------------------------------------------------------------------------ */

static void judge_all(struct file_search *s, bool with_stacks)
{
	uint8_t *code = malloc(CODE_MAX);
	bool is_go = elfsym_is_go(s->elf);

	for (size_t i = 0; i < s->n; i++) {
		struct candidate *c = &s->list[i];
		uint64_t size = c->target->size;
		size_t want = !size ? 16 : size < CODE_MAX ? (size_t)size : CODE_MAX;
		size_t n = code ? elfsym_read(s->elf, c->offset, code, want) : 0;

		c->verifier_message =
			place_judge(elfsym_machine(s->elf), code, n, size, with_stacks);
		if (is_go && size <= n)
			c->shift = place_in_go(elfsym_machine(s->elf), code, n);
	}
	free(code);
}

static void place_in_file(struct candidate *list, size_t n, bool with_stacks)
{
	struct file_search s = {.list = list, .n = n};
	int err;

	s.elf = elfsym_open(list[0].target->path, &err);
	if (!s.elf)
		return; /* attaching says why */
	if (elfsym_machine(s.elf) == EM_X86_64) {
		judge_all(&s, with_stacks);
		if (search_file(&s)) {
			say(&s);
			for (size_t i = 0; i < n; i++)
				list[i].target->offset += list[i].shift ? list[i].shift
							  : list[i].verifier_message == PLACE_BEHIND
								  ? ENDBR_BYTES
								  : 0;
		}
	}
	free(s.wanted);
	free(s.block);
	elfsym_close(s.elf);
}

static int by_place(const void *x, const void *y)
{
	const struct candidate *a = x, *b = y;
	int order =
		a->target->path == b->target->path ? 0 : strcmp(a->target->path, b->target->path);

	return order ? order : a->offset < b->offset ? -1 : a->offset > b->offset;
}

static bool is_user_entry(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_USER_FUNCTION) && !prog_kind_is(g->kind, PK_USDT);
}

void uprobe_place(const struct plan *plan)
{
	struct candidate *list;
	size_t n = 0, first = 0;

	for (uint32_t i = 0; i < plan->n_progs; i++)
		n += is_user_entry(&plan->progs[i]) ? plan->progs[i].n_targets : 0;
	list = n ? calloc(n, sizeof(*list)) : NULL;
	if (!list)
		return;
	n = 0;
	for (uint32_t i = 0; i < plan->n_progs; i++)
		for (uint32_t j = 0; is_user_entry(&plan->progs[i]) && j < plan->progs[i].n_targets;
		     j++)
			if (plan->progs[i].targets[j].is_entry)
				list[n++] = (struct candidate){
					.target = &plan->progs[i].targets[j],
					.offset = plan->progs[i].targets[j].offset};
	qsort(list, n, sizeof(*list), by_place);
	for (size_t i = 1; i <= n; i++)
		if (i == n || strcmp(list[i].target->path, list[first].target->path) != 0) {
			place_in_file(list + first, i - first, plan->needs.ustack);
			first = i;
		}
	free(list);
}
