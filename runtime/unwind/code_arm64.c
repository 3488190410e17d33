/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from instructions of arm64: see code_arm64.h. The code is decoded once, in the order of
 * addresses. Each instruction has the state that the one before leaves, or that of a jump to it
 * from before; where neither comes, a function starts, or the instruction has no row. Encodings are
 * those of the Arm Architecture Reference Manual, section C4.1.
 */
#include "runtime/unwind/code_arm64.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/vec.h"
#include "runtime/unwind/code_rows.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

enum { FP = 29, LINK = 30, SP = 31, UNIT = 4, WORD = 8, FRAME_MAX = 1 << 20 };

/* What is known at an instruction. Places are offsets from the CFA. */
struct state {
	int32_t sp, fp; /* CFA - sp, CFA - x29 */
	int32_t fp_place,
		link_place;  /* the words in which x29 and x30 are saved; 0: they are not */
	bool is_known;	     /* false: no state reaches the instruction */
	bool has_sp, has_fp; /* `sp`, `fp` are valid */
	bool is_fp_lost, is_link_lost; /* the caller's value is neither in the register nor saved */
};

struct decoder {
	const struct code_bytes *c;
	struct state *states; /* of each instruction, as far as jumps have led to it */
	bool *is_start;	      /* a function starts there */
	size_t n;
};

static const struct state at_entry = {.is_known = true, .has_sp = true};

static uint32_t word_of(const struct code_bytes *c, size_t i)
{
	uint32_t word;

	memcpy(&word, c->bytes + i * UNIT, sizeof(word));
	return word;
}

/* `n` bits of w from bit `at` on, with a sign. */
static int32_t signed_bits(uint32_t w, int at, int n)
{
	return (int32_t)(w << (32 - at - n)) >> (32 - n);
}

static uint32_t bits(uint32_t w, int at, int n)
{
	return w >> at & ((1u << n) - 1);
}

/* ---- states -------------------------------------------------------------------------------- */

static void move_sp(struct state *s, int32_t by)
{
	s->sp -= by;
	if (s->sp < 0 || s->sp > FRAME_MAX)
		s->has_sp = false;
}

/* A register was changed in a way that is not followed. */
static void lose(struct state *s, uint32_t number)
{
	if (number == FP) {
		s->has_fp = false;
		s->is_fp_lost |= !s->fp_place;
	} else if (number == LINK) {
		s->is_link_lost |= !s->link_place;
	}
}

/* A register is stored to, or loaded from, the word at sp + offset. */
static void access_word(struct state *s, uint32_t number, int32_t offset, bool is_load)
{
	int32_t place = offset - s->sp, *saved = number == FP ? &s->fp_place : &s->link_place;
	bool *is_lost = number == FP ? &s->is_fp_lost : &s->is_link_lost;

	if (number != FP && number != LINK)
		return;
	if (!is_load) {
		if (!*saved && !*is_lost && s->has_sp && place < 0)
			*saved = place;
		return;
	}
	if (number == FP)
		s->has_fp = false;
	if (s->has_sp && *saved && place == *saved) {
		*saved = 0;
		*is_lost = false;
	} else {
		*is_lost |= !*saved;
	}
}

/* Loads and stores of one or two registers: what they do to sp, x29 and x30. */
static void access_memory(struct state *s, uint32_t w)
{
	bool is_pair = (w & 0x3a000000) == 0x28000000, is_vector = bits(w, 26, 1);
	bool is_single = (w & 0x3a000000) == 0x38000000;
	uint32_t size = bits(w, 30, 2), mode = bits(w, 23, 2), base = bits(w, 5, 5);
	bool is_load = is_pair ? bits(w, 22, 1) : bits(w, 22, 2), is_word;
	int32_t offset, by = 0;

	if (!is_pair && !is_single) { /* atomic ones; from a constant; of several vectors */
		if (!is_vector)
			lose(s, w & 31);
		else if (base == SP && bits(w, 23, 1))
			s->has_sp = false;
		return;
	}
	if (is_pair) {
		offset = signed_bits(w, 15, 7) * (is_vector ? 4 << size : size == 2 ? 8 : 4);
		is_word = !is_vector && size == 2;
		by = mode & 1 ? offset : 0; /* after it: 1, before it: 3 */
		if (mode == 1)
			offset = 0;
	} else if (bits(w, 24, 1)) {
		is_word = !is_vector && size == 3 && !bits(w, 23, 1);
		offset = (int32_t)bits(w, 10, 12) * WORD;
	} else {
		is_word = !is_vector && size == 3 && !bits(w, 23, 1) && !bits(w, 21, 1);
		offset = signed_bits(w, 12, 9);
		by = !bits(w, 21, 1) && bits(w, 10, 1) ? offset : 0;
		if (bits(w, 10, 2) == 1)
			offset = 0;
	}
	if (base == SP && is_word) {
		access_word(s, w & 31, offset, is_load);
		if (is_pair)
			access_word(s, bits(w, 10, 5), offset + WORD, is_load);
	} else if (is_load && !is_vector) {
		lose(s, w & 31);
		if (is_pair)
			lose(s, bits(w, 10, 5));
	}
	if (base == SP)
		move_sp(s, by);
	else if (by)
		lose(s, base);
}

