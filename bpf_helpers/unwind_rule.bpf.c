/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * A step of a walk (unwind.bpf.c) by a rule whose CFA is a register or a word of the stack, plus an
 * offset.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

static INLINE int64_t fp_offset(const struct unwind_rule *rule)
{
	return (int64_t)rule->fp_offset * FP_UNIT;
}

/* Read the return address of a frame. Returns enum unwind_end. */
static INLINE uint32_t find_return(struct sonde_walk *w, struct sonde_trail *t,
				   const struct unwind_rule *rule, uint64_t cfa, uint64_t *ip)
{
	uint32_t extra = UNWIND_SAVED_EXTRA(AGAIN(rule->saved));
	uint64_t at = cfa - WORD(w);

	if (HAS_LINK && extra) {
		at = extra == UNWIND_EXTRA_AFTER_FP ? cfa + fp_offset(rule) + 8
						    : cfa + UNWIND_EXTRA_OFFSET(extra);
	} else if (HAS_LINK) {
		at = w->extra_at;
		*ip = w->link;
		if (at == EXTRA_IN_REGISTER)
			return is_new_thread(w) ? UNWIND_COMPLETE : UNWIND_GOES_ON;
		if (at == EXTRA_UNKNOWN)
			return UNWIND_NO_WAY;
	}
	return read_word(w, t, at, ip) ? UNWIND_GOES_ON : UNWIND_UNREADABLE;
}

/* Where the frame pointer leads to a frame, its sp is not known. If the rule says where in the
 * frame fp and the return address are saved, fp is the address of these two words. Returns 0 if it
 * does not. */
static INLINE uint32_t find_cfa(struct sonde_walk *w, const struct unwind_rule *rule, uint64_t *cfa)
{
	*cfa = w->fp - fp_offset(rule);
	return UNWIND_SAVED_FP(rule->saved) == UNWIND_FP_AT_CFA &&
	       UNWIND_SAVED_EXTRA(rule->saved) == UNWIND_EXTRA_AFTER_FP;
}

/* Is the CFA above the frame's sp, or equal to it in a function without a frame? */
static INLINE uint32_t is_valid(struct sonde_walk *w, const struct unwind_rule *rule, uint64_t cfa,
				uint32_t kind)
{
	if (cfa > w->sp)
		return 1;
	return cfa == w->sp &&
	       (HAS_LINK ? !UNWIND_SAVED_EXTRA(rule->saved) : kind == UNWIND_SP_RA_RDI);
}

/* Set the registers of the caller but its ip. */
static INLINE void enter_caller(struct sonde_walk *w, const struct unwind_rule *rule, uint64_t cfa,
				uint64_t fp)
{
	uint32_t extra = UNWIND_SAVED_EXTRA(AGAIN(rule->saved));
	uint32_t how = UNWIND_SAVED_FP(AGAIN(rule->saved));

	if (HAS_LINK || extra == UNWIND_EXTRA_UNKNOWN)
		w->extra_at = EXTRA_UNKNOWN;
	else if (extra)
		w->extra_at = cfa + UNWIND_EXTRA_OFFSET(extra);
	w->is_sp_least = 0;
	w->sp = cfa;
	w->fp = how == UNWIND_FP_UNKNOWN ? 0 : fp;
}

/* Go to the caller by a rule with such a CFA. */
static INLINE uint32_t leave_by_rule(struct sonde_walk *w, struct sonde_trail *t,
				     const struct unwind_rule *rule)
{
	uint64_t base = w->sp, cfa, ip, fp = w->fp, at = 0;
	uint32_t kind = rule->cfa & ~UNWIND_GUESS, how, end;
	int64_t offset = rule->cfa_offset;

	if (kind == UNWIND_FP || kind == UNWIND_FP_DEREF)
		base = w->fp;
	if (!HAS_LINK && kind == UNWIND_RBX && w->extra_at > EXTRA_IN_REGISTER) {
		at = w->extra_at;
	} else if (kind >= UNWIND_REGISTER) {
		if (w->n_frames != 1 &&
		    (HAS_LINK || kind != UNWIND_RBX || w->extra_at != EXTRA_IN_REGISTER))
			return UNWIND_NO_WAY;
		t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
		base = CUT_WORD(w, sonde_unwind_register(w, kind - UNWIND_REGISTER));
	}
	cfa = base + offset;
	if (kind == UNWIND_PLT)
		cfa = base + WORD(w) + ((w->ip & 15) >= (uint64_t)offset ? WORD(w) : 0);
	if (kind == UNWIND_FP_DEREF || kind == UNWIND_SP_DEREF) {
		at = base + (int64_t)UNWIND_DEREF_AT(offset);
		offset = UNWIND_DEREF_ADD(offset);
	}
	if (at) {
		if (!read_word(w, t, at, &cfa))
			return UNWIND_UNREADABLE;
		cfa += offset;
	}
	if (HAS_LINK && w->is_sp_least && kind == UNWIND_SP && !find_cfa(w, rule, &cfa))
		return UNWIND_NO_WAY;
	if (!is_valid(w, rule, cfa, kind))
		return UNWIND_BAD_FRAME;
	kind = AGAIN(rule->cfa) & ~UNWIND_GUESS;
	how = UNWIND_SAVED_FP(AGAIN(rule->saved));
	if (how == UNWIND_FP_AT_CFA || how == UNWIND_FP_AT_FP) {
		base = how == UNWIND_FP_AT_CFA ? cfa : w->fp;
		if (!read_word(w, t, base + fp_offset(rule), &fp))
			return UNWIND_UNREADABLE;
	}
	if (!HAS_LINK && kind == UNWIND_SP_RA_RDI) {
		if (w->n_frames != 1)
			return UNWIND_NO_WAY;
		t->n_slots = WALK_SLOTS + 1;
		ip = CUT_WORD(w, sonde_unwind_register(w, RETURN_REGISTER(w)));
	} else {
		end = find_return(w, t, rule, cfa, &ip);
		if (end)
			return end;
	}
	ip = CODE_ADDRESS(ip);
	if (rule->cfa & UNWIND_GUESS && !sonde_unwind_follows_call(w, ip))
		return UNWIND_NO_CALL;
	enter_caller(w, rule, cfa, fp);
	w->ip = ip;
	/* 0: the base of a fiber's stack, as its maker has set it up */
	return ip ? UNWIND_GOES_ON : UNWIND_COMPLETE;
}
