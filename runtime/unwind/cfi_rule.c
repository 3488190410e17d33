/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the state of call frame information at an address to the rule of its row: see cfi.h.
 */
#include "runtime/unwind/cfi.h"

enum { SIGNAL_MOST = 4096 }; /* bytes from sp to the registers in a signal frame */

static bool is_at(struct cfi_register r, enum cfi_how how, int64_t value)
{
	return r.how == how && r.value == value;
}

/* Is the register the caller's, because it was not changed? That holds without instructions, too,
 * for those that the ABI says functions preserve. */
static bool is_same(struct cfi_register r, uint8_t number)
{
	return r.how == CFI_DEFAULT || r.how == CFI_SAME || is_at(r, CFI_REGISTER, number);
}

static bool set_fp_offset(const struct unwind_machine *m, struct unwind_rule *rule, int64_t offset)
{
	rule->fp_offset = (int16_t)(offset / m->fp_unit);
	return (int64_t)rule->fp_offset * m->fp_unit == offset;
}

static enum unwind_fp place_of_fp(const struct unwind_machine *m, struct unwind_rule *rule,
				  struct cfi_register fp)
{
	if (is_same(fp, m->fp))
		return UNWIND_FP_SAME;
	if ((fp.how == CFI_AT_CFA || fp.how == CFI_AT_FP) && set_fp_offset(m, rule, fp.value))
		return fp.how == CFI_AT_CFA ? UNWIND_FP_AT_CFA : UNWIND_FP_AT_FP;
	rule->fp_offset = 0;
	return UNWIND_FP_UNKNOWN;
}

static int place_of_extra(struct cfi_register extra, int64_t last)
{
	if (extra.how == CFI_DEFAULT || extra.how == CFI_SAME)
		return UNWIND_EXTRA_SAME;
	if (extra.how == CFI_AT_CFA && extra.value <= UNWIND_EXTRA_FIRST && extra.value >= last &&
	    extra.value % 8 == 0)
		return (int)UNWIND_EXTRA_AT(extra.value);
	return UNWIND_EXTRA_UNKNOWN;
}

/* The place of the return address that calls leave in a register: in the word after that of fp, if
 * possible, since there it can be far from the CFA. Where fp is not saved, fp_offset is free. */
static int place_of_link(const struct unwind_machine *m, struct unwind_rule *rule,
			 enum unwind_fp fp, struct cfi_register link)
{
	if (is_same(link, m->ip))
		return UNWIND_EXTRA_SAME;
	if (link.how != CFI_AT_CFA)
		return UNWIND_EXTRA_UNKNOWN;
	if (fp == UNWIND_FP_AT_CFA && link.value == (int64_t)rule->fp_offset * m->fp_unit + 8)
		return UNWIND_EXTRA_AFTER_FP;
	if (fp != UNWIND_FP_AT_CFA && fp != UNWIND_FP_AT_FP &&
	    set_fp_offset(m, rule, link.value - 8))
		return UNWIND_EXTRA_AFTER_FP;
	return place_of_extra(link, UNWIND_EXTRA_LAST + 8);
}

/* The kind of a CFA that is a register plus an offset. */
static uint8_t cfa_of_register(const struct unwind_machine *m, uint32_t number, bool is_vfork)
{
	if (number == m->sp)
		return is_vfork ? UNWIND_SP_RA_RDI : UNWIND_SP;
	if (is_vfork || number >= m->n_registers)
		return UNWIND_UNSUPPORTED;
	if (number == m->fp)
		return UNWIND_FP;
	return (uint8_t)(UNWIND_REGISTER + (m->rule_numbers ? m->rule_numbers[number] : number));
}

/* Set the kind of a CFA that is read from memory, and its two offsets. A word below sp is not
 * supported: a walk reads upwards. */
static void set_deref(const struct unwind_machine *m, struct unwind_rule *rule,
		      const struct cfi_state *s)
{
	if (s->offset != (int16_t)s->offset || s->add != (int16_t)s->add)
		return;
	if (s->number == m->fp)
		rule->cfa = UNWIND_FP_DEREF;
	else if (s->number == m->sp && s->offset >= 0)
		rule->cfa = UNWIND_SP_DEREF;
	rule->cfa_offset = UNWIND_DEREF(s->offset, s->add);
}

