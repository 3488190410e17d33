/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Addresses on a user stack that are in the page of uprobes (unwind.bpf.c): the address of the
 * trampoline, by which return probes have replaced return addresses, and addresses in copies of
 * probed instructions.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

enum {
	RETURNS = 64,	  /* max. return probes of a thread (MAX_URETPROBE_DEPTH) */
	COPY_BYTES = 128, /* for the copy of an instruction (UPROBE_XOL_SLOT_BYTES) */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct return_instance {
	unsigned long stack; /* x86-64: address of the replaced return address; arm64: the sp */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
	unsigned long vaddr;	 /* of the instruction that is being single-stepped */
	unsigned long xol_vaddr; /* of its copy, which runs instead; 0: none does */
};

#pragma clang attribute pop

/* The BPF stack frames are small, as in unwind_vma.bpf.c: the callback has only a pointer to the
 * walk; w->look is the element of the list, and later the address that was found. A thread that is
 * in the trampoline has returned already, and may have pushed registers: its next instruction is at
 * that address. */
struct returns {
	struct sonde_walk *w;
};

static __attribute__((noinline)) long look_at_return(uint32_t i, struct returns *l)
{
	struct return_instance *r = (void *)l->w->look;
	uint64_t slot = 0;

	bpf_core_read(&slot, sizeof(slot), &r->stack);
	slot += RETURN_POPS(l->w);
	if (slot - l->w->sp <= (l->w->ip & (PAGE - 1) ? TRAMPOLINE_PUSHES : 0)) {
		l->w->sp = slot;
		bpf_core_read(&l->w->look, sizeof(l->w->look), &r->orig_ret_vaddr);
		return 1;
	}
	bpf_core_read(&l->w->look, sizeof(l->w->look), &r->next);
	return !l->w->look;
}

/* The address that an address in the page of uprobes stands for; 0 if it is not in that page. The
 * page starts with the trampoline. The list is searched by bpf_loop(), because this is rare and the
 * verifier would follow a loop 64 times. */
GLOBAL uint64_t sonde_unwind_replaced(struct sonde_walk *w)
{
	struct uprobe_task *utask;
	struct task_struct *task;
	struct returns l = {.w = w};
	uint64_t copy;

	if (!w)
		return 0;
	task = (void *)w->other;
	if (!task)
		task = bpf_get_current_task_btf();
	if (w->ip - BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr) >= PAGE)
		return 0;
	utask = BPF_CORE_READ((struct task_struct___unwind *)task, utask);
	copy = BPF_CORE_READ(utask, xol_vaddr);
	if (copy && w->ip - copy < COPY_BYTES)
		return w->ip - copy + BPF_CORE_READ(utask, vaddr);
	w->look = (uint64_t)BPF_CORE_READ(utask, return_instances);
	if (w->look)
		bpf_loop(RETURNS, look_at_return, &l, 0);
	return w->look;
}

/* The first frame may be in the middle of that page. */
GLOBAL uint32_t sonde_unwind_first(struct sonde_walk *w, struct sonde_trail *t)
{
	uint64_t x;

	if (!w || !t)
		return 0;
	x = sonde_unwind_replaced(w);
	if (!x)
		return 0;
	t->n_slots = WALK_SLOTS + 1; /* not learnt: it depends on more than the stack */
	w->ip = x;
	w->is_missing = 0;
	return 1;
}
