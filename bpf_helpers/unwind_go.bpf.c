/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Walks (unwind.bpf.c) from one of Go's stacks to another. A thread runs goroutines, each on a
 * stack of its own, and parts of the runtime and C on its system stack. Functions that call
 * something on the other stack save rbp before, but up to Go 1.20 two of them do not. This file
 * reads what they save instead. On arm64 all of them save x29, but these two set it anew.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

/* Offsets in structs of Go's runtime, for all versions that need them. */
enum {
	GO_STACK_END = 8, /* in g: stack.hi */
	GO_THREAD = 48,	  /* m */
	GO_SP = 56,	  /* sched.sp */
	GO_BP = 104,	  /* sched.bp */
	/* in the frame of asmcgocall, from sp */
	GO_C_GOROUTINE = HAS_LINK ? 0 : 48,
	GO_C_DEPTH = HAS_LINK ? 8 : 40,
	GO_REGISTER = 28, /* arm64: the goroutine */
};

/* Read the word at an address to w->look. sonde_unwind_read() cannot be used: with three loops
 * around it, a walk has only four of the eight frames of a program left. */
GLOBAL uint32_t sonde_unwind_follow(struct sonde_walk *w, uint64_t address)
{
	uint64_t at;

	if (!w)
		return 0;
	if (!w->other)
		return !bpf_probe_read_user(&w->look, sizeof(w->look), (void *)address);
	at = address - w->window_at;
	if (at + 8 > w->window_bytes || at > WALK_WINDOW || at & 7) {
		if (!take_given(w, address))
			return 0;
		at = 0;
	}
	at >>= 3;
	OPAQUE(at);
	w->look = w->window[at & (WALK_WINDOW / 8 - 1)];
	return 1;
}

/* asmcgocall() saves the goroutine and the distance of sp from the end of its stack; if it was
 * called on the system stack, it saves 0 and sp. Sets w->look to the address of its return
 * address. */
static INLINE uint32_t find_go_c(struct sonde_walk *w)
{
	uint64_t goroutine;

	if (!sonde_unwind_follow(w, w->sp + GO_C_GOROUTINE))
		return 0;
	goroutine = w->look;
	if (goroutine && !sonde_unwind_follow(w, goroutine + GO_STACK_END))
		return 0;
	goroutine = goroutine ? w->look : 0;
	if (!sonde_unwind_follow(w, w->sp + GO_C_DEPTH))
		return 0;
	if (goroutine)
		w->look = goroutine - w->look;
	return 1;
}

#ifdef SONDE_TARGET_x86

/* systemstack() saves rsp and rbp in the goroutine; the goroutine of the system stack leads to it.
 * Sets w->look to the address of its return address. Returns enum unwind_end. */
static INLINE_CORE uint32_t find_go_system(struct sonde_walk *w, int64_t offset, uint64_t *bp)
{
	struct task_struct___unwind *task = (void *)(w->other ?: w->task);
	uint64_t goroutine;

	w->look = BPF_CORE_READ(task, thread.fsbase);
	if (!sonde_unwind_follow(w, w->look + (int64_t)UNWIND_GO_TLS(offset)) ||
	    !sonde_unwind_follow(w, w->look + GO_THREAD) ||
	    !sonde_unwind_follow(w, w->look + (int64_t)UNWIND_GO_CURG(offset)))
		return UNWIND_UNREADABLE;
	goroutine = w->look;
	if (!sonde_unwind_follow(w, goroutine + GO_BP))
		return UNWIND_UNREADABLE;
	if (w->fp && w->look != w->fp) /* the caller was not that goroutine */
		return UNWIND_BAD_FRAME;
	*bp = w->look;
	return sonde_unwind_follow(w, goroutine + GO_SP) ? UNWIND_GOES_ON : UNWIND_UNREADABLE;
}

static INLINE uint32_t leave_run(struct sonde_walk *w, const struct unwind_rule *rule);

