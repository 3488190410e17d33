/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Offsets of entry probes: see uprobe_entry.h.
 *
 * A probe behind endbr64 is right only if nothing jumps there, because then it would fire without a
 * call. Direct jumps contain their distance, so the bytes of the function (for short jumps) and of
 * all code (for long jumps, also from its .cold part) are searched for an opcode of a jump followed
 * by that distance. A match within the function itself is verified by disassembling. Jumps through
 * a register or memory must lead to an endbr64, unless they have the notrack prefix of jump tables:
 * functions with such a jump are left alone.
 */
#include "runtime/elf/uprobe_entry.h"
#include "runtime/elf/elfsym.h"
#include "runtime/elf/go_abi.h"
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
	REPORTED_MAX = 8,
};

static const uint8_t endbr64[ENDBR_BYTES] = {0xf3, 0x0f, 0x1e, 0xfa};

/* ---- one function -------------------------------------------------------------------------- */

/* Does the kernel emulate this instruction? push, nop, jumps and calls. */
static bool is_cheap(const uint8_t *c, size_t n)
{
	if (n < 2)
		return false;
	if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50))
		return true;
	return c[0] == 0x90 || c[0] == 0xe8 || c[0] == 0xe9 || c[0] == 0xeb ||
	       (c[0] & 0xf0) == 0x70 || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80);
}

/* May the bytes at c[i] be a jump with a distance of one byte to the instruction behind endbr64? */
static bool may_jump_back(const uint8_t *c, size_t i)
{
	bool is_jump = c[i] == 0xeb || (c[i] & 0xf0) == 0x70 || (c[i] & 0xfc) == 0xe0;

	return is_jump && (int64_t)i + 2 + (int8_t)c[i + 1] == ENDBR_BYTES;
}

/* May c[i] precede a distance of four bytes: opcodes e8, e9, 0f 80 to 0f 8f? */
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

/* A jmp through a register or memory with the prefix notrack and possibly a REX prefix? */
static bool may_be_table(const uint8_t *c, size_t i)
{
	if (c[i] != 0xff || (c[i + 1] >> 3 & 7) != 4)
		return false;
	return (i >= 1 && c[i - 1] == 0x3e) ||
	       (i >= 2 && c[i - 2] == 0x3e && (c[i - 1] & 0xf0) == 0x40);
}

/* Some bytes look like a jump: are they instructions? */
static enum entry_verdict disassemble(uint16_t machine, const uint8_t *c, size_t n)
{
	struct insn i;
	int err;

	for (size_t at = 0; at < n; at += i.length) {
		err = insn_decode(machine, c + at, n - at, &i);
		if (err)
			return err == -ENOSYS ? ENTRY_UNKNOWN : ENTRY_TARGET;
		if (i.is_jump && (int64_t)at + i.target == ENDBR_BYTES)
			return ENTRY_TARGET;
		if (i.is_notrack)
			return ENTRY_TABLE;
	}
	return ENTRY_BEHIND;
}

static enum entry_verdict judge_body(uint16_t machine, const uint8_t *c, size_t n)
{
	for (size_t i = ENDBR_BYTES; i + 1 < n; i++)
		if (may_jump_back(c, i) || may_be_table(c, i) ||
		    (may_jump_far(c, i) && i + 4 < n &&
		     (int64_t)i + 5 + distance_at(c + i + 1) == ENDBR_BYTES))
			return disassemble(machine, c, n);
	return ENTRY_BEHIND;
}

enum entry_verdict entry_judge(uint16_t machine, const uint8_t *c, size_t n, uint64_t size,
			       bool with_stacks)
{
	if (n < ENDBR_BYTES || memcmp(c, endbr64, ENDBR_BYTES) != 0)
		return is_cheap(c, n) ? ENTRY_CHEAP : ENTRY_STEPPED;
	if (!is_cheap(c + ENDBR_BYTES, n - ENDBR_BYTES))
		return ENTRY_STEPPED_BEHIND;
	/* The kernel recognises the entry of a function by `push %rbp`, and then adds its
	 * caller. */
	if (with_stacks && c[ENDBR_BYTES] != 0x55)
		return ENTRY_STACK;
	if (!size)
		return ENTRY_NO_SIZE;
	if (size > n)
		return ENTRY_TOO_LONG;
	return judge_body(machine, c, (size_t)size);
}

/* ---- all functions of a file --------------------------------------------------------------- */

struct candidate {
	struct plan_target *target;
	uint64_t offset; /* in the file, of the function */
	uint64_t shift;	 /* in Go: see go_entry() */
	enum entry_verdict verdict;
};

