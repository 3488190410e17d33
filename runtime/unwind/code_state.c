/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the stack pointer through instructions: see code_state.h. Words of the stack are followed
 * only as far as rules need them: those that hold the caller's rbp and rbx, and, once the stack is
 * realigned, one that holds an address near the CFA.
 */
#include "runtime/unwind/code_state.h"

/* The numbers that the registers have in rules. */
static const uint8_t dwarf_number[INSN_X86_REGS] = {0, 2, 1,  3,  7,  6,  4,  5,
						    8, 9, 10, 11, 12, 13, 14, 15};

struct code_state code_state_at_entry(uint8_t word)
{
	return (struct code_state){.word = word,
				   .reg[INSN_RSP] = {PLACE_CFA, -word},
				   .has_rbp = true,
				   .has_rbx = true};
}

static struct code_place plus(struct code_place p, int64_t n)
{
	int64_t sum = p.offset + n;

	if (n != (int32_t)n || sum != (int32_t)sum)
		p.of = PLACE_UNKNOWN;
	p.offset = (int32_t)sum;
	return p;
}

static bool is_same(struct code_place a, struct code_place b)
{
	return a.of == b.of && a.of != PLACE_UNKNOWN && a.offset == b.offset;
}

static void forget_base(struct code_place *p)
{
	if (p->of == PLACE_BASE)
		p->of = PLACE_UNKNOWN;
}

/* A register has a new value. If that of rsp is not known, it is the new base. */
static void assign(struct code_state *s, int reg, struct code_place value)
{
	s->reg[reg] = value;
	if (reg == INSN_RBP)
		s->has_rbp = false;
	if (reg == INSN_RBX)
		s->has_rbx = false;
	if (reg != INSN_RSP || value.of != PLACE_UNKNOWN)
		return;
	for (int i = 0; i < INSN_X86_REGS; i++)
		forget_base(&s->reg[i]);
	forget_base(&s->rbp_at);
	forget_base(&s->rbx_at);
	forget_base(&s->cfa_at);
	s->reg[INSN_RSP] = (struct code_place){PLACE_BASE, 0};
}

static void store(struct code_state *s, struct code_place at, int reg)
{
	if (at.of == PLACE_UNKNOWN)
		return;
	if (reg == INSN_RBP && s->has_rbp && s->rbp_at.of == PLACE_UNKNOWN)
		s->rbp_at = at;
	if (reg == INSN_RBX && s->has_rbx && s->rbx_at.of == PLACE_UNKNOWN)
		s->rbx_at = at;
	if (at.of == PLACE_BASE && s->reg[reg].of == PLACE_CFA) {
		s->cfa_at = at;
		s->cfa_value = s->reg[reg].offset;
	}
}

static void load(struct code_state *s, int reg, struct code_place at)
{
	bool is_rbp = reg == INSN_RBP && is_same(at, s->rbp_at);
	bool is_rbx = reg == INSN_RBX && is_same(at, s->rbx_at);
	struct code_place value = {PLACE_UNKNOWN, 0};

	if (is_same(at, s->cfa_at))
		value = (struct code_place){PLACE_CFA, s->cfa_value};
	assign(s, reg, value);
	if (is_rbp) {
		s->has_rbp = true;
		s->rbp_at.of = PLACE_UNKNOWN;
	}
	if (is_rbx) {
		s->has_rbx = true;
		s->rbx_at.of = PLACE_UNKNOWN;
	}
}

static void pop(struct code_state *s, int reg)
{
	struct code_place at = s->reg[INSN_RSP];

	s->reg[INSN_RSP] = plus(at, s->word);
	if (reg != INSN_NO_REG)
		load(s, reg, at);
}

void code_state_step(struct code_state *s, const struct insn_stack *i)
{
	switch ((enum insn_stack_kind)i->kind) {
	case STACK_PUSH:
		s->reg[INSN_RSP] = plus(s->reg[INSN_RSP], -s->word);
		if (i->from != INSN_NO_REG)
			store(s, s->reg[INSN_RSP], i->from);
		return;
	case STACK_POP: pop(s, i->reg); return;
	case STACK_SUM: assign(s, i->reg, plus(s->reg[i->from], i->value)); return;
	case STACK_LOAD: load(s, i->reg, plus(s->reg[i->from], i->value)); return;
	case STACK_STORE: store(s, plus(s->reg[i->reg], i->value), i->from); return;
	case STACK_LEAVE:
		assign(s, INSN_RSP, s->reg[INSN_RBP]);
		pop(s, INSN_RBP);
		return;
	case STACK_OTHER: break;
	}
	for (int reg = 0; reg < INSN_X86_REGS; reg++)
		if (i->writes >> reg & 1)
			assign(s, reg, (struct code_place){PLACE_UNKNOWN, 0});
}