/* Is it a signal frame as the kernel makes it? Sets *at to the place of the registers, from sp. The
 * information says where they are, save on arm64. It is from sp; or from the CFA, which is the
 * start of the registers then (vDSO of i386, since 7.0). */
static bool is_signal_frame(const struct cfi_cie *cie, const struct cfi_state *s, int16_t *at)
{
	const struct unwind_machine *m = cie->machine;
	bool is_cfa = s->cfa == CFI_CFA_REGISTER;
	enum cfi_how how = is_cfa ? CFI_AT_CFA : CFI_AT_SP;
	int64_t start, sp;

	*at = 0;
	if (!cie->is_signal || m->has_link)
		return cie->is_signal;
	if (s->number != m->sp || s->offset < (is_cfa ? 0 : m->signal_sp) ||
	    s->offset > SIGNAL_MOST || (!is_cfa && (s->cfa != CFI_CFA_DEREF || s->add)))
		return false;
	*at = (int16_t)(is_cfa ? s->offset : s->offset - m->signal_sp);
	start = is_cfa ? 0 : *at;
	sp = start + m->signal_sp;
	return is_at(s->fp, how, start + m->signal_fp) && is_at(s->ip, how, sp + m->signal_ip) &&
	       (is_at(s->sp, how, sp) || (!is_cfa && s->sp.how == CFI_DEFAULT));
}

static void set_cfa_rule(const struct unwind_machine *m, struct unwind_rule *rule,
			 const struct cfi_state *s, bool is_vfork)
{
	rule->cfa_offset = (int32_t)s->offset;
	switch (s->cfa) {
	case CFI_CFA_REGISTER:
		if (s->offset == (int32_t)s->offset)
			rule->cfa = cfa_of_register(m, s->number, is_vfork);
		break;
	case CFI_CFA_DEREF: set_deref(m, rule, s); break;
	case CFI_CFA_PLT:
		if (!m->has_link)
			rule->cfa = UNWIND_PLT;
		break;
	case CFI_CFA_OTHER: break;
	}
}

/* Before _dl_runtime_resolve() of arm64, a PLT has pushed x16 and x30. glibc's CFA is below these
 * 16 bytes, but the caller's sp is above them. */
static struct cfi_state above_plt(struct cfi_state s)
{
	enum { PUSHED = 16 };

	if (!s.is_from_plt || s.cfa != CFI_CFA_REGISTER)
		return s;
	s.offset += PUSHED;
	s.ip.value -= s.ip.how == CFI_AT_CFA ? PUSHED : 0;
	s.fp.value -= s.fp.how == CFI_AT_CFA ? PUSHED : 0;
	return s;
}

struct unwind_rule cfi_rule(const struct cfi_cie *cie, const struct cfi_state *given)
{
	const struct unwind_rule unsupported = {.cfa = UNWIND_UNSUPPORTED};
	const struct unwind_machine *m = cie->machine;
	const struct cfi_state above = above_plt(*given), *s = &above;
	bool is_vfork = !m->has_link && is_at(s->ip, CFI_REGISTER, m->vfork);
	struct unwind_rule rule = {.cfa = UNWIND_UNSUPPORTED};
	enum unwind_fp fp;
	int16_t at;
	int extra;

	if (s->ip.how == CFI_UNDEFINED)
		return (struct unwind_rule){.cfa = UNWIND_END};
	if (is_signal_frame(cie, s, &at))
		return unwind_machine_signal(m, at);
	/* the caller's sp must be the CFA */
	if (s->sp.how != CFI_DEFAULT && !is_at(s->sp, CFI_IS_CFA, 0))
		return unsupported;
	if (!m->has_link && !is_at(s->ip, CFI_AT_CFA, -m->word) && !is_vfork)
		return unsupported;
	set_cfa_rule(m, &rule, s, is_vfork);
	if (rule.cfa == UNWIND_UNSUPPORTED || (is_vfork && rule.cfa != UNWIND_SP_RA_RDI))
		return unsupported;
	fp = place_of_fp(m, &rule, s->fp);
	extra = m->has_link			 ? place_of_link(m, &rule, fp, s->ip)
		: m->extra == UNWIND_NO_REGISTER ? UNWIND_EXTRA_UNKNOWN
						 : place_of_extra(s->extra, UNWIND_EXTRA_LAST);
	if (m->has_link && extra == UNWIND_EXTRA_UNKNOWN)
		return unsupported;
	rule.saved = UNWIND_SAVED(fp, extra);
	return rule;
}
