/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Kernel stacks at system calls. The kernel's unwinder takes 1.6 us for what is nearly always the
 * same few callers. So a program remembers, on each CPU, the chain it captured and where on the
 * stack its return addresses were, looks whether they are there, and has the kernel unwind only if
 * one is not. It is the stack that the unwinder would find, because:
 *
 * - The context is in the frame of bpf_trace_run2, which calls the program; the program's own frame
 *   and that one are not part of what is shown.
 * - Go up from there. The return address of a frame is at the same distance from where the frame
 *   below ends, for the same place in the code: kernel code has no variable frames but in the
 *   outermost function (below). So if bpf_trace_run2's return address, at the learned distance from
 *   the context, is the learned one, its caller is, and at the same place; so its caller's return
 *   address is at the learned distance; and so on. No word is taken for a return address that is
 *   not one now, whatever earlier calls have left on the stack.
 * - The function that the entry code calls has a variable frame: a random gap
 *   (CONFIG_RANDOMIZE_KSTACK_OFFSET). Its own return address is not reached from below but from
 *   above: it is the word below the saved registers. It says which entry code was come by (system
 *   call, 32-bit call, the child of a fork), hence which function was called from there; and as the
 *   chain from below ends in that function, which is not entered twice, there is nothing between.
 *
 * Learning must tell the place of a return address from words that are equal by chance, old return
 * addresses most of all, which the gap is full of. The true place has the address in every capture;
 * others have not, since the gap changes: when all but one were ruled out, that is the true one.
 * None left: a frame is variable after all, or a tracer replaced return addresses (function graph,
 * kretprobes). Such a chain is left to the unwinder, and so is one that does not go up to the entry
 * code, that is longer than there is room for, or of which two places cannot be told apart.
 *
 * A chain is its CPU's. Runs that interrupt or preempt each other on it have different slots of the
 * scratch area: only the one that has the first slot reads or writes chains, so what it reads is of
 * one piece. The hash was seen in the store, from which no kernel stack is removed while tracing.
 *
 * It is for x86-64. Elsewhere no call leaves its return address below the saved registers, so
 * nothing is ever learned.
 */
#include "bpf_helpers/chain.h"
#include "bpf_helpers/helpers.h"

enum { CHAINS = 4, DEPTH = 4096, WINDOW_AT = 64 };

_Static_assert(WINDOW_AT + CHAIN_WORDS <= SONDE_MAX_FRAMES, "the next unwinding clears it");

/* By program: scripts have one on sys_enter and one on sys_exit, seldom more. Those that share one
 * are on the same event, or have no return address in common. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CHAINS);
	__type(key, uint32_t);
	__type(value, struct sonde_chain);
} sonde_chains SEC(".maps");

/* Reads what is looked at. 0: it cannot be, or the saved registers are not where they are at a
 * system call, or this run came between another one's capture on this CPU: it has not the first
 * slot, and leaves the chains alone. */
static INLINE uint32_t look(const struct sonde_stack_buffer *buffer, void *ctx, uint64_t *window)
{
	uint64_t regs = *(uint64_t *)ctx, depth = regs - (uint64_t)ctx;

	barrier_var(depth);
	window[CHAIN_TOP] = 0; /* nothing is learned then */
	return buffer->bit == 1 && depth < DEPTH &&
	       !bpf_probe_read_kernel(window, CHAIN_WINDOW * 8, ctx) &&
	       !bpf_probe_read_kernel(window + CHAIN_TOP, 8, (void *)(regs - 8));
}

/* The stack's hash, 0: it must be unwound. */
static INLINE uint64_t recall(struct sonde_chain *c, const uint64_t *window)
{
	if (sonde_chain_differs(c, window))
		return 0;
	c->strikes = 0;
	return c->hash;
}

/* Learns of a complete capture whose stack is in the store, and whose first frames are the
 * program's and bpf_trace_run2's. */
static INLINE uint64_t unwind(struct sonde_chain *c, void *ctx, struct sonde_stack_buffer *buffer,
			      uint32_t prog, uint32_t probe)
{
	uint64_t *ips = buffer->ips, *window = ips + WINDOW_AT, hash;
	uint64_t top = window[CHAIN_TOP], j = c->turn & (CHAIN_WINDOW - 1), word = window[j];
	volatile uint64_t *verifier = buffer->words; /* what it knows of n is forgotten here */
	uint32_t n;

	*verifier = bpf_get_stack(ctx, ips, SONDE_MAX_FRAMES * 8, 0); /* clears the window, too */
	hash = sonde_stack_keep(buffer, *verifier, prog, 1, probe);
	n = (uint32_t)*verifier / 8;
	if (n - CHAIN_TRACER - 2 < CHAIN_LINKS && ips[(n - 1) & 15] == top &&
	    sonde_stack_in_trace_run(ips[1]) && sonde_stack_is_kept(buffer, hash))
		sonde_chain_learn(c, ips, n, hash, j, word, top);
	return hash;
}

/* Kernel stack of the current thread, in a program on system calls, outside of loops. */
INLINE uint64_t sonde_chain_stack(void *ctx, uint32_t prog, uint32_t probe)
{
	uint32_t key = prog % CHAINS;
	struct sonde_chain *c = bpf_map_lookup_elem(&sonde_chains, &key);
	struct sonde_stack_buffer buffer;
	uint64_t hash = 0;

	if (!c)
		return 0;
	if (sonde_stack_take(&buffer)) {
		if (look(&buffer, ctx, buffer.ips + WINDOW_AT))
			hash = recall(c, buffer.ips + WINDOW_AT);
		/* The verifier knows no more of it than before: it walks the rest once, not for
		 * each way here. */
		*(volatile uint64_t *)buffer.words = hash;
		hash = *(volatile uint64_t *)buffer.words;
		if (!hash)
			hash = unwind(c, ctx, &buffer, prog, probe);
		sonde_stack_give(&buffer);
	}
	sonde_stack_count(&buffer, probe);
	return hash;
}
