/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Walks a user stack by the tables of unwind.h.
 *
 * At each frame the walk looks up the mapping and its piece, then the row. Where no row covers the
 * address, the walk uses the frame pointer, which JIT compilers and Go maintain. It accepts a
 * return address found that way only if it is in executable memory, after a call instruction.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_RULES);
	__type(key, uint32_t);
	__type(value, struct unwind_rule);
} sonde_unwind_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, UNWIND_SPACES);
	__type(key, uint32_t);
	__type(value, struct unwind_space);
} sonde_unwind_spaces SEC(".maps");

/* One place for each scratch slot, for walks that learn nothing, followed by trails (walk.h). The
 * map is per CPU, so that only one walk at a time reads and writes a trail. With many CPUs the
 * runtime makes it smaller (sonde_config.trails_mask). */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SONDE_SCRATCH_SLOTS + SONDE_TRAILS);
	__type(key, uint32_t);
	__type(value, struct sonde_trail);
} sonde_unwind_trails SEC(".maps");

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct uprobe_task;
struct file;

struct maple_tree {
	void *ma_root;
};

/* Everything that the files of the walk read of these kernel structs, in one declaration each:
 * for each declared struct, libbpf searches the names of all kernel types, which takes 1.2 ms. */
struct task_struct___unwind {
	unsigned in_execve : 1;
	struct uprobe_task *utask;
	struct {
		unsigned long fsbase; /* x86-64 */
	} thread;
};

struct mm_struct___unwind {
	struct maple_tree mm_mt; /* since 6.1 */
	struct file *exe_file;
	unsigned int mm_lock_seq; /* 6.4 to 6.12 */
	struct {
		uint64_t ctx_id; /* x86-64 */
		void *vdso;
	} context;
};

#pragma clang attribute pop

static INLINE uint64_t add_frame(struct sonde_walk *w); /* unwind_deep.bpf.c */
static INLINE uint32_t read_word(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out); /* unwind_read.bpf.c */
static INLINE uint32_t read_rare(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out);
/* In unwind_rule.bpf.c: go to the caller by a rule whose CFA is a sum. */
static INLINE uint32_t leave_by_rule(struct sonde_walk *w, struct sonde_trail *t,
				     const struct unwind_rule *rule);
/* The offset of the place of fp, in bytes. */
static INLINE int64_t fp_offset(const struct unwind_rule *rule);
#ifdef SONDE_TARGET_x86 /* unwind_x86.bpf.c */
static INLINE uint64_t is_equal(uint64_t a, uint64_t b);
static INLINE uint64_t ends_with_call(uint64_t code);
#endif
/* In unwind_x86.bpf.c and unwind_arm64.bpf.c: go to the caller of a frame in code without rows,
 * where fp may still be the caller's. Returns 0 if the frame pointer has to be tried. */
static INLINE uint32_t leave_edge(struct sonde_walk *w, struct sonde_trail *t, uint32_t *end);
/* Has a new thread not returned from the system call that made it? Its stack has no caller yet. */
static INLINE_CORE uint32_t is_new_thread(struct sonde_walk *w);
/* The address of the signs of an address space, and reading them: see sonde_unwind_sign(). */
static INLINE_CORE uint64_t signs_of(struct mm_struct___unwind *mm);
static INLINE void read_signs(struct sonde_signs *out, uint64_t at);

enum {
	FP_STEP_MAX = 16 << 20, /* max. bytes of a frame that a frame pointer leads to */
};

/* Take a word that the caller of another thread's walk has read. If it was not read, the caller
 * reads more memory, and the step is done again. */
static INLINE uint32_t take_given(struct sonde_walk *w, uint64_t address)
{
	LOOP for (uint32_t i = 0; i < WALK_GIVEN; i++)
	{
		if (w->given_at[i] != address)
			continue;
		w->window[0] = w->given[i];
		w->window_at = address;
		w->window_bytes = 8;
		return 1;
	}
	w->need = address == w->refused ? 0 : address;
	return 0;
}

/* Go to the frame that a signal interrupted. */
static INLINE uint32_t leave_signal(struct sonde_walk *w, struct sonde_trail *t,
				    const struct unwind_rule *rule)
{
	uint64_t at = w->sp + (int64_t)rule->cfa_offset, fp_at = w->sp + (int64_t)rule->fp_offset;
	uint64_t ip_at = at + rule->saved, fp, sp, ip;

	if (HAS_LINK && w->is_sp_least)
		return UNWIND_NO_WAY;
	if (!read_rare(w, t, fp_at, &fp) || !read_rare(w, t, at, &sp) ||
	    !read_rare(w, t, ip_at, &ip))
		return UNWIND_UNREADABLE;
	w->extra_at = fp_at + UNWIND_SIGNAL_EXTRA;
	w->fp = fp;
	w->sp = sp;
	w->ip = ip;
	w->exact = 1;
	return UNWIND_GOES_ON;
}

