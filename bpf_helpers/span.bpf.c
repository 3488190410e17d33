/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Spans: the hidden state of each thread, in task storage; of calls, a stack of those that are
 * open.
 */
#include "bpf_helpers/helpers.h"

enum { TASK_IS_DEAD = 0x80 };

/* A thread that is switched out to come back: not the idle task, not one on its way to the
 * grave. */
INLINE_CORE uint32_t sonde_span_begins(struct task_struct *t)
{
	return t->pid != 0 && !(t->__state & TASK_IS_DEAD);
}

/* The idle task has no span to end. */
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

/* Take the start of a thread's time on the CPU from its state. 0 when it was not seen: some kernels
 * leave out a few of their events. */
INLINE uint64_t sonde_span_take(uint64_t *state, uint32_t probe)
{
	uint64_t start = *state;

	*state = 0;
	if (unlikely(!start))
		sonde_loss_count(probe, SONDE_LOSS_SPAN_START);
	return start;
}

/* The one element of a per-CPU array. */
INLINE void *sonde_span_cpu(void *map)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(map, &zero);
}

/* ---- open calls -------------------------------------------------------------------------- */

/*
 * The open calls of a thread: their number, then slots of `size` bytes (parser/plan/plan_span.c),
 * innermost last. A call is identified by the stack pointer at its entry. No other open call of
 * that function has the same one: calls further in have lower stack pointers. A function that ends
 * by jumping to another function shares its stack pointer with that function; their return probes
 * fire innermost first.
 */
struct calls {
	uint64_t n;
};

struct slot {
	uint64_t start, sp, target;
};

#define NO_TARGET (~0ull) /* of no slot */

/* The address of a program's context as a number; the verifier lets nobody compute with the
 * pointer. */
INLINE uint64_t sonde_span_context(void *ctx)
{
	uint64_t place = 0;

	bpf_probe_read_kernel(&place, sizeof(place), &ctx);
	return place;
}

/* `i` < SONDE_SPAN_CALLS. The compiler must not know it, nor make a running pointer of it: what the
 * verifier sees is the mask. */
static INLINE struct slot *slot_at(struct calls *c, uint64_t i, uint32_t size)
{
	barrier_var(i);
	return (void *)((char *)(c + 1) + (i & (SONDE_SPAN_CALLS - 1)) * size);
}

/* The walks below decide by arithmetic whether to go on: of several branches a step the verifier
 * would walk every combination, and 6.12 gives up. 1 or 0; the compiler must not see through it. */
static INLINE uint64_t is_set(uint64_t x)
{
	uint64_t minus = -x;

	barrier_var(minus);
	return (x | minus) >> 63;
}

/* Addresses of one half of the address space. */
static INLINE uint64_t is_below(uint64_t x, uint64_t y)
{
	return (x - y) >> 63;
}

static INLINE uint64_t is_call(const struct slot *s, uint64_t sp, uint64_t target)
{
	return is_set((s->sp ^ sp) | (s->target ^ target)) ^ 1;
}

/* An interrupt has another stack, which `mask` tells. */
static INLINE uint64_t same_stack(const struct slot *s, uint64_t sp, uint64_t mask)
{
	return is_set((s->sp ^ sp) & mask) ^ 1;
}

/* Called by longjmp, or never seen to return because the kernel had no return probe left. */
static INLINE void count_missed(uint64_t n, uint32_t probe)
{
	if (n)
		sonde_loss_add(probe, SONDE_LOSS_SPAN_RETURN, n);
}

/* How many of `n` calls are left when those on stack `sp` below `bound`, and those of `target` at
 * `sp`, are dropped. */
