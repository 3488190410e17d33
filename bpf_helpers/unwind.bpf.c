/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Walks a user stack by the tables of unwind.h (x86-64).
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
		unsigned long fsbase;
	} thread;
};

struct mm_struct___unwind {
	struct maple_tree mm_mt; /* since 6.1 */
	struct file *exe_file;
	struct {
		uint64_t ctx_id; /* struct sonde_signs */
		void *vdso;
	} context;
};

struct pt_regs___unwind {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		flags, sp, ss;
	unsigned short cs; /* a whole word until 6.8 */
};

#pragma clang attribute pop

static INLINE uint64_t add_frame(struct sonde_walk *w); /* unwind_deep.bpf.c */
static INLINE uint32_t read_word(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out); /* unwind_read.bpf.c */
static INLINE uint32_t read_rare(struct sonde_walk *w, struct sonde_trail *t, uint64_t address,
				 uint64_t *out);

enum {
	USER_CS = 0x33,		/* __USER_CS: 64-bit code */
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

/* Go to the frame that a signal interrupted: its registers are in the ucontext at rsp. */
static INLINE uint32_t leave_signal(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t bp, sp, ip;

	if (!read_rare(w, t, w->sp + 120, &bp) || !read_rare(w, t, w->sp + 160, &sp) ||
	    !read_rare(w, t, w->sp + 168, &ip))
		return UNWIND_UNREADABLE;
	w->rbx_at = w->sp + 128;
	w->bp = bp;
	w->sp = sp;
	w->ip = ip;
	w->exact = 1;
	return UNWIND_GOES_ON;
}

/* Go to the caller of the innermost frame, in code without rows, where rbp may still be the
 * caller's. Returns 0 if the frame pointer has to be tried. glibc ends the rows of clone and clone3
 * before their system call, since those rows hold for the parent thread only: in the new thread,
 * the word at rsp is not a return address. */
static INLINE uint32_t leave_edge(struct sonde_walk *w, struct sonde_trail *t, uint32_t *end)
{
	uint32_t edge = sonde_unwind_edge(w, w->ip);
	uint64_t ip, bp = w->bp, at = w->sp;

	if (edge == EDGE_NONE)
		return 0;
	*end = UNWIND_UNREADABLE;
	if (edge == EDGE_PUSHED) {
		if (!read_rare(w, t, at, &bp))
			return 1;
		at += 8;
	} else if (edge > EDGE_FUNCTION) {
		at += 8 * (edge - EDGE_FUNCTION);
	}
	if (!read_rare(w, t, at, &ip)) {
		if (edge == EDGE_SYSCALL && !sonde_unwind_register(w, 0))
			/* a new thread, which has not used its stack yet */
			*end = UNWIND_COMPLETE;
		return 1;
	}
	*end = UNWIND_COMPLETE;
	if (!sonde_unwind_follows_call(w, ip))
		return edge == EDGE_SYSCALL;
	w->ip = ip;
	w->bp = bp;
	w->sp = at + 8;
	w->by_fp = 1;
	*end = UNWIND_GOES_ON;
	return 1;
}

/* Go to the caller by its frame pointer. */
static INLINE uint32_t leave_by_fp(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t bp = w->bp, ip, caller;

	if (bp < w->sp || bp - w->sp > FP_STEP_MAX || bp & 7)
		return sonde_unwind_is_base(w, w->ip) ? UNWIND_COMPLETE : UNWIND_NO_POINTER;
	if (!read_rare(w, t, bp, &caller) || !read_rare(w, t, bp + 8, &ip))
		return UNWIND_UNREADABLE;
	w->sp = bp + 16;
	w->rbx_at = RBX_UNKNOWN;
	w->bp = caller;
	w->ip = ip;
	w->by_fp = 1;
	return ip || caller ? UNWIND_GOES_ON : UNWIND_COMPLETE; /* both 0: the outermost frame */
}

static INLINE uint32_t leave_without_rule(struct sonde_walk *w, struct sonde_trail *t, uint64_t n)
{
	uint32_t end;

	if (!w->is_mapped)
		return UNWIND_NOT_READY;
	if (n == 0 && leave_edge(w, t, &end))
		return end;
	if (w->need)
		return UNWIND_UNREADABLE; /* the step is done again */
	return leave_by_fp(w, t);
}

/* Is the CFA a register or a word of the stack, plus something? */
static INLINE uint32_t is_sum(uint32_t kind)
{
	return kind >= UNWIND_REGISTER ||
	       (kind >= UNWIND_RSP && kind <= UNWIND_RSP_RA_RDI && kind != UNWIND_SIGNAL);
}

/* Go to the caller by a rule with such a CFA. */
static INLINE uint32_t leave_by_rule(struct sonde_walk *w, struct sonde_trail *t,
				     const struct unwind_rule *rule)
{
	uint64_t base = w->sp, cfa, ip, bp = w->bp, at = 0;
	uint32_t kind = rule->cfa & ~UNWIND_GUESS, how, rbx;
	int64_t offset = rule->cfa_offset;

	if (kind == UNWIND_RBP || kind == UNWIND_RBP_DEREF)
		base = w->bp;
	if (kind == UNWIND_RBX && w->rbx_at > RBX_IN_REGISTER) {
		at = w->rbx_at;
	} else if (kind >= UNWIND_REGISTER) {
		if (w->n_frames != 1 && (kind != UNWIND_RBX || w->rbx_at != RBX_IN_REGISTER))
			return UNWIND_NO_WAY;
		t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
		base = sonde_unwind_register(w, kind - UNWIND_REGISTER);
	}
	cfa = base + offset;
	if (kind == UNWIND_PLT)
		cfa = base + 8 + ((w->ip & 15) >= (uint64_t)offset ? 8 : 0);
	if (kind == UNWIND_RBP_DEREF || kind == UNWIND_RSP_DEREF) {
		at = base + (int64_t)UNWIND_DEREF_AT(offset);
		offset = UNWIND_DEREF_ADD(offset);
	}
	if (at) {
		if (!read_word(w, t, at, &cfa))
			return UNWIND_UNREADABLE;
		cfa += offset;
	}
	if (cfa <= w->sp && !(kind == UNWIND_RSP_RA_RDI && cfa == w->sp))
		return UNWIND_BAD_FRAME;
	kind = AGAIN(rule->cfa) & ~UNWIND_GUESS;
	how = UNWIND_SAVED_RBP(AGAIN(rule->saved));
	if (how == UNWIND_RBP_AT_CFA || how == UNWIND_RBP_AT_RBP) {
		base = how == UNWIND_RBP_AT_CFA ? cfa : w->bp;
		if (!read_word(w, t, base + (int64_t)rule->rbp_offset, &bp))
			return UNWIND_UNREADABLE;
	}
	if (kind == UNWIND_RSP_RA_RDI) {
		if (w->n_frames != 1)
			return UNWIND_NO_WAY;
		t->n_slots = WALK_SLOTS + 1;
		ip = sonde_unwind_register(w, 5);
	} else if (!read_word(w, t, cfa - 8, &ip)) {
		return UNWIND_UNREADABLE;
	}
	if (rule->cfa & UNWIND_GUESS && !sonde_unwind_follows_call(w, ip))
		return UNWIND_NO_CALL;
	rbx = UNWIND_SAVED_RBX(AGAIN(rule->saved));
	how = UNWIND_SAVED_RBP(AGAIN(rule->saved));
	if (rbx == UNWIND_RBX_UNKNOWN)
		w->rbx_at = RBX_UNKNOWN;
	else if (rbx)
		w->rbx_at = cfa + UNWIND_RBX_OFFSET(rbx);
	w->sp = cfa;
	w->bp = how == UNWIND_RBP_UNKNOWN ? 0 : bp;
	w->ip = ip;
	/* 0: the base of a fiber's stack, as its maker has set it up */
	return ip ? UNWIND_GOES_ON : UNWIND_COMPLETE;
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
 * end of the walk; w->end says why it ended. */
GLOBAL int sonde_unwind_step(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t x, by_fp, n;
	struct unwind_rule *rule;
	uint32_t end, kind, row;

	if (!w || !t)
		return 1;
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
	if (kind == UNWIND_NO_RULE || (kind > UNWIND_SWITCH_RBP && kind < UNWIND_REGISTER && !n))
		end = leave_without_rule(w, t, n);
	else if (kind == UNWIND_SIGNAL)
		end = leave_signal(w, t);
	else if (kind == UNWIND_END)
		end = UNWIND_COMPLETE;
	else if (kind == UNWIND_UNSUPPORTED)
		end = UNWIND_NO_WAY;
	else if (kind >= UNWIND_SWITCH_RBP && kind < UNWIND_REGISTER)
		end = sonde_unwind_switch(w, t, kind, rule->cfa_offset);
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

/* The walk starts at w->ip, w->sp and w->bp. */
static INLINE void begin(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	struct unwind_space *space = bpf_map_lookup_elem(&sonde_unwind_spaces, &tgid);

	w->rbx_at = RBX_IN_REGISTER;
	w->exact = 1;
	w->by_fp = 0;
	w->bytes = 0;
	w->window_bytes = 0;
	w->n_frames = 0;
	w->n_certain = 0;
	w->is_missing = w->is_unsure = 0;
	w->must_ask = 0;
	w->n_ranges = 0;
	w->ranges = 0;
	w->generation = 0;
	w->file = w->files = w->hash = 0;
	if (space && is_of(space, exec_id)) {
		w->ranges = space->ranges;
		w->n_ranges = space->n_ranges;
		w->generation = space->generation;
	}
	w->stack.ips[0] = w->ip;
	w->trail = w->slot & 3;
	w->limit = 0;
}

static INLINE_CORE void begin_current(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
				      uint32_t limit)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs___unwind *regs = (void *)bpf_task_pt_regs(task);
	uint64_t mix;

	w->ip = regs->ip;
	w->sp = regs->sp;
	w->bp = regs->bp;
	w->end = regs->cs == USER_CS ? UNWIND_DEEP : UNWIND_COMPAT;
	if (is_between_programs(w, task))
		w->end = UNWIND_COMPLETE;
	begin(w, tgid, exec_id);
	mix = (w->ip ^ w->sp << 7 ^ w->bp << 13 ^ w->generation ^ limit) * FACTOR;
	if (!w->slot && w->generation)
		w->trail = SONDE_SCRATCH_SLOTS + (mix >> 57 & sonde_config.trails_mask);
}

static INLINE uint32_t is_walk_of(const struct sonde_trail *t, const struct sonde_walk *w,
				  uint32_t limit, uint32_t sweeps)
{
	return t->hash && t->ip == w->ip && t->sp == w->sp && t->bp == w->bp &&
	       t->generation == w->generation && t->limit == limit && t->sweeps == sweeps;
}

static INLINE void begin_trail(struct sonde_trail *t, const struct sonde_walk *w, uint32_t limit,
			       uint32_t sweeps)
{
	t->hash = 0;
	t->ip = w->ip;
	t->sp = w->sp;
	t->bp = w->bp;
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

struct walking {
	struct sonde_walk *w;
	struct sonde_trail *t;
};

static __attribute__((noinline)) long walk_frame(uint64_t i, struct walking *k)
{
	uint32_t is_end;

	if (i)
		sonde_unwind_locate(k->w, k->t);
	is_end = sonde_unwind_step(k->w, k->t);
	OPAQUE(is_end);
	return is_end & 1; /* the mask shows the verifier that the result is 0 or 1 */
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
	w->limit = limit;
	sonde_unwind_sign(w, t);
	if (w->end == UNWIND_DEEP) {
		sonde_unwind_locate(w, t);
		if (!w->piece && sonde_unwind_first(w, t))
			sonde_unwind_locate(w, t);
		bpf_loop(limit < SONDE_MAX_FRAMES ? limit : SONDE_MAX_FRAMES, walk_frame, &k, 0);
	}
	return sonde_unwind_end(w, tgid, exec_id);
}
