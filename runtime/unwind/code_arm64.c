/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows from instructions of arm64: see code_arm64.h. The code is followed from the starts of
 * functions along all jumps; the state that reaches an instruction first is its state. A call may
 * not return, so the code after it comes when nothing else is left. Code that is not reached has
 * the state that what follows it asks for.
 */
#include "runtime/unwind/code_arm64.h"
#include <elf.h>
#include "runtime/insn/insn_arm64.h"
#include "runtime/unwind/code_rows.h"
#include "runtime/unwind/machine.h"
#include "runtime/unwind/pack.h"
#include "runtime/unwind/rules.h"

enum { FP = 29, LINK = 30, SP = 31, UNIT = INSN_ARM64_BYTES, WORD = 8, FRAME_MAX = 1 << 20 };

enum {
	INFER_MAX = 200, /* instructions after code that is not reached, whose state tells its */
};

static const uint32_t NOP = 0xd503201f;

/* What is known at an instruction. Places are offsets from the CFA. */
struct state {
	int32_t sp, fp; /* CFA - sp, CFA - x29 */
	int32_t fp_place,
		link_place;  /* the words in which x29 and x30 are saved; 0: they are not */
	bool is_known;	     /* false: no state reaches the instruction */
	bool has_sp, has_fp; /* `sp`, `fp` are valid */
	bool is_fp_lost, is_link_lost; /* the caller's value is neither in the register nor saved */
	bool is_outermost;
};

/* Code after a call. */
struct pending {
	size_t at;
	struct state state;
};

struct decoder {
	const struct code_bytes *c;
	struct state *states; /* of each instruction that is reached */
	bool *is_start;	      /* a function starts there */
	size_t n;
	struct {
		VEC(size_t);
	} reached; /* to be followed */
	struct {
		VEC(struct pending);
	} after_calls;
	size_t n_after; /* of them, those that were followed */
};

static const struct state at_entry = {.is_known = true, .has_sp = true};

static const uint8_t *code_at(const struct decoder *d, size_t i)
{
	return d->c->bytes + i * UNIT;
}

static uint32_t word_at(const struct decoder *d, size_t i)
{
	uint32_t word;

	memcpy(&word, code_at(d, i), sizeof(word));
	return word;
}

static struct insn insn_at(const struct decoder *d, size_t i)
{
	struct insn insn = {.is_stop = true}; /* if it is invalid */

	(void)insn_arm64_decode(code_at(d, i), UNIT, &insn);
	return insn;
}

/* ---- states -------------------------------------------------------------------------------- */

/* Registers (a bit for each) were changed in a way that is not followed. */
static void lose(struct state *s, uint32_t numbers)
{
	if (numbers & 1u << FP) {
		s->has_fp = false;
		s->is_fp_lost |= !s->fp_place;
	}
	if (numbers & 1u << LINK)
		s->is_link_lost |= !s->link_place;
	if (numbers & 1u << SP)
		s->has_sp = false;
}

/* A register is stored to, or loaded from, the word at sp + offset. */
static void access_word(struct state *s, int8_t number, int32_t offset, bool is_load)
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

/* x29 or sp gets the sum of one of both and a number. */
static void add_number(struct state *s, int8_t to, int8_t from, int32_t number)
{
	bool has = (from == SP ? s->has_sp : s->has_fp) && (to == SP || s->fp_place);
	int32_t sum = (from == SP ? s->sp : s->fp) - number;

	lose(s, 1u << to);
	if (!has || sum < 0 || sum > FRAME_MAX)
		return;
	*(to == SP ? &s->sp : &s->fp) = sum;
	*(to == SP ? &s->has_sp : &s->has_fp) = true;
}

static bool is_frame(int8_t number)
{
	return number == SP || number == FP;
}

