/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Captures stacks. Frames are written to per-CPU scratch memory, the tracer's frames are removed,
 * and the rest is hashed to 64 bits and stored once under that hash. Map keys and records hold the
 * hash.
 *
 * A program takes a scratch slot, captures the frames into it, calls the function that stores the
 * stack (keep*.bpf.c), and gives the slot back. It captures kernel stacks itself, because the frame
 * of a function that did so would be among them.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/stack.h"
#include "bpf_helpers/unwind.h"

/* The first slot whose bit is clear, by arithmetic: with a branch for each slot the verifier would
 * follow the rest once for each. */
static INLINE uint32_t free_slot(uint64_t busy)
{
	uint64_t b0 = busy & 1, b1 = b0 & busy >> 1, b2 = b1 & busy >> 2, b3 = b2 & busy >> 3;

	_Static_assert(SONDE_SCRATCH_SLOTS == 4, "one term for each slot");
	return b0 + b1 + b2 + b3;
}

/* Programs nest (task, softirq, irq, NMI), and uprobe programs are preempted and end in any order,
 * so each slot has a bit of its own. */
INLINE uint32_t sonde_stack_take(struct sonde_stack_buffer *buffer, uint32_t probe)
{
	struct scratch *s = scratch_get();
	uint64_t slot, bit;

	if (!s)
		return 0;
	slot = free_slot(s->busy);
	bit = 1ull << slot;
	if (slot >= SONDE_SCRATCH_SLOTS || __sync_fetch_and_or(&s->busy, bit) & bit) {
		sonde_loss_count(probe, SONDE_LOSS_SCRATCH);
		return 0;
	}
	buffer->scratch = s;
	buffer->slot = slot;
	buffer->walk = &s->slot[slot];
	buffer->walk->slot = slot;
	buffer->ips = buffer->walk->words + HEADER_WORDS;
	return 1;
}

INLINE void sonde_stack_give(const struct sonde_stack_buffer *buffer)
{
	__sync_fetch_and_and(&buffer->scratch->busy, ~(1ull << buffer->slot));
}

/* ---- kernel stacks */

/* Store the frames in the slot, and give it back. Returns the hash. */
static INLINE uint64_t stack_end(const struct sonde_stack_buffer *buffer, long bytes,
				 uint64_t frames_of, uint32_t probe, uint32_t limit)
{
	uint64_t hash = sonde_keep_kernel(buffer->slot, bytes, frames_of, probe, limit);

	sonde_stack_give(buffer);
	return hash;
}

/* Kernel stack of the current thread. `program_frames`: frames at the top that belong to the
 * program itself. `limit`: max. number of frames, 0: all. */
INLINE uint64_t sonde_stack_kernel(void *ctx, uint32_t prog, uint32_t program_frames,
				   uint32_t probe, uint32_t limit)
{
	struct sonde_stack_buffer buffer;
	long bytes;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	bytes = bpf_get_stack(ctx, buffer.ips, SONDE_MAX_FRAMES * 8, 0);
	return stack_end(&buffer, bytes, KEEP_FRAMES_OF(prog, program_frames), probe, limit);
}

#ifdef SONDE_TARGET_arm64