/* ---- rules --------------------------------------------------------------------------------- */

/* Set the CFA to the word at register + offset, which is relative to the base as the register is.
 * Returns false if the rule cannot say that. */
static bool set_deref(struct unwind_rule *r, const struct code_state *s, int reg, uint8_t kind)
{
	int64_t at = (int64_t)s->cfa_at.offset - s->reg[reg].offset;

	if (s->cfa_at.of != PLACE_BASE || s->reg[reg].of != PLACE_BASE || at != (int16_t)at ||
	    s->cfa_value == INT32_MIN || -s->cfa_value != (int16_t)-s->cfa_value ||
	    (reg == INSN_RSP && at < 0))
		return false;
	r->cfa = kind;
	r->cfa_offset = UNWIND_DEREF(at, -s->cfa_value);
	return true;
}

/* Set the CFA to a register plus an offset, if the register holds an address near the CFA. */
static bool set_register(struct unwind_rule *r, const struct code_state *s, int reg)
{
	int32_t offset = s->reg[reg].offset;

	if (s->reg[reg].of != PLACE_CFA || offset == INT32_MIN ||
	    (reg == INSN_RSP && offset > -s->word))
		return false;
	r->cfa = reg == INSN_RSP   ? UNWIND_SP
		 : reg == INSN_RBP ? UNWIND_FP
				   : (uint8_t)(UNWIND_REGISTER + dwarf_number[reg]);
	r->cfa_offset = -offset;
	return true;
}

static bool set_cfa(struct unwind_rule *r, const struct code_state *s)
{
	/* the frame pointer first, if rbp is one: it is more certain than rsp */
	if (is_same(s->reg[INSN_RBP], s->rbp_at) && set_register(r, s, INSN_RBP))
		return true;
	if (set_register(r, s, INSN_RSP) || set_register(r, s, INSN_RBP) ||
	    set_deref(r, s, INSN_RBP, UNWIND_FP_DEREF) ||
	    set_deref(r, s, INSN_RSP, UNWIND_SP_DEREF) || set_register(r, s, INSN_RBX))
		return true;
	for (int reg = 0; reg < INSN_X86_REGS; reg++)
		if (set_register(r, s, reg))
			return true;
	return false;
}

static enum unwind_fp set_rbp(struct unwind_rule *r, const struct code_state *s)
{
	int64_t offset = s->rbp_at.offset;
	bool is_base = s->rbp_at.of == PLACE_BASE;

	if (s->rbp_at.of == PLACE_UNKNOWN)
		return s->has_rbp ? UNWIND_FP_SAME : UNWIND_FP_UNKNOWN;
	if (is_base)
		offset -= s->reg[INSN_RBP].offset;
	if (offset != (int16_t)offset || (is_base && s->reg[INSN_RBP].of != PLACE_BASE))
		return s->has_rbp ? UNWIND_FP_SAME : UNWIND_FP_UNKNOWN;
	r->fp_offset = (int16_t)offset;
	return is_base ? UNWIND_FP_AT_FP : UNWIND_FP_AT_CFA;
}

static int place_of_rbx(const struct code_state *s)
{
	int32_t offset = s->rbx_at.offset;

	if (s->word != 8) /* rules have multiples of 8 only */
		return UNWIND_EXTRA_UNKNOWN;
	if (s->rbx_at.of == PLACE_CFA && offset <= UNWIND_EXTRA_FIRST &&
	    offset >= UNWIND_EXTRA_LAST && offset % 8 == 0)
		return UNWIND_EXTRA_AT(offset);
	return s->has_rbx ? UNWIND_EXTRA_SAME : UNWIND_EXTRA_UNKNOWN;
}

struct unwind_rule code_state_rule(const struct code_state *s)
{
	struct unwind_rule r = {0};

	if (s->is_outermost)
		return (struct unwind_rule){.cfa = UNWIND_END};
	if (!set_cfa(&r, s))
		return (struct unwind_rule){.cfa = UNWIND_NO_RULE};
	r.cfa |= UNWIND_GUESS;
	r.saved = UNWIND_SAVED(set_rbp(&r, s), place_of_rbx(s));
	return r;
}

/* ---- backwards ----------------------------------------------------------------------------- */

struct code_back code_back_begin(uint8_t word)
{
	return (struct code_back){.state = {.word = word, .reg[INSN_RSP] = {PLACE_BASE, 0}}};
}

