/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves entry probes: see uprobe_entry.h, and entry_judge.c for one function by itself. A probe
 * after the first instruction is correct only if no other function in the file jumps there: all
 * code is searched for the bytes of a direct jump with such a distance, and no other symbol may be
 * there.
 */
#include "runtime/load/uprobe_entry.h"
#include "runtime/elf/elfsym.h"
#include "runtime/insn/entry_judge.h"
#include "runtime/elf/go_abi.h"
#include "runtime/insn/uprobe_insn.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include <elf.h>
#include <string.h>

enum {
	CODE_MAX = 64 << 10,
	BLOCK = 1 << 20,
	OVERLAP = 8,
	REPORTED_MAX = 8,
	NOP_SEARCH = 72, /* bytes: where a probe may be moved to, and a nop */
};

/* ---- all functions of a file --------------------------------------------------------------- */

struct candidate {
	struct plan_target *target;
	struct entry_reads reads;
	uint64_t offset; /* file offset of the function */
	uint8_t shift;	 /* ENTRY_BEHIND: distance of the probe from the entry */
	uint64_t behind; /* for Go functions: see go_entry() */
	enum entry_verdict verdict;
};

struct file_search {
	struct elfsym *elf;
	VEC(struct candidate) list; /* sorted by offset */
	uint64_t low, high;	    /* first and last offset to which nothing may jump */
	uint8_t *targets;	    /* a bitmap of these offsets, from low on */
	uint8_t *block;
};

static bool is_target(const struct file_search *s, uint64_t offset)
{
	uint64_t bit = offset - s->low;

	return bit <= s->high - s->low && s->targets[bit / 8] >> bit % 8 & 1;
}

/* Note that something jumps to `target`, or that a symbol is there. The function that contains it
 * has been searched before. */
static void note_target(const struct file_search *s, uint64_t from, uint64_t target)
{
	struct candidate *c = s->list.items + vec_bound(&s->list, item->offset < target);

	while (c-- > s->list.items && target - c->offset <= UINT8_MAX)
		if (c->verdict == ENTRY_BEHIND && target - c->offset <= c->shift &&
		    from - c->offset >= c->target->size)
			c->verdict = ENTRY_TARGET;
}

/* May a call, jmp or jcc with a distance of four bytes be there? */
static bool may_jump(const uint8_t *c, size_t i)
{
	return c[i] == 0xe9 || c[i] == 0xe8 || (i && c[i - 1] == 0x0f && (c[i] & 0xf0) == 0x80);
}

static void search_block(const struct file_search *s, const uint8_t *c, size_t n, uint64_t at)
{
	for (size_t i = 0; i + 4 < n; i++) {
		int32_t distance;
		uint64_t target;

		if (!may_jump(c, i))
			continue;
		memcpy(&distance, c + i + 1, sizeof(distance));
		target = at + i + 5 + (uint64_t)(int64_t)distance;
		if (is_target(s, target))
			note_target(s, at + i, target);
	}
}

/* Search a segment. Within it, distances in the file are the same as in memory. */
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

static void note_symbol(const char *name, uint64_t vaddr, uint64_t offset, uint64_t size, void *ctx)
{
	if (is_target(ctx, offset))
		note_target(ctx, UINT64_MAX, offset);
}

/* Find the range of offsets to which nothing may jump. Returns false if there are none. */
static bool find_range(struct file_search *s)
{
	bool is_any = false;

	for (size_t i = 0; i < s->list.n; i++) {
		uint64_t offset = s->list.items[i].offset, end = offset + s->list.items[i].shift;

		if (s->list.items[i].verdict != ENTRY_BEHIND)
			continue;
		s->low = is_any ? s->low : offset + 1; /* the list is sorted */
		s->high = is_any && s->high > end ? s->high : end;
		is_any = true;
	}
	return is_any;
}

/* Search the whole file, for all functions at once. Returns false if there is no memory. */
static bool search_file(struct file_search *s)
{
	if (!find_range(s))
		return true;
	s->targets = calloc((s->high - s->low) / 8 + 1, 1);
	s->block = malloc(BLOCK + OVERLAP);
	if (!s->targets || !s->block)
		return false;
	for (size_t i = 0; i < s->list.n; i++) {
		const struct candidate *c = &s->list.items[i];

		for (uint64_t k = 1; c->verdict == ENTRY_BEHIND && k <= c->shift; k++) {
			uint64_t bit = c->offset + k - s->low;

			s->targets[bit / 8] |= (uint8_t)(1u << bit % 8);
		}
	}
	elfsym_each_code(s->elf, search_segment, s);
	return !elfsym_each_function(s->elf, note_symbol, s);
}

/* ---- report -------------------------------------------------------------------------------- */