GLOBAL uint32_t sonde_unwind_switch(struct sonde_walk *w, struct sonde_trail *t,
				    const struct unwind_rule *rule)
{
	uint64_t at, bp, end = UNWIND_GOES_ON;
	uint32_t kind;

	if (!w || !t || !rule)
		return UNWIND_BAD_FRAME;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
	kind = rule->cfa;
	if (kind < UNWIND_SWITCH_FP)
		return leave_run(w, rule);
	bp = w->fp;
	w->look = bp + 8;
	if (kind == UNWIND_SWITCH_FP) {
		if (!bp || bp & 7)
			return UNWIND_BAD_FRAME;
	} else if (kind == UNWIND_GO_C) {
		end = find_go_c(w) ? UNWIND_GOES_ON : UNWIND_UNREADABLE;
	} else {
		end = find_go_system(w, rule->cfa_offset, &bp);
	}
	if (end)
		return end;
	at = w->look;
	if (kind == UNWIND_SWITCH_FP) {
		if (!sonde_unwind_follow(w, w->fp))
			return UNWIND_UNREADABLE;
		bp = w->look;
	}
	if (!sonde_unwind_follow(w, at))
		return UNWIND_UNREADABLE;
	w->ip = w->look;
	w->sp = at + 8;
	w->fp = bp;
	w->extra_at = EXTRA_UNKNOWN;
	w->by_fp = 1;
	return UNWIND_GOES_ON;
}

#else

/* systemstack() saves sp and x29 in the goroutine. That of the system stack, which Go keeps in x28,
 * leads to it. Sets w->look to the address of its return address. */
static INLINE uint32_t find_go_system(struct sonde_walk *w, int64_t offset)
{
	uint64_t system = sonde_unwind_register(w, GO_REGISTER), thread, goroutine, fp;

	if (!sonde_unwind_follow(w, system + GO_THREAD))
		return UNWIND_UNREADABLE;
	thread = w->look;
	if (!sonde_unwind_follow(w, thread)) /* its system goroutine */
		return UNWIND_UNREADABLE;
	if (w->look != system)
		return UNWIND_BAD_FRAME;
	if (!sonde_unwind_follow(w, thread + (int64_t)UNWIND_GO_CURG(offset)))
		return UNWIND_UNREADABLE;
	goroutine = w->look;
	if (!sonde_unwind_follow(w, goroutine + GO_BP))
		return UNWIND_UNREADABLE;
	fp = w->look;
	if (!sonde_unwind_follow(w, goroutine + GO_SP))
		return UNWIND_UNREADABLE;
	return w->look == fp + 8 ? UNWIND_GOES_ON : UNWIND_BAD_FRAME;
}

GLOBAL uint32_t sonde_unwind_switch(struct sonde_walk *w, struct sonde_trail *t,
				    const struct unwind_rule *rule)
{
	uint64_t at, ip, end = UNWIND_GOES_ON;
	uint32_t kind;

	if (!w || !t || !rule)
		return UNWIND_BAD_FRAME;
	kind = rule->cfa;
	if (kind < UNWIND_SWITCH_FP)
		return UNWIND_NO_WAY;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
	w->look = w->fp + 8;
	if (kind == UNWIND_SWITCH_FP)
		end = !w->fp || w->fp & 7 ? UNWIND_BAD_FRAME : UNWIND_GOES_ON;
	else if (kind == UNWIND_GO_SYSTEM)
		end = find_go_system(w, rule->cfa_offset);
	else if (w->is_sp_least)
		end = UNWIND_NO_WAY;
	else if (!find_go_c(w))
		end = UNWIND_UNREADABLE;
	if (end)
		return end;
	at = w->look;
	if (!sonde_unwind_follow(w, at))
		return UNWIND_UNREADABLE;
	ip = w->look;
	if (!sonde_unwind_follow(w, at - 8))
		return UNWIND_UNREADABLE;
	w->ip = CODE_ADDRESS(ip);
	w->fp = w->look;
	w->sp = at + (int64_t)UNWIND_GO_TLS(rule->cfa_offset);
	w->is_sp_least = 0;
	w->extra_at = EXTRA_UNKNOWN;
	w->by_fp = 1;
	return UNWIND_GOES_ON;
}

#endif