/* The stack pointer becomes rbp + offset, which is the base from now on. */
static bool rebase(struct code_back *b, int64_t offset)
{
	if (b->is_rbp || b->is_rbp_changed)
		return false;
	assign(&b->state, INSN_RSP, (struct code_place){PLACE_UNKNOWN, 0});
	b->state.reg[INSN_RSP] = plus(b->state.reg[INSN_RSP], offset);
	b->rbp_from.of = b->rbx_from.of = PLACE_UNKNOWN;
	b->is_rbp = true;
	return true;
}

bool code_back_step(struct code_back *b, const struct insn_stack *i)
{
	struct code_state *s = &b->state;
	struct code_place from = {PLACE_UNKNOWN, 0};
	bool is_leave = i->kind == STACK_LEAVE;

	if (is_leave || (i->kind == STACK_SUM && i->reg == INSN_RSP && i->from == INSN_RBP)) {
		if (!rebase(b, i->value))
			return false;
		if (is_leave)
			b->rbp_from = s->reg[INSN_RSP];
		s->reg[INSN_RSP] = plus(s->reg[INSN_RSP], is_leave ? s->word : 0);
		b->is_rbp_changed |= is_leave;
		return true;
	}
	if (i->kind == STACK_POP)
		from = s->reg[INSN_RSP];
	else if (i->kind == STACK_LOAD)
		from = plus(s->reg[i->from], i->value);
	if (from.of != PLACE_UNKNOWN && i->reg == INSN_RBP)
		b->rbp_from = from;
	if (from.of != PLACE_UNKNOWN && i->reg == INSN_RBX)
		b->rbx_from = from;
	if (i->kind == STACK_OTHER ? i->writes >> INSN_RBP & 1
				   : i->reg == INSN_RBP && i->kind != STACK_STORE)
		b->is_rbp_changed = true;
	if (i->kind == STACK_OTHER
		    ? i->writes >> INSN_RSP & 1
		    : i->reg == INSN_RSP && i->kind != STACK_STORE && i->from != INSN_RSP)
		return false;
	code_state_step(s, i);
	return s->reg[INSN_RSP].of == PLACE_BASE;
}

/* The state at the beginning, if the CFA is the base + `cfa`. */
static bool state_of(const struct code_back *b, int64_t cfa, struct code_state *out)
{
	int reg = b->is_rbp ? INSN_RBP : INSN_RSP;
	int64_t word = b->state.word;

	if (cfa < word || cfa != (int32_t)cfa || cfa % word)
		return false;
	*out = code_state_at_entry(b->state.word);
	if (cfa == word && !b->is_rbp)
		return true; /* nothing is on the stack yet, or any more */
	out->reg[INSN_RSP].of = PLACE_BASE;
	out->reg[reg] = (struct code_place){PLACE_CFA, (int32_t)-cfa};
	if (b->rbp_from.of != PLACE_UNKNOWN)
		out->rbp_at = plus((struct code_place){PLACE_CFA, b->rbp_from.offset}, -cfa);
	if (b->rbx_from.of != PLACE_UNKNOWN)
		out->rbx_at = plus((struct code_place){PLACE_CFA, b->rbx_from.offset}, -cfa);
	return true;
}

bool code_back_from_return(const struct code_back *b, struct code_state *out)
{
	return state_of(b, (int64_t)b->state.reg[INSN_RSP].offset + b->state.word, out);
}

bool code_back_from_rule(const struct code_back *b, const struct unwind_rule *rule,
			 struct code_state *out)
{
	enum unwind_cfa cfa = rule->cfa & ~UNWIND_GUESS;
	int rbx = UNWIND_SAVED_EXTRA(rule->saved);
	bool is_found = false;

	if (cfa == UNWIND_SP)
		is_found =
			state_of(b, (int64_t)b->state.reg[INSN_RSP].offset + rule->cfa_offset, out);
	if (cfa == UNWIND_FP && !b->is_rbp && !b->is_rbp_changed) {
		is_found = state_of(b, b->state.word, out);
		out->reg[INSN_RSP] = (struct code_place){PLACE_BASE, 0};
		out->reg[INSN_RBP] = (struct code_place){PLACE_CFA, -rule->cfa_offset};
	}
	if (!is_found || out->reg[INSN_RSP].offset == -b->state.word)
		return is_found;
	if (out->rbp_at.of == PLACE_UNKNOWN && UNWIND_SAVED_FP(rule->saved) == UNWIND_FP_AT_CFA)
		out->rbp_at = (struct code_place){PLACE_CFA, rule->fp_offset};
	if (out->rbx_at.of == PLACE_UNKNOWN && rbx > UNWIND_EXTRA_UNKNOWN)
		out->rbx_at = (struct code_place){PLACE_CFA, (int32_t)UNWIND_EXTRA_OFFSET(rbx)};
	return true;
}