struct file_search {
	struct elfsym *elf;
	struct candidate *list; /* by offset */
	size_t n;
	uint64_t low, high; /* first and last offset behind an endbr64 to which a probe may move */
	uint8_t *targets;   /* a bitmap of these offsets, from low on */
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

/* Something jumps to `target`. The function itself has been disassembled before. */
static void note_jump(const struct file_search *s, uint64_t from, uint64_t target)
{
	struct candidate *c = find_candidate(s, target - ENDBR_BYTES);

	if (c && from - c->offset >= c->target->size)
		for (; c < s->list + s->n && c->offset == target - ENDBR_BYTES; c++)
			c->verdict = ENTRY_TARGET;
}

static void search_block(const struct file_search *s, const uint8_t *c, size_t n, uint64_t at)
{
	for (size_t i = 0; i + 4 < n; i++) {
		uint64_t target;

		if (!may_jump_far(c, i))
			continue;
		target = at + i + 5 + (uint64_t)(int64_t)distance_at(c + i + 1);
		if (target - s->low > s->high - s->low)
			continue;
		target -= s->low;
		if (s->targets[target / 8] >> target % 8 & 1)
			note_jump(s, at + i, target + s->low);
	}
}

/* Within a segment, distances in the file are the same as in memory. */
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

/* Search the whole file for jumps, for all functions at once. False if out of memory. */
static bool search_file(struct file_search *s)
{
	bool is_any = false;

	for (size_t i = 0; i < s->n; i++) {
		uint64_t target = s->list[i].offset + ENDBR_BYTES;

		if (s->list[i].verdict != ENTRY_BEHIND)
			continue;
		s->low = is_any ? s->low : target; /* the list is sorted */
		s->high = target;
		is_any = true;
	}
	if (!is_any)
		return true;
	s->targets = calloc((s->high - s->low) / 8 + 1, 1);
	s->block = malloc(BLOCK + OVERLAP);
	if (!s->targets || !s->block)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t bit = s->list[i].offset + ENDBR_BYTES - s->low;

		if (s->list[i].verdict == ENTRY_BEHIND)
			s->targets[bit / 8] |= (uint8_t)(1u << bit % 8);
	}
	elfsym_each_code(s->elf, search_segment, s);
	return true;
}

/* ---- report -------------------------------------------------------------------------------- */

static const char *const reasons[] = {
	[ENTRY_STEPPED] = "its first instruction is not one that the kernel emulates",
	[ENTRY_STEPPED_GO] =
		"behind the check of its stack there is no instruction that the kernel "
		"emulates",
	[ENTRY_STEPPED_BEHIND] = "the kernel emulates neither endbr64 nor the next instruction",
	[ENTRY_STACK] = "user stacks would lack the caller if it were probed behind endbr64",
	[ENTRY_NO_SIZE] = "it begins with endbr64, and its size is unknown",
	[ENTRY_TOO_LONG] = "it begins with endbr64, and is too long to be searched for jumps",
	[ENTRY_TABLE] = "it begins with endbr64, and uses a jump table",
	[ENTRY_TARGET] = "it begins with endbr64, and something jumps behind it",
	[ENTRY_UNKNOWN] = "it begins with endbr64, and without libZydis it is unknown whether "
			  "something jumps behind it",
};
_Static_assert(sizeof(reasons) / sizeof(*reasons) == ENTRY_COUNT, "a row for each verdict");

static void report(const struct file_search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct plan_target *t = s->list[i].target;

		if (!reasons[s->list[i].verdict] ||
		    (i && s->list[i - 1].offset == s->list[i].offset))
			continue;
		if (n++ < REPORTED_MAX)
			log_verbose("%s:%s: each hit is single-stepped: %s", t->path, t->symbol,
				    reasons[s->list[i].verdict]);
	}
	if (n > REPORTED_MAX)
		log_verbose("... and %zu more functions", n - REPORTED_MAX);
}

/* ---- the plan ------------------------------------------------------------------------------ */

static void judge_all(struct file_search *s, bool is_go, bool with_stacks)
{
	uint8_t *code = malloc(CODE_MAX);
	uint16_t machine = elfsym_machine(s->elf);

	for (size_t i = 0; i < s->n; i++) {
		struct candidate *c = &s->list[i];
		uint64_t size = c->target->size;
		size_t want = !size ? 16 : size < CODE_MAX ? (size_t)size : CODE_MAX;
		size_t n = code ? elfsym_read(s->elf, c->offset, code, want) : 0;

		c->verdict = machine == EM_X86_64 ? entry_judge(machine, code, n, size, with_stacks)
						  : ENTRY_CHEAP;
		if (is_go && go_symbol_abi(USER_ABI_GO, c->target->symbol) != USER_ABI_C)
			c->shift = go_entry(machine, code, n);
		if (c->shift && machine == EM_X86_64)
			c->verdict = is_cheap(code + c->shift, n - c->shift) ? ENTRY_CHEAP
									     : ENTRY_STEPPED_GO;
	}
	free(code);
}

static void move_in_file(struct candidate *list, size_t n, bool with_stacks)
{
	struct file_search s = {.list = list, .n = n};
	bool is_go;
	int err;

	s.elf = elfsym_open(list[0].target->path, &err);
	if (!s.elf)
		return; /* attaching reports the error */
	is_go = elfsym_is_go(s.elf);
	if (is_go || elfsym_machine(s.elf) == EM_X86_64) {
		judge_all(&s, is_go, with_stacks);
		if (search_file(&s)) {
			report(&s);
			for (size_t i = 0; i < n; i++)
				list[i].target->offset += list[i].shift ? list[i].shift
							  : list[i].verdict == ENTRY_BEHIND
								  ? ENDBR_BYTES
								  : 0;
		}
	}
	free(s.targets);
	free(s.block);
	elfsym_close(s.elf);
}

static int by_offset(const void *x, const void *y)
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

void uprobe_entry_move(const struct plan *plan)
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
	qsort(list, n, sizeof(*list), by_offset);
	for (size_t i = 1; i <= n; i++)
		if (i == n || strcmp(list[i].target->path, list[first].target->path) != 0) {
			move_in_file(list + first, i - first, plan->needs.ustack);
			first = i;
		}
	free(list);
}