/* Go to the caller by its frame pointer. */
static INLINE uint32_t leave_by_fp(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t fp = w->fp, ip, caller;

	if (fp < w->sp || fp - w->sp > FP_STEP_MAX || fp & (WORD(w) - 1))
		return sonde_unwind_is_base(w, w->ip) ? UNWIND_COMPLETE : UNWIND_NO_POINTER;
	if (!read_rare(w, t, fp, &caller) || !read_rare(w, t, fp + WORD(w), &ip))
		return UNWIND_UNREADABLE;
	w->sp = fp + 2 * WORD(w);
	w->is_sp_least = HAS_LINK;
	w->extra_at = EXTRA_UNKNOWN;
	w->fp = caller;
	w->ip = CODE_ADDRESS(ip);
	w->by_fp = 1;
	return ip || caller ? UNWIND_GOES_ON : UNWIND_COMPLETE; /* both 0: the outermost frame */
}

/* Go to the caller of a frame that has no rule. Generated code that a rule or a trampoline led to
 * may have no frame pointer (x86-64). */
static INLINE uint32_t leave_without_rule(struct sonde_walk *w, struct sonde_trail *t, uint64_t n,
					  uint64_t by_fp)
{
	/* 1 for the innermost frame and for such code; without branches, since the verifier would
	 * follow each */
	uint64_t has_edge = (n - 1) >> 63;
	uint32_t end, is_java = 0;

	if (!HAS_LINK)
		has_edge |= (by_fp ^ 1) & w->flags / UNWIND_RANGE_ANONYMOUS & 1;
	OPAQUE(has_edge);
	if (!w->is_mapped)
		return UNWIND_NOT_READY;
	if (!HAS_LINK && w->flags & UNWIND_RANGE_HOTSPOT) {
		is_java = sonde_unwind_java(w, t);
		if (w->is_deep)
			return UNWIND_DEEP;
		has_edge &= !is_java;
	}
	if (!HAS_LINK && !n && w->v8_at && w->flags & UNWIND_RANGE_ANONYMOUS)
		sonde_unwind_v8(w, t, 1);
	if (has_edge && leave_edge(w, t, &end))
		return w->is_deep ? UNWIND_DEEP : end;
	if (w->need)
		return UNWIND_UNREADABLE; /* the step is done again */
	if (!HAS_LINK && w->v8_at) {
		is_java |= sonde_unwind_v8(w, t, 0);
		if (w->is_deep)
			return UNWIND_DEEP;
	}
	OPAQUE(is_java);
	if (!is_java)
		return leave_by_fp(w, t);
	w->sp = w->java_sp;
	w->fp = w->java_fp;
	w->ip = w->java_ip;
	w->extra_at = EXTRA_UNKNOWN;
	w->by_fp = 1;
	return UNWIND_GOES_ON;
}

/* Is the CFA a register or a word of the stack, plus something? */
static INLINE uint32_t is_sum(uint32_t kind)
{
	return kind >= UNWIND_REGISTER ||
	       (kind >= UNWIND_SP && kind <= UNWIND_SP_RA_RDI && kind != UNWIND_SIGNAL);
}

/* Were the mappings of a process (struct unwind_space) read since its last execve? */
static INLINE uint32_t is_of(const struct unwind_space *space, uint32_t exec_id)
{
	return space->exec_id == exec_id || space->exec_id == UNWIND_ANY_EXEC;
}

/* Check an address that a frame pointer led to. Interpreters that were generated at run time, such
 * as Java's, push return addresses that no call instruction precedes. If frame pointers lead on
 * from such addresses to one after a call instruction, they are accepted as frames. */
static INLINE uint32_t check_call(struct sonde_walk *w)
{
	if (sonde_unwind_follows_call(w, w->ip))
		w->n_certain = 0;
	else if (!(w->flags & UNWIND_RANGE_ANONYMOUS))
		return UNWIND_NO_CALL;
	else if (!w->n_certain)
		w->n_certain = w->n_frames;
	return UNWIND_GOES_ON;
}

/* Process one frame, whose mapping was located: store it, and go to its caller. Returns true at the
 * end of the walk; w->end says why it ended. It is no function: with three loops around it, a walk
 * has only four of the eight frames of a program left. */