/* In struct user_pt_regs, in words; most return probes on one call. */
enum { REG_FP = 29, REG_LINK = 30, MOST_RETURN_PROBES = 4 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct llist_node {
	struct llist_node *next;
};

struct kretprobe_instance {
	struct llist_node llist;
	void *ret_addr, *fp;
};

struct task_struct___probed {
	struct {
		struct llist_node *first;
	} kretprobe_instances;
};

#pragma clang attribute pop

/* Where a function returns to, at its entry. A return probe has put the address of its own code
 * into x30, and knows the caller's by the frame pointer at that call. */
static INLINE_CORE uint64_t caller_at_entry(const uint64_t *regs)
{
	struct task_struct___probed *t = (void *)bpf_get_current_task_btf();
	struct llist_node *node = NULL;
	uint64_t caller = regs[REG_LINK];

	if (bpf_core_field_exists(t->kretprobe_instances))
		node = t->kretprobe_instances.first;
#pragma unroll
	for (int i = 0; i < MOST_RETURN_PROBES && node; i++) {
		struct kretprobe_instance *call =
			(void *)node - bpf_core_field_offset(struct kretprobe_instance, llist);

		if ((uint64_t)BPF_CORE_READ(call, fp) != regs[REG_FP])
			break;
		caller = (uint64_t)BPF_CORE_READ(call, ret_addr);
		node = BPF_CORE_READ(node, next);
	}
	return caller;
}

/* Capture the kernel stack that begins with the registers in ctx. Calls leave the return address in
 * x30, and functions save it in their frame. The kernel's walk follows frames: where the function
 * has none, it finds the caller's caller, so the caller is put back: `caller`, or if that is 0,
 * what sonde_keep_link() finds. Elsewhere the first frame comes twice, as repeated_frames()
 * expects. */
static INLINE long frames_from(void *ctx, const struct sonde_stack_buffer *buffer, uint64_t caller)
{
	const uint64_t *regs = ctx;
	uint64_t *ips = buffer->ips;
	long bytes = bpf_get_stack(ctx, ips + 1, (SONDE_MAX_FRAMES - 1) * 8, 0);

	if (bytes <= 0)
		return bytes;
	if (!caller)
		caller = sonde_keep_link(buffer->slot, ips[1], regs[REG_LINK], ips[2]);
	ips[0] = ips[1];
	if (caller)
		ips[1] = caller;
	return bytes + 8;
}

static INLINE_CORE long frames_at_entry(void *ctx, const struct sonde_stack_buffer *buffer)
{
	return frames_from(ctx, buffer, bpf_get_func_ip(ctx) ? caller_at_entry(ctx) : 0);
}

#else

static INLINE long frames_from(void *ctx, const struct sonde_stack_buffer *buffer, uint64_t caller)
{
	return bpf_get_stack(ctx, buffer->ips, SONDE_MAX_FRAMES * 8, 0);
}

static INLINE_CORE long frames_at_entry(void *ctx, const struct sonde_stack_buffer *buffer)
{
	return frames_from(ctx, buffer, 0);
}

#endif

/* The same in a program of a kprobe. */
INLINE uint64_t sonde_stack_entry(void *ctx, uint32_t prog, uint32_t program_frames, uint32_t probe,
				  uint32_t limit)
{
	struct sonde_stack_buffer buffer;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	return stack_end(&buffer, frames_at_entry(ctx, &buffer),
			 KEEP_FRAMES_OF(prog, program_frames), probe, limit);
}

/* The same in a program of an event that interrupts the thread anywhere. */
INLINE uint64_t sonde_stack_interrupted(void *ctx, uint32_t prog, uint32_t program_frames,
					uint32_t probe, uint32_t limit)
{
	struct sonde_stack_buffer buffer;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	return stack_end(&buffer, frames_from(ctx, &buffer, 0),
			 KEEP_FRAMES_OF(prog, program_frames), probe, limit);
}

enum { ENTRY_BYTES = 16 }; /* the call of the trampoline is within these, from the entry */

/* The same in a program on a function's trampoline, which is the last of its frames. Since 7.x, the
 * frame of the function is missing where a program is at its return: it replaces that of the
 * trampoline. */
INLINE uint64_t sonde_stack_trampoline(void *ctx, uint32_t prog, uint32_t program_frames,
				       uint32_t probe, uint32_t limit)
{
	struct sonde_stack_buffer buffer;
	uint64_t ip = bpf_get_func_ip(ctx);
	uint32_t at;
	long bytes;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	bytes = bpf_get_stack(ctx, buffer.ips, SONDE_MAX_FRAMES * 8, 0);
	at = program_frames + repeated_frames(buffer.ips);
	if (bytes > at * 8 && buffer.ips[at] - ip > ENTRY_BYTES) {
		buffer.ips[at - 1] = ip + ENTRY_BYTES / 2;
		program_frames--;
	}
	return stack_end(&buffer, bytes, KEEP_FRAMES_OF(prog, program_frames), probe, limit);
}

/* Kernel stack of the current thread, which has saved its registers at `regs`: recalled if
 * possible. */
static INLINE uint64_t stack_recalled(void *ctx, void *regs, uint64_t frames_of, uint32_t probe,
				      uint32_t limit)
{
	struct sonde_stack_buffer buffer;
	uint64_t hash = 0;
	long bytes;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	if (sonde_config.recall >= SONDE_RECALL_READ) {
		buffer.walk->context = (uint64_t)ctx;
		buffer.walk->regs = (uint64_t)regs;
		hash = sonde_recall(buffer.slot, frames_of, limit);
	}
	if (sonde_control.counts_hits) {
		sonde_loss_count(probe, SONDE_KSTACKS);
		if (hash)
			sonde_loss_count(probe, SONDE_RECALLED);
	}
	if (!hash || sonde_config.checks_recall) {
		bytes = bpf_get_stack(ctx, buffer.ips, SONDE_MAX_FRAMES * 8, 0);
		hash = sonde_recall_keep(buffer.slot, bytes, frames_of, probe, limit);
	}
	sonde_stack_give(&buffer);
	return hash;
}

/* The same in a program on system calls, outside of loops. */
INLINE uint64_t sonde_stack_syscall(void *ctx, uint32_t prog, uint32_t probe)
{
	return stack_recalled(ctx, *(void **)ctx, KEEP_FRAMES_OF(prog, 1), probe, 0);
}

/* The same for a thread that leaves the CPU: where it waits. 0: see sonde_stack_left(). */
INLINE uint64_t sonde_stack_leaves(void *ctx, struct task_struct *task, uint32_t prog,
				   uint32_t program_frames, uint32_t probe, uint32_t limit)
{
	if (sonde_config.recall == SONDE_RECALL_LATE)
		return 0;
	return stack_recalled(ctx, (void *)bpf_task_pt_regs(task),
			      KEEP_FRAMES_OF(prog, program_frames) | KEEP_LEAVES, probe, limit);
}

/* The reason (enum sonde_reason) of the last stack of a thread that left this CPU, see reason.h.
 * Programs on a switch do not nest on a CPU, so no other stack has replaced it. */
INLINE uint64_t sonde_stack_class(void)
{
	struct scratch *s = scratch_get();

	return s ? s->class : 0;
}

/* Kernel stack of a thread that is switched out. The kernel leaves out all functions of the
 * scheduler, locks included (stack_trace_save_tsk), and there are no tracer's frames. */
INLINE uint64_t sonde_stack_task(struct task_struct *task, uint32_t probe, uint32_t limit,
				 uint32_t is_late)
{
	struct sonde_stack_buffer buffer;
	long bytes;

	if (!sonde_stack_take(&buffer, probe))
		return 0;
	bytes = bpf_get_task_stack(task, buffer.ips, SONDE_MAX_FRAMES * 8, 0);
	return stack_end(&buffer, bytes, KEEP_FRAMES_OF(SONDE_MAX_PROGS, is_late ? KEEP_LATE : 0),
			 probe, limit);
}

/* The stack that the thread had when it left the CPU, whose hash a span has kept; 0: it was not
 * seen to leave. */
INLINE uint64_t sonde_stack_left(uint64_t hash, struct task_struct *task, uint32_t probe,
				 uint32_t limit)
{
	return hash ? hash
		    : sonde_stack_task(task, probe, limit,
				       sonde_config.recall != SONDE_RECALL_LATE);
}

/* ---- user stacks */

/* Prepare a slot for the functions that walk and store a user stack: note the process's ids.
 * Returns the flags for sonde_keep_user(). */
static INLINE uint32_t stack_begin(struct sonde_stack_buffer *buffer, struct task_struct *task)
{
	struct sonde_stack *st = &buffer->walk->stack;

	st->tgid = sonde_number_pid(task);
	st->exec_id = sonde_task_exec_id(task);
	return sonde_task_exits(task) * KEEP_EXITS;
}

/* The user stack of the current thread, which is `task`: by frame pointers, or by unwind tables if
 * sonde uses them. `how`: STACK_BY_FP, STACK_NATIVE or 0. */
INLINE uint64_t sonde_stack_user(void *ctx, struct task_struct *task, uint32_t probe,
				 uint32_t limit, uint32_t how)
{
	struct sonde_stack_buffer buffer;
	struct sonde_stack *st;
	uint32_t flags;
	uint64_t hash;
	long got;

	/* kernel threads have no user stack */
	if (!sonde_task_has_memory(task) || !sonde_stack_take(&buffer, probe))
		return 0;
	flags = stack_begin(&buffer, task);
	st = &buffer.walk->stack;
	if (how == STACK_BY_FP || !sonde_config.unwinds) {
		got = bpf_get_stack(ctx, st->ips, SONDE_MAX_FRAMES * 8, BPF_F_USER_STACK);
		hash = sonde_keep_user(buffer.slot, got, probe, limit, flags | KEEP_BY_FP);
	} else {
		got = sonde_unwind_walk(buffer.walk, st->tgid, st->exec_id,
					(limit ? limit : SONDE_MAX_FRAMES) |
						(how == STACK_NATIVE ? WALK_NATIVE : 0),
					sonde_control.stack_sweeps);
		hash = got ? sonde_keep_user(buffer.slot, got, probe, limit, flags)
			   : buffer.walk->hash; /* the hash of a recalled stack */
	}
	sonde_stack_give(&buffer);
	return hash;
}

/* ---- functions of interpreters */

struct sifting {
	struct sonde_walk *w; /* run_n counts the frames: the verifier does not follow its values */
	uint64_t at, ask;     /* bits to be set, in words without and with SONDE_RUN_INLINES */
	uint32_t of;
};

/* Keep the frame if it is one of these interpreters, or stands for frames that are left out. There
 * is no branch, of which the verifier would follow both sides. */
static __attribute__((noinline)) long stack_sift(uint64_t i, struct sifting *s)
{
	uint64_t *ips = s->w->stack.ips, n = s->w->run_n, word, is_gap, is_of;
	uint64_t inlines;

	OPAQUE(i);
	word = ips[i & 127];
	is_gap = (~word - 1) >> 63;
	is_of = s->of >> SONDE_RUN_RUNTIME(word) & 1;
	inlines = -(word / SONDE_RUN_INLINES & 1);
	ips[n & 127] = word | (s->at & ~inlines) | (s->ask & inlines);
	s->w->run_n = n + (word >> 63 & (is_gap | is_of));
	return 0;
}

/* The functions of interpreters on the user stack of the current thread, `limit` of them; 0:
 * all. `of`: bit n stands for row n of runtimes.def; bit 0: without the places in functions. */
INLINE uint64_t sonde_stack_runs(struct task_struct *task, uint32_t probe, uint32_t limit,
				 uint32_t of)
{
	struct sonde_stack_buffer buffer;
	struct sonde_stack *st;
	struct sifting s = {NULL, of & 1 ? SONDE_RUN_AT_NONE : 0, SONDE_RUN_ASK(limit), of};
	uint32_t flags, is_any = of & 1; /* else those of others must not count */
	uint64_t hash, got;

	if (!sonde_config.unwinds || !sonde_task_has_memory(task) ||
	    !sonde_stack_take(&buffer, probe))
		return 0;
	flags = stack_begin(&buffer, task);
	st = &buffer.walk->stack;
	got = sonde_unwind_walk(buffer.walk, st->tgid, st->exec_id,
				SONDE_MAX_FRAMES | WALK_RUNS(is_any ? limit : 0),
				sonde_control.stack_sweeps);
	hash = buffer.walk->hash; /* that of a recalled stack */
	if (got) {
		s.w = buffer.walk;
		s.w->run_n = 0;
		bpf_loop(got, stack_sift, &s, 0);
		got = s.w->run_n;
		got = limit && limit < got ? limit : got;
		hash = sonde_keep_user(buffer.slot, got, probe, limit ? limit : ~0u, flags);
	}
	sonde_stack_give(&buffer);
	return hash;
}

/* len() of a stack */
INLINE uint64_t sonde_stack_length(uint64_t hash)
{
	struct sonde_stack *s = bpf_map_lookup_elem(&sonde_stacks, &hash);

	return s ? s->n_frames : 0;
}