/* add and sub of an immediate. */
static void add_immediate(struct state *s, uint32_t w)
{
	uint32_t to = w & 31, from = bits(w, 5, 5);
	int32_t by = (int32_t)bits(w, 10, 12) << (bits(w, 22, 1) ? 12 : 0);
	struct state old = *s;
	bool has = from == SP ? old.has_sp : from == FP && old.has_fp;

	by = bits(w, 30, 1) ? -by : by;
	if (to == SP) {
		s->sp = (from == SP ? old.sp : old.fp) - by;
		s->has_sp = has && s->sp >= 0 && s->sp <= FRAME_MAX;
		return;
	}
	lose(s, to);
	if (to == FP && has && old.fp_place) {
		s->fp = (from == SP ? old.sp : old.fp) - by;
		s->has_fp = s->fp >= 0 && s->fp <= FRAME_MAX;
	}
}

/* Data processing whose register 31 is sp: add and sub with an extended register; and, orr, eor
 * with an immediate. */
static bool changes_sp(uint32_t w)
{
	return (w & 0xbfe00000) == 0x8b200000 ||
	       ((w & 0x1f800000) == 0x12000000 && bits(w, 29, 2) != 3);
}

/* bl, and blr with or without authentication */
static bool is_call(uint32_t w)
{
	return (w & 0xfc000000) == 0x94000000 || (w & 0xfee00000) == 0xd6200000;
}

static void step(struct state *s, uint32_t w)
{
	if ((w & 0x0a000000) == 0x08000000) {
		access_memory(s, w);
	} else if ((w & 0xff800000) == 0x91000000 || (w & 0xff800000) == 0xd1000000) {
		add_immediate(s, w);
	} else if ((w & 0x1c000000) == 0x10000000 || (w & 0x0e000000) == 0x0a000000) {
		/* data processing: sp is changed by these alone */
		if ((w & 31) == SP && changes_sp(w))
			s->has_sp = false;
		else
			lose(s, w & 31);
	} else if (is_call(w)) {
		lose(s, LINK);
	}
}

/* The rule of a state, marked as a guess; UNWIND_NO_RULE if it is not known. */
static struct unwind_rule rule_of(const struct state *s)
{
	struct unwind_rule r = {.cfa = (s->has_sp ? UNWIND_SP : UNWIND_FP) | UNWIND_GUESS,
				.cfa_offset = s->has_sp ? s->sp : s->fp};
	enum unwind_fp fp = s->fp_place	    ? UNWIND_FP_AT_CFA
			    : s->is_fp_lost ? UNWIND_FP_UNKNOWN
					    : UNWIND_FP_SAME;
	int32_t link = s->link_place;
	int extra = UNWIND_EXTRA_SAME;

	if (!s->is_known || s->is_link_lost || (!s->has_sp && !s->has_fp))
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	r.fp_offset = (int16_t)(s->fp_place / WORD);
	if (link && (!s->fp_place || link == s->fp_place + WORD)) {
		extra = UNWIND_EXTRA_AFTER_FP;
		r.fp_offset = (int16_t)(link / WORD - 1);
	} else if (link) {
		extra = link <= UNWIND_EXTRA_FIRST && link > UNWIND_EXTRA_LAST
				? UNWIND_EXTRA_AT(link)
				: UNWIND_EXTRA_UNKNOWN;
	}
	if (extra == UNWIND_EXTRA_UNKNOWN || link % WORD || s->fp_place % WORD)
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	r.saved = UNWIND_SAVED(fp, extra);
	return r;
}

