/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that generate both ends of spans, for the selected probe: gen_span.c,
 * gen_span_go.c and gen_open.c.
 */
#pragma once
#include "codegen/gen.h"

/* The map with the state of the spans. */
LLVMValueRef span_map(struct gen *g);
/* Constants of the selected probe: the shape of its slots (bpf_helpers/shared.h), its index in the
 * plan. */
LLVMValueRef span_shape(struct gen *g);
LLVMValueRef span_probe_id(struct gen *g);
/* The time now: CLOCK_MONOTONIC in ns, an i64. */
LLVMValueRef span_clock(struct gen *g);
/* The i64 that identifies the called function in a slot. */
LLVMValueRef span_call_target(struct gen *g);
/* Several attach points can keep their calls in the same state. Go to `out` if the open call in the
 * slot belongs to another one. */
void span_only_if_mine(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out);
/* At the start: test the scope and the part of the predicate that the start can test; go to `out`
 * if one fails. */
void span_test_start(struct gen *g, LLVMBasicBlockRef out);
/* Two parts of that test for a thread other than the current one: the predicate's part, and the
 * cgroup. */
void span_test_conds(struct gen *g, LLVMBasicBlockRef out);
void span_test_cgroup(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out);
/* span_open: the thread's state, created if it has none; `out` if there is no memory. span_find:
 * its state, or `out` if it has none. span_take: the start time in a slot, or `out` if there is
 * none. */
LLVMValueRef span_open(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out);
LLVMValueRef span_find(struct gen *g, LLVMValueRef task, LLVMBasicBlockRef out);
LLVMValueRef span_take(struct gen *g, LLVMValueRef slot, LLVMBasicBlockRef out);
/* Does the probe use `cut`? span_unmark() returns the time of a `start` that may be marked as not
 * seen, and sets body.cut. */
bool span_tells_cut(struct gen *g);
LLVMValueRef span_unmark(struct gen *g, LLVMValueRef start);
/* Bring in the pages of the strings of entry(EXPR); store the values of entry(EXPR) in the slot. */
void span_prefault_entries(struct gen *g);
void span_store_entries(struct gen *g, LLVMValueRef slot);
/* The same of `call`: of the texts of arguments, and the arguments (gen_call_value.c). */
void span_prefault_call(struct gen *g);
/* At the end: of the text of the result. */
void span_prefault_result(struct gen *g);
void span_store_call(struct gen *g, LLVMValueRef slot);
/* At the end: run the body for the span in `slot`, which began at `start`. */
void span_body(struct gen *g, LLVMValueRef slot, LLVMValueRef start, LLVMValueRef delta);
/* Store the fields of `args` that the body uses, from the event or from the thread itself. */
void span_store_args(struct gen *g, LLVMValueRef slot);
/* The hash of the kernel stack of `task`, which leaves the CPU. */
LLVMValueRef span_leaves(struct gen *g, LLVMValueRef task, uint32_t limit);
/* Store why the thread leaves the CPU, or has left it before tracing, if the body uses it. */
void span_store_reason(struct gen *g, LLVMValueRef slot);
/* Do several attach points of the probe keep their calls in the same state? Then the target of a
 * call contains the number of its attach point. */
bool span_is_shared(const struct gen *g);
/* The address bits by which stacks are told apart; 0: all calls of a thread are on one. */
LLVMValueRef span_stack_mask(struct gen *g);
/* Of the open calls, the number of those that can still be open at an entry of `target` at `sp`; go
 * to `out` if the entry begins no call. When one program is attached to many functions, a call at
 * the stack pointer of an open one replaces it: the open one has jumped to it, or was left. */
LLVMValueRef span_remaining_calls(struct gen *g, LLVMValueRef calls, LLVMValueRef sp,
				  LLVMValueRef target, LLVMBasicBlockRef out);
/* The `n` open calls from number `first` on were left by an exception or longjmp, before `now` if
 * that is not NULL: count them, and show them with open_spans = count. */
void span_leave_calls(struct gen *g, LLVMValueRef calls, LLVMValueRef first, LLVMValueRef n,
		      LLVMValueRef now);
/* A function for bpf_loop(): the callback's number and the address of its data are what `each`
 * gets. */
LLVMValueRef span_callback(struct gen *g, const char *what,
			   void (*each)(struct gen *g, LLVMValueRef number, LLVMValueRef at,
					LLVMBasicBlockRef out));
