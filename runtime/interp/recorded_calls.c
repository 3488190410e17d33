/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of functions as programs see them: registers, and the arguments on the stack. A recording
 * has arguments and results by number; which registers they are in depends on the machine that
 * runs the programs, as these do.
 */
#include "runtime/interp/interp_impl.h"
#include "parser/base/regs.h"
#include "runtime/base/recorded_events.h"

enum { WORD = 8 };

void interp_set_cookie(struct interp *p, uint64_t cookie)
{
	p->cookie = cookie;
}

static void put_arguments(struct interp *p, const struct recorded_event *e)
{
	for (uint32_t i = 0; i + RECORDED_ARGUMENTS < e->n_values; i++) {
		struct regs_place place = regs_argument(USER_ABI_C, i);

		if (!place.is_on_stack)
			interp_put_word(p, place.offset, true, e->values[RECORDED_ARGUMENTS + i]);
	}
}

/* The return address at the entry of a call. Of one that a jump began, it is that of the kernel's
 * return probes. */
static uint64_t return_address(const struct interp *p)
{
	const struct recorded_event *e = p->event;
	uint64_t address = e->values[RECORDED_CALLER];

	return e->is_called ? address : interp_return_trampoline();
}

void interp_put_call(struct interp *p, enum interp_context kind)
{
	const struct recorded_event *e = p->event;
	bool is_return = kind == INTERP_RETURN || kind == INTERP_EXIT;

	if (!e->n_values)
		return;
	if (kind == INTERP_VALUES) {
		for (uint32_t i = RECORDED_ARGUMENTS; i < e->n_values; i++)
			interp_put_word(p, WORD * (i - RECORDED_ARGUMENTS), true, e->values[i]);
		return;
	}
	interp_put_word(p, regs.sp, true,
			e->values[RECORDED_SP] + (kind == INTERP_RETURN ? regs.sp_shift : 0));
	if (!is_return && regs.link >= 0)
		interp_put_word(p, (uint32_t)regs.link, true, return_address(p));
	if (!is_return)
		put_arguments(p, e);
	else if (e->n_values > RECORDED_RESULT)
		interp_put_word(p, regs.result, true, e->values[RECORDED_RESULT]);
}

/* The word of the stack that has the byte at `from`, and where. False: it is not known. */
static bool stack_word(const struct interp *p, uint64_t from, uint64_t *word, uint64_t *offset)
{
	const struct recorded_event *e = p->event;
	uint64_t sp = e->values[RECORDED_SP];

	for (uint32_t i = 0; i + RECORDED_ARGUMENTS < e->n_values; i++) {
		struct regs_place place = regs_argument(USER_ABI_C, i);

		*offset = from - (sp + place.offset);
		if (!place.is_on_stack || *offset >= WORD)
			continue;
		*word = e->values[RECORDED_ARGUMENTS + i];
		return true;
	}
	*offset = from - sp;
	*word = return_address(p);
	return *offset < WORD && regs.link < 0;
}

int interp_copy_stack(const struct interp *p, void *to, uint64_t from, uint64_t n)
{
	const struct recorded_event *e = p->event;
	uint64_t word, offset, done = 0;

	if (!e || !e->n_values || p->context_kind != INTERP_CALL)
		return -ENOENT;
	while (done < n && stack_word(p, from + done, &word, &offset)) {
		uint64_t part = n - done < WORD - offset ? n - done : WORD - offset;

		memcpy((uint8_t *)to + done, (const uint8_t *)&word + offset, part);
		done += part;
	}
	return done ? 0 : -ENOENT;
}
