/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Spans: the state of a thread, in task storage, which scripts do not see. For calls the state is a
 * stack of the open calls.
 */
#include "bpf_helpers/helpers.h"

enum { TASK_IS_DEAD = 0x80 };

/* Does a thread that is switched out start a span? Not the idle task, nor a dying thread, which
 * does not come back. */
INLINE_CORE uint32_t sonde_span_begins(struct task_struct *t)
{
	return t->pid != 0 && !(t->__state & TASK_IS_DEAD);
}

/* The idle task has no spans. */
INLINE_CORE uint32_t sonde_span_ends(struct task_struct *t)
{
	return t->pid != 0;
}

INLINE void *sonde_span_open(void *map, struct task_struct *t, uint32_t probe)
{
	void *state = bpf_task_storage_get(map, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (unlikely(!state))
		sonde_loss_count(probe, SONDE_LOSS_TASK_STORAGE);
	return state;
}

INLINE void *sonde_span_find(void *map, struct task_struct *t)
{
	return bpf_task_storage_get(map, t, 0, 0);
}

/* A thread leaves the CPU. If it has a start, the switch by which it came back was not seen. A
 * start that is marked (open.bpf.c) says nothing: the thread may have come back meanwhile. */
INLINE void sonde_span_leaves(const uint64_t *state, uint32_t probe)
{
	if (unlikely((int64_t)*state > 0))
		sonde_loss_count(probe, SONDE_LOSS_SPAN_END);
}

/* Take the start of a thread's time on CPU out of its state. Returns 0 if the switch was not seen:
 * some kernels do not report all of them. */
INLINE uint64_t sonde_span_take(uint64_t *state, uint32_t probe)
{
	uint64_t start = *state;

	*state = 0;
	if (unlikely(!start))
		sonde_loss_count(probe, SONDE_LOSS_SPAN_START);
	return start;
}

/* The element of the per-CPU array with the state of interval and profile probes. */
INLINE void *sonde_span_cpu(void *map)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(map, &zero);
}

/* ---- open calls -------------------------------------------------------------------------- */

/*
 * The open calls of a thread: their number, then slots (parser/plan/plan_span.c) of one `shape`,
 * innermost last. A call is identified by the stack pointer at its entry, which no other open call
 * of that function has: inner calls have lower stack pointers. A function that ends in a tail call
 * shares its stack pointer with the function it jumps to; their return probes fire innermost first,
 * and probes on the jump itself fire before the other function's entry.
 */
struct calls {
	uint64_t n;
	uint64_t exec; /* how often the thread has executed a program */
};

struct slot {
	uint64_t start, sp, target;
};

#define NO_TARGET (~0ull) /* matches no slot */

/* Calls of a program end when the thread executes another one. */
INLINE_CORE void sonde_span_same_program(struct calls *c, struct task_struct *t)
{
	uint64_t exec = (uint32_t)t->self_exec_id;

	if (unlikely(c->exec != exec)) {
		c->exec = exec;
		c->n = 0;
	}
}

/* The address of a program's context as a number. The verifier does not allow arithmetic on the
 * pointer itself. */
INLINE uint64_t sonde_span_context(void *ctx)
{
	uint64_t place = 0;

	bpf_probe_read_kernel(&place, sizeof(place), &ctx);
	return place;
}

static INLINE struct slot *slot_at(struct calls *c, uint64_t i, uint32_t shape)
{
	return (void *)((char *)(c + 1) + sonde_slot_offset(i, shape));
}

/* The loops below compute their exit condition by arithmetic: with several branches in an iteration
 * the verifier would follow every combination, and 6.12 gives up. is_set(x) is 1 if x is not 0; the
 * compiler must not see how it is computed. */
static INLINE uint64_t is_set(uint64_t x)
{
	uint64_t minus = -x;

	barrier_var(minus);
	return (x | minus) >> 63;
}

/* x < y; both must be in the same half of the address space. */
static INLINE uint64_t is_below(uint64_t x, uint64_t y)
{
	return (x - y) >> 63;
}

