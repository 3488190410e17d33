/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Declarations that core_fields must find wrong, one of each kind, among some that are right. */
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_info {
	unsigned long cpu; /* an unsigned int: a load adapts, a read of the address does not */
};

struct task_struct {
	int pid;		       /* signed */
	void *tgid;		       /* an integer */
	unsigned long no_such_member;  /* missing */
	unsigned long perhaps_missing; /* missing, and asked for */
	unsigned long prio;	       /* a signed int */
	unsigned int flags;
	struct thread_info thread_info;
};

#pragma clang attribute pop

unsigned long wrong(struct task_struct *t)
{
	if (__builtin_preserve_field_info(t->perhaps_missing, 2))
		return t->perhaps_missing;
	return t->pid + (unsigned long)t->tgid + t->no_such_member + t->prio + t->flags +
	       t->thread_info.cpu;
}

void *address(struct task_struct *t)
{
	return __builtin_preserve_access_index(&t->thread_info.cpu);
}