static INLINE int step(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t x, by_fp, n;
	struct unwind_rule *rule;
	uint32_t end, kind, row;

	x = w->ip - !w->exact;
	by_fp = w->by_fp;
	w->exact = 0;
	w->by_fp = 0;
	end = w->found;
	if (!end && by_fp)
		end = check_call(w);
	w->end = end;
	if (end && w->n_frames)
		return 1;
	n = add_frame(w);
	if (end)
		return 1;
	row = w->piece ? sonde_unwind_row(w->piece, x - w->origin) : 0;
	rule = bpf_map_lookup_elem(&sonde_unwind_rules, &row);
	if (!rule) /* cannot happen */
		return 1;
	kind = rule->cfa & ~UNWIND_GUESS;
	if (is_sum(kind)) {
		w->end = leave_by_rule(w, t, rule);
		if (!AGAIN(w->end) || !(rule->cfa & UNWIND_GUESS) || w->need)
			return AGAIN(w->end) != 0;
		kind = UNWIND_NO_RULE;
	}
	if (kind == UNWIND_NO_RULE || (kind > UNWIND_SWITCH_FP && kind < UNWIND_REGISTER && !n))
		end = leave_without_rule(w, t, n, by_fp);
	else if (kind == UNWIND_SIGNAL)
		end = leave_signal(w, t, rule);
	else if (kind == UNWIND_END)
		end = UNWIND_COMPLETE;
	else if (kind == UNWIND_UNSUPPORTED)
		end = UNWIND_NO_WAY;
	else if (kind >= UNWIND_RUN_SP && kind < UNWIND_REGISTER)
		end = sonde_unwind_switch(w, t, rule);
	w->end = end;
	return end != 0;
}

/* In execve, are the old program and its stack gone already? The task's pointers are read by
 * bpf_probe_read_kernel() only: for the type of each loaded pointer, the verifier of 6.18 searches
 * the names of all kernel types, which takes 1.3 ms. */
static INLINE_CORE uint32_t is_between_programs(struct sonde_walk *w, struct task_struct *task)
{
	struct task_struct___unwind *t = (void *)task;
	struct mm_struct *mm;

	if (bpf_core_field_exists(t->in_execve) && !BPF_CORE_READ_BITFIELD(t, in_execve))
		return 0;
	bpf_core_read(&w->look, sizeof(w->look), &task->mm);
	mm = (void *)w->look;
	bpf_core_read(&w->look, sizeof(w->look), &mm->start_code);
	return !w->look;
}

/* Set the size of words, and w->end: UNWIND_COMPAT if code of that mode cannot be walked. */
static INLINE void set_mode(struct sonde_walk *w, uint32_t mode)
{
	mode &= MODE_MASK;
	w->end = mode == MODE_64_BIT || mode == MODE_32_BIT ? UNWIND_DEEP : UNWIND_COMPAT;
	w->word = mode == MODE_64_BIT ? 8 : 4;
	w->word_mask = mode == MODE_64_BIT ? ~0ull : 0xffffffff;
}

/* The walk starts at w->ip, w->sp and w->fp. */
static INLINE void begin(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	struct unwind_space *space = bpf_map_lookup_elem(&sonde_unwind_spaces, &tgid);

	w->extra_at = EXTRA_IN_REGISTER;
	w->exact = 1;
	w->by_fp = 0;
	w->is_sp_least = 0;
	w->bytes = 0;
	w->window_bytes = 0;
	w->n_frames = 0;
	w->n_certain = 0;
	w->is_missing = w->is_unsure = 0;
	w->must_ask = 0;
	w->run_runtime = 0;
	w->java_at = 0;
	w->v8_at = w->v8_is_read = 0;
	w->php_n = w->php_tries = 0;
	w->php_skip = 0;
	w->run_after = ~0u;
	w->is_deep = 0;
	w->n_left = 0;
	w->n_ranges = 0;
	w->ranges = 0;
	w->generation = 0;
	w->file = w->files = w->hash = 0;
	if (space && is_of(space, exec_id)) {
		w->ranges = space->ranges;
		w->n_ranges = space->n_ranges;
		w->generation = space->generation;
		w->v8_at = space->v8;
	}
	w->stack.ips[0] = w->ip;
	w->trail = w->slot & 3;
	w->limit = 0;
	w->is_native = 0;
}

static INLINE_CORE void begin_current(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
				      uint32_t limit)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs___unwind *regs = (void *)bpf_task_pt_regs(task);
	uint64_t mix;

	w->task = (uint64_t)task;
	w->ip = regs->REGS_IP;
	w->sp = regs->REGS_SP;
	w->fp = regs->REGS_FP;
	set_mode(w, regs->REGS_MODE);
	if (is_between_programs(w, task))
		w->end = UNWIND_COMPLETE;
	begin(w, tgid, exec_id);
	w->link = HAS_LINK ? sonde_unwind_register(w, EXTRA_REGISTER) : 0;
	mix = (w->ip ^ w->sp << 7 ^ w->fp << 13 ^ w->link << 17 ^ w->generation ^ limit) * FACTOR;
	if (!w->slot && w->generation)
		w->trail = SONDE_SCRATCH_SLOTS + (mix >> 57 & sonde_config.trails_mask);
}