static INLINE uint64_t is_call(const struct slot *s, uint64_t sp, uint64_t target)
{
	return is_set((s->sp ^ sp) | (s->target ^ target)) ^ 1;
}

/* Is a call on the stack of `sp`? Interrupts run on another stack; `mask` selects the address bits
 * that tell stacks apart. */
static INLINE uint64_t same_stack(const struct slot *s, uint64_t sp, uint64_t mask)
{
	return is_set((s->sp ^ sp) & mask) ^ 1;
}

/* Count calls that were left by longjmp, or whose return was not seen because the kernel had no
 * return probe left. */
INLINE void sonde_span_missed(uint64_t n, uint32_t probe)
{
	if (n)
		sonde_loss_add(probe, SONDE_LOSS_SPAN_RETURN, n);
}

/* The same for the `n` calls from number `first` on, each for its own attach point: the number of
 * that among those from probe `owner` on is in the slot's target, from `bit` on. */
INLINE void sonde_span_missed_own(struct calls *c, uint64_t first, uint64_t n, uint32_t shape,
				  uint32_t bit, uint32_t owner)
{
	for (uint32_t i = 0; i < sonde_slots(shape) && i < n; i++)
		sonde_loss_add(owner + (uint32_t)(slot_at(c, first + i, shape)->target >> bit),
			       SONDE_LOSS_SPAN_RETURN, 1);
}

INLINE void *sonde_span_call(struct calls *c, uint64_t i, uint32_t shape)
{
	return slot_at(c, i, shape);
}

/* Drop calls on the stack of `sp` that are below `bound`, and calls of `target` at `sp`. Returns
 * how many of `n` remain. */
static INLINE uint64_t drop(struct calls *c, uint64_t n, uint64_t bound, uint64_t sp,
			    uint64_t target, uint32_t shape, uint64_t mask)
{
	for (uint32_t i = 0; i < sonde_slots(shape); i++) {
		const struct slot *s = slot_at(c, n - 1, shape);
		uint64_t is_left = is_below(s->sp, bound) | is_call(s, sp, target);
		uint64_t go = is_set(n) & same_stack(s, sp, mask) & is_left;

		barrier_var(go);
		if (!go)
			break;
		n--;
	}
	return n;
}

/*
 * Of the open calls, how many remain when a function is entered at `sp`: those that cannot be open
 * any more are dropped. sonde_span_push() then adds the new one; until then the slots of those that
 * are dropped are as they were.
 */

/* Add a slot above the `n` that remain. NULL if there are too many, which is a loss unless the
 * script limits the depth. */
INLINE void *sonde_span_push(struct calls *c, uint64_t n, uint64_t sp, uint64_t target,
			     uint32_t shape, uint32_t limit, uint32_t probe)
{
	struct slot *slot;

	if (n >= limit) { /* so nothing was dropped: n is c->n */
		if (limit == sonde_slots(shape))
			sonde_loss_count(probe, SONDE_LOSS_SPAN_DEEP);
		return 0;
	}
	c->n = n + 1;
	slot = slot_at(c, n, shape);
	slot->sp = sp;
	slot->target = target;
	return slot;
}

/* A function with a program of its own, or of the kernel: at `sp` only it can have been called. */
INLINE uint64_t sonde_span_remain(struct calls *c, uint64_t sp, uint64_t target, uint32_t shape,
				  uint64_t mask)
{
	return drop(c, c->n, sp, sp, target, shape, mask);
}

/* Functions whose open calls never share a stack pointer: a call ends before the jump by which it
 * is left. */
INLINE uint64_t sonde_span_remain_called(struct calls *c, uint64_t sp, uint32_t shape)
{
	return drop(c, c->n, sp + 1, sp, NO_TARGET, shape, 0);
}

/* A function that can pass its entry again, in a loop. Then its call goes on, and the result is
 * NO_TARGET. Such functions call nothing, so no exception leaves them. */
