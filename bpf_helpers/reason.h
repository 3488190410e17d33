/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Shared by the two halves of `reason`: the half that is compiled with the script (reason.bpf.c),
 * and the half that is linked to it (reason_stack.bpf.c).
 */
#pragma once
#include "bpf_helpers/shared.h"

/* What the kernel stack that was captured into a slot of the scratch memory tells of the wait (enum
 * sonde_reason): the row of its innermost function that has one in reasons.def. It is found when a
 * stack is captured, and kept with its trail: scratch->class after each capture and recall. */
uint64_t sonde_reason_find(uint32_t slot);