static void step(struct state *s, const uint8_t *code)
{
	struct insn_arm64_access a;
	struct insn_effect e;
	uint32_t followed = 0;

	if (insn_effect(EM_AARCH64, code, UNIT, &e))
		return;
	if (insn_arm64_access(code, UNIT, &a) && a.base == SP) {
		followed = 1u << SP;
		for (int i = 0; i < 2; i++) {
			if (a.regs[i] == INSN_NO_REG)
				continue;
			access_word(s, a.regs[i], a.offset + i * WORD, a.is_load);
			followed |= 1u << a.regs[i];
		}
		add_number(s, SP, SP, a.change);
	} else if (e.value == VALUE_ADDRESS && is_frame(e.reg) && is_frame(e.memory.base)) {
		add_number(s, e.reg, e.memory.base, (int32_t)e.memory.disp);
		followed = 1u << e.reg;
	}
	lose(s, e.writes & ~followed);
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

	if (s->is_known && s->is_outermost)
		return (struct unwind_rule){.cfa = UNWIND_END};
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
static size_t target_of(const struct decoder *d, size_t i, const struct insn *insn)
{
	int64_t to = (int64_t)i + insn->target / UNIT;

	return insn->target && to >= 0 && (uint64_t)to < d->n ? (size_t)to : SIZE_MAX;
}

/* Is the next instruction not executed after this one? So it is after b, br, ret, brk and an
 * invalid one. */
static bool is_end(uint32_t w, const struct insn *insn)
{
	return !insn_goes_on(insn) || (w & 0xffe0001f) == 0xd4200000 || w < 0x10000;
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
		struct insn insn = insn_at(d, i);
		size_t target = insn.is_call ? target_of(d, i, &insn) : SIZE_MAX;

		if (target != SIZE_MAX)
			d->is_start[target] = true;
	}
}

/* ---- following the code -------------------------------------------------------------------- */

/* ldp x1, x0, [sp], 16; blr x1: a thread starts, in musl's __clone(). */
static bool starts_thread(const struct decoder *d, size_t i)
{
	return i + 1 < d->n && word_at(d, i) == 0xa8c103e1 && word_at(d, i + 1) == 0xd63f0020;
}

static int reach(struct decoder *d, size_t i, const struct state *s)
{
	if (i >= d->n || d->states[i].is_known || !s->is_known)
		return 0;
	d->states[i] = *s;
	return vec_push(&d->reached, i);
}

/* To the next end or call. */
static int follow_from(struct decoder *d, size_t i)
{
	int err = 0;

	for (; i < d->n && !err; i++) {
		struct insn insn = insn_at(d, i);
		struct state s = d->states[i];

		step(&s, code_at(d, i));
		s.is_outermost |= starts_thread(d, i);
		if (insn.is_jump)
			err = reach(d, target_of(d, i, &insn), &s);
		if (err || is_end(word_at(d, i), &insn))
			break;
		if (insn.is_call)
			return vec_push(&d->after_calls, (struct pending){i + 1, s});
		if (i + 1 < d->n && d->states[i + 1].is_known)
			break;
		if (i + 1 < d->n)
			d->states[i + 1] = s;
	}
	return err;
}

static int follow_reached(struct decoder *d)
{
	int err = 0;

	while (d->reached.n && !err)
		err = follow_from(d, d->reached.items[--d->reached.n]);
	return err;
}

static int follow_calls(struct decoder *d)
{
	int err = follow_reached(d);

	while (d->n_after < d->after_calls.n && !err) {
		struct pending p = d->after_calls.items[d->n_after++];

		err = reach(d, p.at, &p.state);
		if (!err)
			err = follow_reached(d);
	}
	return err;
}

/* Starts of functions that have no name and that nothing calls. */
static int follow_prologues(struct decoder *d)
{
	int err = 0;

	for (size_t i = 1; i < d->n && !err; i++) {
		struct insn before = insn_at(d, i - 1);
		uint32_t word = word_at(d, i - 1);

		if (d->states[i].is_known || !is_prologue(word_at(d, i)) ||
		    !(is_end(word, &before) || before.is_call || word == NOP))
			continue;
		d->is_start[i] = true;
		err = reach(d, i, &at_entry);
		if (!err)
			err = follow_reached(d);
	}
	return err;
}

/* ---- code that is not reached -------------------------------------------------------------- */

/* Words from which x29 and x30 are loaded: offsets from the CFA that is assumed. */
struct loaded {
	bool fp, link;
	int32_t fp_place, link_place;
};

static void note_loads(struct loaded *l, const struct state *s, const uint8_t *code)
{
	struct insn_arm64_access a;

	if (!insn_arm64_access(code, UNIT, &a) || a.base != SP || !a.is_load)
		return;
	for (int i = 0; i < 2; i++) {
		int32_t place = a.offset + i * WORD - s->sp;

		if (a.regs[i] == FP && !l->fp)
			l->fp = true, l->fp_place = place;
		else if (a.regs[i] == LINK && !l->link)
			l->link = true, l->link_place = place;
	}
}

