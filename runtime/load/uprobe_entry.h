/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the instruction on which a probe on the entry of a user function is put.
 */
#pragma once
#include "parser/plan/plan.h"

/* Move the entry probes of the plan. The kernel has to execute the instruction that a uprobe
 * replaces. It single-steps most instructions, which takes 16 us in a virtual machine; it emulates
 * pushes, branches and nops in 0.5 us. If the first instruction of a function is not cheap, its
 * probe is moved to the first one that is, provided that the script cannot see the difference.
 * Changes the targets of the plan; -v reports probes that are single-stepped. `has_kernel_walks`:
 * the kernel walks some user stack, by frame pointers. */
void uprobe_entry_move(const struct plan *plan, bool has_kernel_walks);
