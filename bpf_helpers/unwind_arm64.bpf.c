/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What a walk (unwind.bpf.c) knows of arm64: registers, instructions, and what tells that mappings
 * have changed.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

#ifdef SONDE_TARGET_arm64

enum { CALL_CLONE = 220, CALL_CLONE3 = 435, FLAG_VM = 0x100, FLAG_VFORK = 0x4000 };

GLOBAL uint64_t sonde_unwind_register(struct sonde_walk *w, uint32_t number)
{
	struct pt_regs___unwind *r;
	uint64_t value = 0;

	if (!w)
		return 0;
	r = (void *)w->regs;
	if (!w->other)
		r = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	bpf_probe_read_kernel(&value, sizeof(value), (void *)((uint64_t)&r->regs[0] + 8 * number));
	return value;
}

/* The two instructions before x. */
static INLINE uint64_t read_code(struct sonde_walk *w, uint64_t x)
{
	uint64_t code = 0;

	if (w->other)
		return sonde_unwind_read(w, x - 8) ? w->window[0] : 0;
	bpf_probe_read_user(&code, sizeof(code), (void *)(x - 8));
	return code;
}

/* Does x follow a call? That is bl, or blr with or without authentication of the address. */
GLOBAL uint32_t sonde_unwind_follows_call(struct sonde_walk *w, uint64_t x)
{
	uint32_t code;

	if (!w || x & 3)
		return 0;
	code = read_code(w, x) >> 32;
	return code >> 26 == 0x25 || (code & 0xfee00000) == 0xd6200000;
}

/* glibc's __startcontext(), to which the function of makecontext() returns: mov x0, x19; cbnz x0.
 * Others are not known. */
GLOBAL uint32_t sonde_unwind_is_base(struct sonde_walk *w, uint64_t x)
{
	return w && (read_code(w, x + 8) & 0xff00001fffffffff) == 0xb5000000aa1303e0;
}

/* Is the return address in x30? It is so at the function's first instruction, and at its return. */
GLOBAL uint32_t sonde_unwind_is_edge(struct sonde_walk *w, uint64_t ip)
{
	uint32_t code;

	if (!w)
		return 0;
	code = read_code(w, ip + 4) >> 32;
	return (code & 0xffc07fff) == 0xa9807bfd || /* stp x29, x30, [sp, #-n]! */
	       (code & 0xffe0001f) == 0xd4200000 || /* brk: a probe */
	       (code & 0xffffff7f) == 0xd503245f || /* bti c */
	       (code & 0xffffffbf) == 0xd503233f || /* paciasp, pacibsp */
	       (code & 0xfffff3ff) == 0xd65f03c0 || /* ret */
	       (code & 0xfffffbff) == 0xd65f0bff;   /* retaa, retab */
}

static INLINE uint32_t leave_edge(struct sonde_walk *w, struct sonde_trail *t, uint32_t *end)
{
	uint64_t ip = CODE_ADDRESS(w->link);

	if (!sonde_unwind_is_edge(w, w->ip) || !sonde_unwind_follows_call(w, ip))
		return 0;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on the code */
	w->extra_at = EXTRA_UNKNOWN;
	w->ip = ip;
	w->by_fp = 1;
	*end = UNWIND_GOES_ON;
	return 1;
}

/* The saved registers are a copy of the parent's, but for x0, and x30 is an address in the parent's
 * code. vfork() does not make another stack. */
static INLINE_CORE uint32_t is_new_thread(struct sonde_walk *w)
{
	uint64_t call = sonde_unwind_register(w, 8), flags;
	struct pt_regs___unwind *r = (void *)w->regs;

	if ((call != CALL_CLONE && call != CALL_CLONE3) || sonde_unwind_register(w, 0))
		return 0;
	if (call == CALL_CLONE3)
		return 1;
	if (!w->other)
		r = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	flags = BPF_CORE_READ(r, orig_x0);
	return (flags & (FLAG_VM | FLAG_VFORK)) == FLAG_VM;
}

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct seqcount {
	unsigned sequence;
};

struct mm_struct___counted {
	struct seqcount mm_lock_seq; /* since 6.13 */
};

#pragma clang attribute pop

/* mm_lock_seq counts how often the mappings were locked for changes, since 6.4. The generation of a
 * process's ranges tells processes apart. Before 6.4, every mapping is compared at each walk. */
static INLINE_CORE uint64_t signs_of(struct mm_struct___unwind *mm)
{
	struct mm_struct___counted *counted = (void *)mm;

	if (bpf_core_field_exists(counted->mm_lock_seq.sequence))
		return (uint64_t)&counted->mm_lock_seq.sequence;
	return bpf_core_field_exists(mm->mm_lock_seq) ? (uint64_t)&mm->mm_lock_seq : 0;
}

static INLINE void read_signs(struct sonde_signs *out, uint64_t at)
{
	uint32_t changes = 0;

	out->space = at;
	out->changes = bpf_probe_read_kernel(&changes, sizeof(changes), (void *)at)
			       ? bpf_ktime_get_ns()
			       : changes;
}

#endif