/* What is known at instruction i, or where it jumps to: at a return, the return address is in x30
 * and sp is the CFA. */
static struct state state_at(const struct decoder *d, size_t i, const struct insn *insn)
{
	size_t target = insn->is_jump ? target_of(d, i, insn) : SIZE_MAX;

	if (insn->is_return)
		return at_entry;
	if (d->states[i].is_known || target == SIZE_MAX || d->is_start[target])
		return d->states[i];
	return d->states[target];
}

/* The state at instruction i that what follows asks for; not known if that is not known either. */
static struct state state_before(const struct decoder *d, size_t i)
{
	struct state s = {.is_known = true, .has_sp = true, .sp = FRAME_MAX / 2}, end;
	struct loaded loaded = {0};
	size_t last = i + INFER_MAX < d->n ? i + INFER_MAX : d->n;

	for (size_t at = i; at < last && s.has_sp && (at == i || !d->is_start[at]); at++) {
		struct insn insn = insn_at(d, at);
		int32_t by;

		end = state_at(d, at, &insn);
		by = end.sp - s.sp;
		if (end.is_known && end.has_sp && FRAME_MAX / 2 + by >= 0) {
			end.sp = FRAME_MAX / 2 + by;
			if (loaded.link)
				end.link_place = loaded.link_place - by;
			if (loaded.fp)
				end.fp_place = loaded.fp_place - by;
			end.has_fp &= !loaded.fp;
			return end;
		}
		if (is_end(word_at(d, at), &insn))
			break;
		note_loads(&loaded, &s, code_at(d, at));
		step(&s, code_at(d, at));
	}
	return (struct state){0};
}

/* Cases of a switch have the state of its jump, if nothing that follows says another. */
static int follow_others(struct decoder *d)
{
	struct state at_switch = {0}, s;
	int err = 0;

	for (size_t i = 0; i < d->n && !err; i++) {
		if (d->is_start[i])
			at_switch = (struct state){0};
		if (!d->states[i].is_known && word_at(d, i) != NOP) {
			s = state_before(d, i);
			err = reach(d, i, s.is_known ? &s : &at_switch);
			if (!err)
				err = follow_calls(d);
		}
		if (d->states[i].is_known && insn_at(d, i).is_indirect)
			at_switch = d->states[i];
	}
	return err;
}

static int follow_all(struct decoder *d)
{
	int err = 0;

	find_starts(d);
	for (size_t i = 0; i < d->n && !err; i++)
		if (d->is_start[i])
			err = reach(d, i, &at_entry);
	if (!err)
		err = follow_reached(d);
	if (!err)
		err = follow_prologues(d);
	if (!err)
		err = follow_calls(d);
	return err ? err : follow_others(d);
}

/* mov x8, #139 (rt_sigreturn); svc #0: where signal handlers return to. */
static bool is_signal_return(const struct decoder *d, size_t i)
{
	return i + 1 < d->n && word_at(d, i) == 0xd2801168 && word_at(d, i + 1) == 0xd4000001;
}

/* The rule of a signal return also applies to the byte before it, since the return address of a
 * handler is looked up there, and to the byte after it, where the thread is in the call. */
static int pack_states(const struct decoder *d, struct unwind_rules *rules, struct pack *out)
{
	int err = 0;

	for (size_t i = 0; i < d->n && !err; i++) {
		uint64_t at = d->c->address + i * UNIT;
		struct unwind_rule rule = rule_of(&d->states[i]);
		int index;

		if (i && is_signal_return(d, i - 1))
			continue;
		if (is_signal_return(d, i)) {
			rule = unwind_machine_signal(d->c->machine, 0);
			at -= i != 0;
		} else if (i > 1 && is_signal_return(d, i - 2)) {
			at++;
		}
		index = unwind_rules_intern(rules, rule);
		err = index < 0 ? index : pack_row(out, at, (uint32_t)index);
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
		err = follow_all(&d);
	if (!err)
		err = pack_states(&d, rules, out);
	vec_free(&d.reached);
	vec_free(&d.after_calls);
	free(d.states);
	free(d.is_start);
	return err;
}