static INLINE uint64_t drop(struct calls *c, uint64_t n, uint64_t bound, uint64_t sp,
			    uint64_t target, uint32_t size, uint64_t mask)
{
	for (uint32_t i = 0; i < SONDE_SPAN_CALLS; i++) {
		const struct slot *s = slot_at(c, n - 1, size);
		uint64_t is_left = is_below(s->sp, bound) | is_call(s, sp, target);
		uint64_t go = is_set(n) & same_stack(s, sp, mask) & is_left;

		barrier_var(go);
		if (!go)
			break;
		n--;
	}
	return n;
}

/* A slot above the `n` that stay. NULL when these are too many. */
static INLINE struct slot *push(struct calls *c, uint64_t n, uint64_t sp, uint64_t target,
				uint32_t size, uint32_t probe)
{
	struct slot *slot;

	count_missed(c->n - n, probe);
	if (n >= SONDE_SPAN_CALLS) {
		sonde_loss_count(probe, SONDE_LOSS_SPAN_DEEP);
		return 0;
	}
	c->n = n + 1;
	slot = slot_at(c, n, size);
	slot->sp = sp;
	slot->target = target;
	return slot;
}

/* A slot for the call that is entered now; what cannot be open any more is dropped first. NULL when
 * too many are. */
INLINE void *sonde_span_push(struct calls *c, uint64_t sp, uint64_t target, uint32_t size,
			     uint64_t mask, uint32_t probe)
{
	return push(c, drop(c, c->n, sp, sp, target, size, mask), sp, target, size, probe);
}

/* The same where no function ends by jumping to another. */
INLINE void *sonde_span_push_called(struct calls *c, uint64_t sp, uint64_t target, uint32_t size,
				    uint32_t probe)
{
	return push(c, drop(c, c->n, sp + 1, sp, NO_TARGET, size, 0), sp, target, size, probe);
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

/* Was the function that is entered at `sp` called? Then the address to return to is the caller's. A
 * function that jumps here had a return probe, so it is the kernel's. 0 also when it cannot be
 * told. arm64 has that address in a register, `link`. */
static INLINE_CORE uint64_t is_called(uint64_t sp, uint64_t link)
{
	uint64_t trampoline = return_trampoline();

#ifdef SONDE_TARGET_x86
	if (bpf_probe_read_user(&link, sizeof(link), (const void *)sp))
		return 0;
#else
	(void)sp;
#endif
	return trampoline && link != trampoline;
}

/* The same for functions of user space with return probes, which may end by jumping to others that
 * have: these share a stack pointer, as a call does that was left, and the next one from there. */
INLINE_CORE void *sonde_span_push_user(struct calls *c, uint64_t sp, uint64_t target, uint32_t size,
				       uint64_t link, uint32_t probe)
{
	uint64_t n = drop(c, c->n, sp, sp, NO_TARGET, size, 0);

	if (unlikely(is_set(n) & (is_set(slot_at(c, n - 1, size)->sp ^ sp) ^ 1)) &&
	    is_called(sp, link))
		n = drop(c, n, sp + 1, sp, NO_TARGET, size, 0);
	return push(c, n, sp, target, size, probe);
}

/* The slot of the call that returns now, taken off with those above it; NULL when its entry was not
 * seen. What is above it was left without a return. */
INLINE void *sonde_span_pop(struct calls *c, uint64_t sp, uint64_t target, uint32_t size,
			    uint64_t mask, uint32_t probe)
{
	uint64_t before = c->n, n = before;
	struct slot *slot;

	for (uint32_t i = 0; i < SONDE_SPAN_CALLS; i++) {
		const struct slot *s = slot_at(c, n - 1, size);
		uint64_t is_outer = same_stack(s, sp, mask) & is_below(sp, s->sp);
		uint64_t go = is_set(n) & (is_outer ^ 1) & (is_call(s, sp, target) ^ 1);

		barrier_var(go);
		if (!go)
			break;
		n--;
	}
	slot = slot_at(c, n - 1, size);
	if (!(is_set(n) & is_call(slot, sp, target)))
		return 0;
	c->n = n - 1;
	count_missed(before - n, probe);
	return slot;
}
