/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Shared by the two halves of `reason`: the half that is compiled with the script (reason.bpf.c),
 * and the half that is linked to it (reason_stack.bpf.c).
 */
#pragma once
#include "bpf_helpers/shared.h"

/* The reason (enum sonde_reason) by the kernel stack that was captured into a slot of the scratch
 * memory: the row in reasons.def of the innermost function that has one. It is found when a stack
 * is captured, and kept in the stack's trail (keep_recall.bpf.c). After each capture or recall it
 * is in scratch->class. */
uint64_t sonde_reason_find(uint32_t slot);
