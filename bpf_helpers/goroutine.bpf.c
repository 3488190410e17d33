/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Open calls of Go functions, by goroutine, and of programs that switch stacks, by frame.
 *
 * A goroutine can move to another thread, and its stack is copied elsewhere when it has to grow.
 * Neither changes the distance of a frame from the top of the stack, so a call is identified by its
 * goroutine and that distance.
 *
 * A hash map has an element for each open call, and one for each goroutine that has open calls: the
 * head, whose key has distance 0. Calls are linked, innermost first. Calls that a panic has left
 * are dropped when the goroutine calls or returns further out. Only its own goroutine writes an
 * element, and a goroutine runs on one thread at a time.
 */
#include "bpf_helpers/helpers.h"

struct goroutine_key {
	uint64_t space; /* process id and execve count */
	uint64_t goroutine;
	uint64_t call; /* stack pointer minus top of the stack, a negative number; 0: the head */
};

_Static_assert(sizeof(struct goroutine_key) == SONDE_GOROUTINE_KEY, "codegen reserves the buffer");

/* A call's slot, as parser/plan/plan_span.c lays it out; the values of entry() follow it. */
struct goroutine_call {
	uint64_t start;
	uint64_t outer; /* key.call of the next outer call */
	uint64_t target;
	uint64_t depth; /* 1: the outermost */
};

/* The head, in the same layout. */
struct goroutine_head {
	uint64_t n;
	uint64_t innermost;
};

/* The beginning of struct runtime.g of Go, which is the same in all versions. */
struct goroutine_stack {
	uint64_t low, high;
};

/* Set *k to the key of the call that a thread enters or leaves with the stack pointer `sp`. Returns
 * 0 if the goroutine cannot be read, which is counted. */
INLINE_CORE uint64_t sonde_goroutine_key(struct goroutine_key *k, struct task_struct *t,
					 uint64_t goroutine, uint64_t sp, uint32_t probe)
{
	struct goroutine_stack stack = {0};

	if (bpf_probe_read_user(&stack, sizeof(stack), (const void *)goroutine)) {
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
		return 0;
	}
	k->space = sonde_task_space(t);
	k->goroutine = goroutine;
	k->call = sp - stack.high;
	return 1;
}

/* The same for C: the open calls of a process have different stack pointers, on whichever stacks
 * and threads they are. No head has such a key. */
INLINE_CORE void sonde_goroutine_frame_key(struct goroutine_key *k, struct task_struct *t,
					   uint64_t sp)
{
	k->space = sonde_task_space(t);
	k->goroutine = 0;
	k->call = sp;
}

/* Look up the element, or insert one. A failure is counted and returns NULL. */
static INLINE void *goroutine_element(void *map, const struct goroutine_key *k, uint32_t probe)
{
	void *value = bpf_map_lookup_elem(map, k);

	if (value)
		return value;
	if (bpf_map_update_elem(map, k, (const void *)sonde_config.zeros, BPF_NOEXIST))
		sonde_loss_count(probe, SONDE_LOSS_GOROUTINES);
	return bpf_map_lookup_elem(map, k);
}

/* Is the call x inside the call y? Both are distances, which are negative. */
static INLINE uint64_t is_inside(uint64_t x, uint64_t y)
{
	return (x - y) >> 63;
}

/* Count a call that was left, for its own attach point: see sonde_span_missed_own(). */
static INLINE void goroutine_missed(const struct goroutine_call *c, uint32_t owner, uint32_t bit)
{
	sonde_span_missed(1, owner + (uint32_t)(c->target >> bit));
}

/* Drop and count the calls inside `bound`. After a deep recursion that ended in a panic some may
 * remain; the next call or return drops them. */
static INLINE void goroutine_drop(void *map, struct goroutine_key *k, struct goroutine_head *head,
				  uint64_t bound, uint32_t owner, uint32_t bit)
{
	for (uint32_t i = 0; i < SONDE_SPAN_CALLS; i++) {
		struct goroutine_call *c;

		k->call = head->innermost;
		if (!head->n || !is_inside(k->call, bound))
			break;
		c = bpf_map_lookup_elem(map, k);
		if (c)
			goroutine_missed(c, owner, bit);
		head->innermost = c ? c->outer : 0;
		head->n = c ? head->n - 1 : 0;
		bpf_map_delete_elem(map, k);
	}
}

/* The element for the call that is being entered; NULL if there is no space, which is counted. The
 * number of the attach point, among those from `owner` on, is in `target` from `bit` on. A function
 * can pass its entry in each round of a loop (`is_loop`): then a call at the place of the
 * innermost open call is that same call, and the result is NULL. */
INLINE void *sonde_goroutine_push(void *map, struct goroutine_key *k, uint64_t target,
				  uint64_t is_loop, uint32_t probe, uint32_t owner, uint32_t bit)
{
	uint64_t call = k->call;
	struct goroutine_head *head;
	struct goroutine_call *c;

	k->call = 0;
	head = goroutine_element(map, k, probe);
	if (!head)
		return 0;
	if (is_loop && head->n && head->innermost == call)
		return 0;
	goroutine_drop(map, k, head, call + 1, owner, bit);
	k->call = call;
	c = goroutine_element(map, k, probe);
	if (!c)
		return 0;
	c->outer = head->innermost;
	c->target = target;
	c->depth = head->n + 1;
	head->innermost = call;
	head->n++;
	return c;
}

/* The same for C: calls are not linked. A call that is open at this stack pointer was left without
 * a return. */
INLINE void *sonde_goroutine_push_frame(void *map, struct goroutine_key *k, uint64_t target,
					uint64_t is_loop, uint32_t probe, uint32_t owner,
					uint32_t bit)
{
	struct goroutine_call *c = bpf_map_lookup_elem(map, k);

	if (c && is_loop && c->target == target)
		return 0;
	if (c)
		goroutine_missed(c, owner, bit);
	c = c ?: goroutine_element(map, k, probe);
	if (!c)
		return 0;
	c->target = target;
	c->depth = 1;
	return c;
}

/* The element of the call that returns now, or NULL if its entry was not seen. The element stays
 * until sonde_goroutine_forget(), because another goroutine can take the memory of a deleted
 * one. */
INLINE void *sonde_goroutine_pop(void *map, struct goroutine_key *k, uint64_t target,
				 uint32_t owner, uint32_t bit)
{
	struct goroutine_call *c = bpf_map_lookup_elem(map, k);
	struct goroutine_head *head;
	uint64_t call = k->call;

	if (!c || c->target != target)
		return 0;
	k->call = 0;
	head = bpf_map_lookup_elem(map, k);
	if (head) {
		goroutine_drop(map, k, head, call, owner, bit);
		head->n = c->depth - 1;
		head->innermost = c->outer;
		k->call = 0;
		if (!head->n)
			bpf_map_delete_elem(map, k);
	}
	k->call = call;
	return c;
}

INLINE void sonde_goroutine_forget(void *map, const struct goroutine_key *k)
{
	bpf_map_delete_elem(map, k);
}