/* ---- jumps --------------------------------------------------------------------------------- */

/* The number of the instruction to which number i jumps; SIZE_MAX: it does not, or out of the
 * code. */
static size_t target_of(const struct decoder *d, size_t i, uint32_t w, bool is_call)
{
	int64_t by;

	if ((w & 0xfc000000) == (is_call ? 0x94000000 : 0x14000000))
		by = signed_bits(w, 0, 26);
	else if (is_call)
		return SIZE_MAX;
	else if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000)
		by = signed_bits(w, 5, 19); /* b.cond, cbz, cbnz */
	else if ((w & 0x7e000000) == 0x36000000)
		by = signed_bits(w, 5, 14); /* tbz, tbnz */
	else
		return SIZE_MAX;
	by += (int64_t)i;
	return by >= 0 && (uint64_t)by < d->n ? (size_t)by : SIZE_MAX;
}

/* Is the next instruction not executed after this one? So it is after b, br, ret, brk and an
 * invalid one. */
static bool is_end(uint32_t w)
{
	return (w & 0xfc000000) == 0x14000000 || ((w & 0xfe000000) == 0xd6000000 && !is_call(w)) ||
	       (w & 0xffe0001f) == 0xd4200000 || w < 0x10000;
}

/* Does a function begin with it, where nothing is known? */
static bool is_prologue(uint32_t w)
{
	return (w & 0xffc07fff) == 0xa9807bfd || /* stp x29, x30, [sp, #-n]! */
	       (w & 0xffe00fff) == 0xf8000ffe || /* str x30, [sp, #-n]! */
	       (w & 0xff8003ff) == 0xd10003ff || /* sub sp, sp, #n */
	       (w & 0xffffff7f) == 0xd503245f || (w & 0xffffffbf) == 0xd503233f; /* bti c, pac */
}

static void find_starts(struct decoder *d)
{
	const struct code_bytes *c = d->c;

	d->is_start[0] = true;
	for (size_t i = 0; i < c->n_starts; i++) {
		uint64_t at = (c->starts[i] - c->address) / UNIT;

		if (at < d->n)
			d->is_start[at] = true;
	}
	for (size_t i = 0; i < d->n; i++) {
		size_t target = target_of(d, i, word_of(c, i), true);

		if (target != SIZE_MAX)
			d->is_start[target] = true;
	}
}

static int pack_state(const struct decoder *d, size_t i, const struct state *s,
		      struct unwind_rules *rules, struct pack *out)
{
	int index = unwind_rules_intern(rules, rule_of(s));

	return index < 0 ? index : pack_row(out, d->c->address + i * UNIT, (uint32_t)index);
}

static int decode(struct decoder *d, struct unwind_rules *rules, struct pack *out)
{
	struct state s = {0};
	int err = 0;

	find_starts(d);
	for (size_t i = 0; i < d->n && !err; i++) {
		uint32_t w = word_of(d->c, i);
		size_t target = target_of(d, i, w, false);

		if (d->is_start[i] || (!s.is_known && !d->states[i].is_known && is_prologue(w)))
			s = at_entry;
		else if (!s.is_known)
			s = d->states[i];
		err = pack_state(d, i, &s, rules, out);
		if (s.is_known)
			step(&s, w);
		if (target != SIZE_MAX && target > i && !d->states[target].is_known)
			d->states[target] = s;
		if (is_end(w))
			s = (struct state){0};
	}
	return err;
}

int code_arm64_pack_rows(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out)
{
	struct decoder d = {.c = c, .n = c->n / UNIT};
	int err = -ENOMEM;

	if (!d.n || c->address % UNIT)
		return 0;
	d.states = calloc(d.n, sizeof(*d.states));
	d.is_start = calloc(d.n, sizeof(*d.is_start));
	if (d.states && d.is_start)
		err = decode(&d, rules, out);
	free(d.states);
	free(d.is_start);
	return err;
}