static const char *const reasons[] = {
	[ENTRY_STEPPED] = "it begins with instructions that the kernel does not emulate",
	[ENTRY_STEPPED_GO] =
		"behind the check of its stack there is no instruction that the kernel "
		"emulates",
	[ENTRY_REGISTERS] = "the script reads registers at its first instruction",
	[ENTRY_STACK] = "user stacks would lack the caller if a later instruction were probed",
	[ENTRY_NO_SIZE] = "its size is unknown, and something may jump behind its entry",
	[ENTRY_TOO_LONG] = "it is too long to be searched for jumps behind its entry",
	[ENTRY_TABLE] = "it jumps to computed addresses, perhaps behind its entry",
	[ENTRY_TARGET] = "something jumps behind its entry",
	[ENTRY_UNKNOWN] = "without libZydis it is unknown whether something jumps behind its entry",
};
_Static_assert(sizeof(reasons) / sizeof(*reasons) == ENTRY_COUNT, "a row for each verdict");

static void report(const struct file_search *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->list.n; i++) {
		struct plan_target *t = s->list.items[i].target;

		t->why_stepped = reasons[s->list.items[i].verdict];
		if (!reasons[s->list.items[i].verdict] ||
		    (i && s->list.items[i - 1].offset == s->list.items[i].offset))
			continue;
		if (n++ < REPORTED_MAX)
			log_verbose("%s:%s: each hit is single-stepped: %s", t->path, t->symbol,
				    reasons[s->list.items[i].verdict]);
	}
	if (n > REPORTED_MAX)
		log_verbose("... and %zu more functions", n - REPORTED_MAX);
}

/* ---- the plan ------------------------------------------------------------------------------ */

static bool may_have_nop(const uint8_t *code, size_t n)
{
	static const uint8_t opcode[] = {0x0f, 0x1f};

	return memmem(code, n < NOP_SEARCH ? n : NOP_SEARCH, opcode, sizeof(opcode));
}

static enum entry_verdict judge_entry(const struct entry_reads *reads, const uint8_t *code,
				      size_t n, uint64_t size, uint8_t *shift)
{
	static const struct uprobe_nops unknown;
	bool is_asked = entry_has_nop(code, n);
	enum entry_verdict v =
		entry_judge(reads, is_asked ? uprobe_nops() : &unknown, code, n, size, shift);

	/* a later nop, such as compilers put before loops, matters if nothing else is cheap */
	if (v > ENTRY_BEHIND && !is_asked && may_have_nop(code, n))
		v = entry_judge(reads, uprobe_nops(), code, n, size, shift);
	return v;
}

static void judge(struct candidate *c, uint16_t machine, bool is_go, const uint8_t *code, size_t n)
{
	c->verdict = machine == EM_X86_64
			     ? judge_entry(&c->reads, code, n, c->target->size, &c->shift)
		     : uprobe_place_is_cheap(machine, code, n) ? ENTRY_CHEAP
							       : ENTRY_STEPPED;
	if (is_go && go_symbol_abi(USER_ABI_GO, c->target->symbol) != USER_ABI_C)
		c->behind = go_entry(machine, code, n);
	if (c->behind)
		c->verdict = uprobe_place_is_cheap(machine, code + c->behind, n - c->behind)
				     ? ENTRY_CHEAP
				     : ENTRY_STEPPED_GO;
}

static void judge_all(struct file_search *s, bool is_go)
{
	uint8_t *code = malloc(CODE_MAX);
	uint16_t machine = elfsym_machine(s->elf);

	for (size_t i = 0; i < s->list.n; i++) {
		struct candidate *c = &s->list.items[i];
		uint64_t size = c->target->size;
		size_t want = !size ? 16 : size < CODE_MAX ? (size_t)size : CODE_MAX;

		judge(c, machine, is_go, code,
		      code ? elfsym_read(s->elf, c->offset, code, want) : 0);
	}
	free(code);
}

static void move_in_file(struct candidate *list, size_t n)
{
	struct file_search s = {.list = {.items = list, .n = n}};
	bool is_go;
	int err;

	s.elf = elfsym_open(list[0].target->path, &err);
	if (!s.elf)
		return; /* attaching reports the error */
	is_go = elfsym_is_go(s.elf);
	if (elfsym_machine(s.elf) == EM_X86_64 || elfsym_machine(s.elf) == EM_AARCH64) {
		judge_all(&s, is_go);
		if (search_file(&s)) {
			report(&s);
			for (size_t i = 0; i < n; i++)
				list[i].target->offset += list[i].behind ? list[i].behind
							  : list[i].verdict == ENTRY_BEHIND
								  ? list[i].shift
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

static void add_candidates(bool has_kernel_walks, const struct plan_prog *g, struct candidate *list,
			   size_t *n)
{
	const struct entry_reads reads = {.stacks = has_kernel_walks,
					  .args = g->reads_args,
					  .registers = g->reads_registers};

	for (uint32_t i = 0; i < g->n_targets; i++)
		if (g->targets[i].is_entry)
			list[(*n)++] = (struct candidate){.target = &g->targets[i],
							  .reads = reads,
							  .offset = g->targets[i].offset};
}

void uprobe_entry_move(const struct plan *plan, bool has_kernel_walks)
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
		if (is_user_entry(&plan->progs[i]))
			add_candidates(has_kernel_walks, &plan->progs[i], list, &n);
	qsort(list, n, sizeof(*list), by_offset);
	for (size_t i = 1; i <= n; i++)
		if (i == n || strcmp(list[i].target->path, list[first].target->path) != 0) {
			move_in_file(list + first, i - first);
			first = i;
		}
	free(list);
}
