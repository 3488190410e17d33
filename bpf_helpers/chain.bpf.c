/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Kernel stacks at system calls. The kernel's unwinder takes 1.6 us and nearly always finds the
 * same few callers. So the program remembers, for each CPU, the chain of callers it captured and
 * where their return addresses were on the stack. If all of these words are unchanged it reuses the
 * result; otherwise it lets the kernel unwind. Both ways give the same stack:
 *
 * - The context is in the frame of bpf_trace_run2, which calls the program. That frame and the
 *   program's own are not shown.
 * - Go up from there. For the same call site, a frame's return address is at a fixed distance from
 *   the end of the frame below, because kernel functions have fixed frame sizes, with one exception
 *   (next item). So if bpf_trace_run2's return address is the learned one at the learned distance
 *   from the context, then its caller is the learned one and starts at the learned place. So its
 *   caller's return address is at the learned distance, and so on. A stale return address that an
 *   earlier call left on the stack is never taken for a live one.
 * - The function called by the entry code has a frame of variable size: a random gap
 *   (CONFIG_RANDOMIZE_KSTACK_OFFSET). Its return address is therefore found from above: it is the
 *   word below the saved registers. It identifies the entry code (system call, 32-bit call, child
 *   of a fork), hence the function that was called. The chain from below ends in this function,
 *   which is not entered twice, so nothing lies between.
 *
 * Learning must tell the location of a return address from words that are equal by chance, mostly
 * stale return addresses, of which the gap is full. The right word holds the address in every
 * capture; others do not, because the gap changes. Once all words but one are ruled out, that one
 * is right. If none is left, some frame is variable after all, or a tracer replaced return
 * addresses (function graph, kretprobes). Such chains are left to the unwinder, and so are chains
 * that do not reach the entry code, have more than CHAIN_LINKS links, or have two words that cannot
 * be distinguished.
 *
 * A chain belongs to one CPU. Runs that interrupt or preempt each other there use different slots
 * of the scratch area; only the run with the first slot reads and writes chains, so what it reads
 * is consistent. A learned hash is in the stack store, from which kernel stacks are not removed
 * while tracing.
 *
 * This is for x86-64. On other architectures no call leaves its return address below the saved
 * registers, so nothing is ever learned.
 */
#include "bpf_helpers/chain.h"
#include "bpf_helpers/helpers.h"

enum { CHAINS = 4, DEPTH = 4096, WINDOW_AT = 64 };

_Static_assert(WINDOW_AT + CHAIN_WORDS <= SONDE_MAX_FRAMES, "the next unwinding clears it");

/* The chains of a CPU, indexed by program. Scripts usually have one program on sys_enter and one on
 * sys_exit. Programs that share an element are on the same event, or their chains have no return
 * address in common. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CHAINS);
	__type(key, uint32_t);
	__type(value, struct sonde_chain);
} sonde_chains SEC(".maps");

/* Read the words to compare into `window`. Returns 0 if that fails; if the saved registers are not
 * where they are at a system call; or if this run has interrupted another capture on this CPU. It
 * does not have the first slot then, and must leave the chains alone. */
static INLINE uint32_t look(const struct sonde_stack_buffer *buffer, void *ctx, uint64_t *window)
{
	uint64_t regs = *(uint64_t *)ctx, depth = regs - (uint64_t)ctx;

	barrier_var(depth);
	window[CHAIN_TOP] = 0; /* with 0 here nothing is learned */
	return !buffer->slot && depth < DEPTH &&
	       !bpf_probe_read_kernel(window, CHAIN_WINDOW * 8, ctx) &&
	       !bpf_probe_read_kernel(window + CHAIN_TOP, 8, (void *)(regs - 8));
}

/* Returns the stack's hash, or 0 if the stack must be unwound. */
static INLINE uint64_t recall(struct sonde_chain *c, const uint64_t *window)
{
	if (sonde_chain_differs(c, window))
		return 0;
	c->strikes = 0;
	return c->hash;
}

/* Have the kernel unwind. Learn from the capture if it is complete, its stack is in the store, and
 * its first frames are those of the program and bpf_trace_run2. */
static INLINE uint64_t unwind(struct sonde_chain *c, void *ctx, struct sonde_stack_buffer *buffer,
			      uint32_t prog, uint32_t probe)
{
	uint64_t *ips = buffer->ips, *window = ips + WINDOW_AT, hash;
	uint64_t top = window[CHAIN_TOP], j = c->turn & (CHAIN_WINDOW - 1), word = window[j];
	volatile uint64_t *hidden = buffer->walk->words;
	uint32_t n;

	/* A store and a load, so that the verifier forgets what it knows about the length. */
	*hidden = bpf_get_stack(ctx, ips, SONDE_MAX_FRAMES * 8, 0); /* also clears the window */
	hash = sonde_stack_keep(buffer, *hidden, prog, 1, probe, 0);
	n = (uint32_t)*hidden / 8;
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
	if (sonde_stack_take(&buffer, probe)) {
		if (look(&buffer, ctx, buffer.ips + WINDOW_AT))
			hash = recall(c, buffer.ips + WINDOW_AT);
		/* A store and a load hide the value from the verifier, so that it follows the rest
		 * once and not once for each path to here. */
		*(volatile uint64_t *)buffer.walk->words = hash;
		hash = *(volatile uint64_t *)buffer.walk->words;
		if (!hash)
			hash = unwind(c, ctx, &buffer, prog, probe);
		sonde_stack_give(&buffer);
	}
	return hash;
}
