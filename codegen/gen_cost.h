/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that generate spans of calls: the code at both ends that subtracts the
 * tracer's own time. For other probes `cost` is NULL, and nothing is subtracted.
 */
#pragma once
#include "codegen/gen.h"

/* Read the clock into g->prog.began if the program needs to know when it began. Call it first. */
void cost_clock(struct gen *g);
/* In the entry block: memory for what cost_leave() has to count. */
void cost_reserve(struct gen *g);
/* From here on the program is that of a call's entry, where one program has both ends. */
void cost_is_entry(struct gen *g);
/* Call it last in each program. Count the time that it has taken, if the probe has no span, or the
 * call is not measured. */
void cost_leave(struct gen *g);
/* The address of the time that probes have taken from the current thread, or goroutine. Go to `out`
 * if there is no memory for it. */
LLVMValueRef cost_open(struct gen *g, LLVMBasicBlockRef out);
/* Call it last at the entry: store the start time of the span, and what its end needs. */
void cost_begin(struct gen *g, LLVMValueRef cost, LLVMValueRef slot);
/* At the end: the length without the tracer's time. Sets body.length to the whole length. */
LLVMValueRef cost_less(struct gen *g, LLVMValueRef cost, LLVMValueRef slot, LLVMValueRef length);
/* The same for a call of `task` that is open when tracing ends. */
LLVMValueRef cost_less_open(struct gen *g, LLVMValueRef task, LLVMValueRef slot,
			    LLVMValueRef length, LLVMBasicBlockRef out);
/* After the body: count the time that the program has taken. */
void cost_end(struct gen *g, LLVMValueRef cost);