INLINE uint64_t sonde_span_remain_loop(struct calls *c, uint64_t sp, uint64_t target,
				       uint32_t shape, uint64_t is_loop)
{
	uint64_t n = drop(c, c->n, sp, sp, NO_TARGET, shape, 0);

	if (is_loop && is_set(n) & is_call(slot_at(c, n - 1, shape), sp, target))
		return NO_TARGET;
	return drop(c, n, sp + 1, sp, NO_TARGET, shape, 0);
}

/* The address to which the kernel's return probes make this process return. */
static INLINE_CORE uint64_t return_trampoline(void)
{
	struct mm_struct *mm = 0;
	struct xol_area *area = 0;
	uint64_t address = 0;

	if (!bpf_core_field_exists(area->vaddr))
		return 0;
	bpf_probe_read_kernel(&mm, sizeof(mm), &bpf_get_current_task_btf()->mm);
	bpf_probe_read_kernel(&area, sizeof(area), &mm->uprobes_state.xol_area);
	bpf_probe_read_kernel(&address, sizeof(address), &area->vaddr);
	return address;
}

/* Was the function entered at `sp` by a call instruction? Then its return address is in the caller.
 * After a tail call from a function with a return probe, the return address is the kernel's
 * trampoline. Returns 0 also if this cannot be determined. On arm64 the return address is in a
 * register, `link`. */
static INLINE_CORE uint64_t is_called(uint64_t sp, uint64_t link)
{
	uint64_t trampoline = return_trampoline();

	if (!trampoline)
		return 0;
#ifdef SONDE_TARGET_x86
	if (bpf_probe_read_user(&link, sizeof(link), (const void *)sp))
		return 0;
#endif
	return link != trampoline;
}

/* User-space functions with return probes, which may end in tail calls to other such functions. The
 * two then share a stack pointer, and so do a call that was left some other way and the next call
 * from the same place. */
INLINE_CORE uint64_t sonde_span_remain_user(struct calls *c, uint64_t sp, uint32_t shape,
					    uint64_t link)
{
	uint64_t n = drop(c, c->n, sp, sp, NO_TARGET, shape, 0);

	if (unlikely(is_set(n) & (is_set(slot_at(c, n - 1, shape)->sp ^ sp) ^ 1)) &&
	    is_called(sp, link))
		n = drop(c, n, sp + 1, sp, NO_TARGET, shape, 0);
	return n;
}

/* The length of a call that has just been removed, without what is `inside`, the member at offset
 * `at` of its slot. The whole length counts as nested time of the call around it. */
INLINE uint64_t sonde_span_self(struct calls *c, uint64_t *inside, uint64_t length, uint32_t shape,
				uint32_t at)
{
	/* what is subtracted from the calls inside may be too little, and from this one too much */
	uint64_t self = length > *inside ? length - *inside : 0;

	if (c->n)
		*(uint64_t *)((char *)slot_at(c, c->n - 1, shape) + at) += length;
	return self;
}

/* Remove and return the slot of the call that returns now, or NULL if its entry was not seen. The
 * calls above it were left without a return; their slots are as they were. */
INLINE void *sonde_span_pop(struct calls *c, uint64_t sp, uint64_t target, uint32_t shape,
			    uint64_t mask)
{
	uint64_t n = c->n;
	struct slot *slot;

	for (uint32_t i = 0; i < sonde_slots(shape); i++) {
		const struct slot *s = slot_at(c, n - 1, shape);
		uint64_t is_outer = same_stack(s, sp, mask) & is_below(sp, s->sp);
		uint64_t go = is_set(n) & (is_outer ^ 1) & (is_call(s, sp, target) ^ 1);

		barrier_var(go);
		if (!go)
			break;
		n--;
	}
	slot = slot_at(c, n - 1, shape);
	if (!(is_set(n) & is_call(slot, sp, target)))
		return 0;
	c->n = n - 1;
	return slot;
}
