/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that generate spans of calls: what calibrated spans need at both ends. For
 * other probes `cost` is NULL, and nothing is subtracted.
 */
#pragma once
#include "codegen/gen.h"

/* Read the clock if the program needs to know when it began: call it first. */
void cost_clock(struct gen *g);
/* The last part of each program: what a probe without a span has taken. */
void cost_leave(struct gen *g);
/* The time that probes have taken from the current thread; go to `out` if there is no memory. */
LLVMValueRef cost_open(struct gen *g, LLVMBasicBlockRef out);
/* Last at the entry: store the start of the span, and what its end needs. */
void cost_begin(struct gen *g, LLVMValueRef cost, LLVMValueRef slot);
/* At the end: the length without the tracer's time; body.length is the whole. */
LLVMValueRef cost_less(struct gen *g, LLVMValueRef cost, LLVMValueRef slot, LLVMValueRef length);
/* The same of a call that `task` has open when tracing ends. */
LLVMValueRef cost_less_open(struct gen *g, LLVMValueRef task, LLVMValueRef slot,
			    LLVMValueRef length, LLVMBasicBlockRef out);
/* Behind the body. */
void cost_end(struct gen *g, LLVMValueRef cost);
