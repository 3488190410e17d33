/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Return addresses that return probes have replaced on a user stack (unwind.bpf.c).
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

enum {
	RETURNS = 64, /* max. return probes of a thread (MAX_URETPROBE_DEPTH) */
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct return_instance {
	unsigned long stack; /* address of the replaced return address */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

struct task_struct___unwind {
	struct uprobe_task *utask;
};

#pragma clang attribute pop

/* Small frames, as in unwind_vma.bpf.c: the callback has a pointer to the walk, and w->look is the
 * element of the list, later the address found. */
struct returns {
	struct sonde_walk *w;
};

static __attribute__((noinline)) long look_at_return(uint32_t i, struct returns *l)
{
	struct return_instance *r = (void *)l->w->look;
	uint64_t slot = 0;

	(void)i;
	bpf_core_read(&slot, sizeof(slot), &r->stack);
	if (slot == l->w->sp - 8) {
		bpf_core_read(&l->w->look, sizeof(l->w->look), &r->orig_ret_vaddr);
		return 1;
	}
	bpf_core_read(&l->w->look, sizeof(l->w->look), &r->next);
	return !l->w->look;
}

/* The trampoline is the start of a page, to which the probed functions return. By bpf_loop, because
 * it is rare: the verifier would follow a loop 64 times. */
GLOBAL uint64_t sonde_unwind_replaced(struct sonde_walk *w)
{
	struct task_struct *task;
	struct returns l = {.w = w};

	if (!w)
		return 0;
	task = (void *)w->other;
	if (!task)
		task = bpf_get_current_task_btf();
	if (BPF_CORE_READ(task, mm, uprobes_state.xol_area, vaddr) != w->ip)
		return 0;
	w->look = (uint64_t)BPF_CORE_READ((struct task_struct___unwind *)task, utask,
					  return_instances);
	if (w->look)
		bpf_loop(RETURNS, look_at_return, &l, 0);
	return w->look;
}