static INLINE uint32_t is_walk_of(const struct sonde_trail *t, const struct sonde_walk *w,
				  uint32_t limit, uint32_t sweeps)
{
	return t->hash && t->ip == w->ip && t->sp == w->sp && t->fp == w->fp &&
	       (!HAS_LINK || t->link == w->link) && t->generation == w->generation &&
	       t->limit == limit && t->sweeps == sweeps;
}

static INLINE void begin_trail(struct sonde_trail *t, const struct sonde_walk *w, uint32_t limit,
			       uint32_t sweeps)
{
	t->hash = 0;
	t->ip = w->ip;
	t->sp = w->sp;
	t->fp = w->fp;
	t->link = w->link;
	t->generation = w->generation;
	t->limit = limit;
	t->sweeps = sweeps;
	t->n_slots = 0;
	t->bytes = 0;
}

GLOBAL uint64_t sonde_unwind_end(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	if (!w)
		return 0;
	if (w->end == UNWIND_GOES_ON)
		w->end = UNWIND_DEEP;
	if (w->n_certain) {
		w->end = UNWIND_NO_CALL;
		w->n_frames = w->n_certain;
	}
	if (w->n_frames > SONDE_MAX_FRAMES)
		sonde_unwind_join(w);
	w->must_ask = w->is_missing && sonde_unwind_must_ask(tgid, exec_id);
	w->n_frames += w->end == UNWIND_COMPAT && !w->n_frames;
	return w->n_frames;
}

/* sonde_unwind_locate(), in unwind_vma.bpf.c. */
static INLINE_CORE void locate(struct sonde_walk *w, struct sonde_trail *t);

/* unwind_run_php.bpf.c: the walk of a stack with PHP has ended. Returns 0 if it must be done
 * again. */
GLOBAL uint32_t sonde_unwind_php_end(struct sonde_walk *w);

struct walking {
	struct sonde_walk *w;
	struct sonde_trail *t;
};

static __attribute__((noinline)) long walk_frame(uint64_t i, struct walking *k)
{
	uint32_t is_end;

	if (i)
		locate(k->w, k->t);
	is_end = step(k->w, k->t);
	if (is_end && k->w->php_n)
		is_end = sonde_unwind_php_end(k->w);
	OPAQUE(is_end);
	return is_end & 1; /* the mask shows the verifier that the result is 0 or 1 */
}

/* The frames of interpreters may be more than the steps. There is no branch, as in add_frame(). */
static INLINE void trim(struct sonde_walk *w, uint64_t limit)
{
	uint64_t n = w->n_frames, is_less = (limit - n) >> 63, mask;

	mask = -(is_less & (limit - SONDE_MAX_FRAMES) >> 63);
	OPAQUE(mask);
	w->n_frames = (limit & mask) | (n & ~mask);
}

/* Returns 0 if the thread has no stack, or if the stack was recalled (w->hash). */
GLOBAL uint64_t sonde_unwind_walk(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
				  uint32_t limit, uint32_t sweeps)
{
	struct walking k = {.w = w};
	struct sonde_trail *t;
	uint32_t index;

	if (!w)
		return 0;
	begin_current(w, tgid, exec_id, limit);
	if (w->end == UNWIND_COMPLETE)
		return 0;
	index = w->trail;
	k.t = t = bpf_map_lookup_elem(&sonde_unwind_trails, &index);
	if (!t)
		return 0;
	if (is_walk_of(t, w, limit, sweeps) && sonde_unwind_recall(t)) {
		w->hash = t->hash;
		return 0;
	}
	begin_trail(t, w, limit, sweeps);
	w->is_native = limit & WALK_NATIVE;
	w->run_wanted = ((limit >> 8 & SONDE_MAX_FRAMES) - 1) & 0x7fffffff;
	limit &= SONDE_MAX_FRAMES;
	w->limit = limit;
	sonde_unwind_sign(w, t);
	if (w->end == UNWIND_DEEP) {
		sonde_unwind_locate(w, t);
		if (!w->piece && sonde_unwind_first(w, t))
			sonde_unwind_locate(w, t);
		w->first[0] = w->ip;
		w->first[1] = w->sp;
		w->first[2] = w->fp;
		w->first[3] = w->run_wanted;
		bpf_loop(limit, walk_frame, &k, 0);
		trim(w, limit);
	}
	return sonde_unwind_end(w, tgid, exec_id);
}
