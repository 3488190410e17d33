/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Java virtual machine of a process: its table in the store, and the marks that lead walks
 * there. The layouts of a process share it (spaces.c).
 */
#pragma once
#include "runtime/base/proc_maps.h"
#include "runtime/unwind/directory.h"

struct unwind_jvm;
struct unwind_store;

/* If the mapping is that of a virtual machine, set *jvm to a reference to it: to `old`, if that is
 * the same one and was read. Its heaps may be added one after the other, so they are read again
 * until a second has passed. Returns 0 or -ENOMEM. */
int unwind_jvm_note(struct unwind_store *store, uint32_t tgid, const struct proc_mapping *m,
		    uint64_t now_ns, struct unwind_jvm *old, struct unwind_jvm **jvm);
/* What was learnt of the machine stays with a layout that is kept: exchange the two. */
void unwind_jvm_keep(struct unwind_jvm **kept, struct unwind_jvm **newer);
/* Release a reference; NULL is allowed. */
void unwind_jvm_release(struct unwind_store *store, struct unwind_jvm *jvm);
/* Mark the parts of the process's ranges that are in heaps of code. Heaps grow, so a range goes to
 * the end of its heap. While the machine starts, ranges of anonymous memory that are in no heap are
 * left out, so that programs ask for them again. If there are too many ranges, they stay as they
 * are. Returns 0 or -ENOMEM. NULL is allowed. */
int unwind_jvm_mark(const struct unwind_jvm *jvm, struct unwind_ranges *ranges);
