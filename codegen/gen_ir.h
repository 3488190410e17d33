/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Common instructions of LLVM, at the place where code is generated (gen_type.c). Part of gen.h.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <llvm-c/Core.h>

struct gen;

/* The i64 at an address. */
LLVMValueRef gen_word(struct gen *g, LLVMValueRef at);
/* An i1: is the integer `v` not 0? Compare it with a constant. */
LLVMValueRef gen_truth(struct gen *g, LLVMValueRef v);
LLVMValueRef gen_compare(struct gen *g, LLVMIntPredicate how, LLVMValueRef v, uint64_t n);
/* A shorter integer as an i64, with zeros. */
LLVMValueRef gen_extended(struct gen *g, LLVMValueRef v);
/* The i64 v + n, v & mask, v >> bits. */
LLVMValueRef gen_plus(struct gen *g, LLVMValueRef v, uint64_t n);
LLVMValueRef gen_masked(struct gen *g, LLVMValueRef v, uint64_t mask);
LLVMValueRef gen_shifted(struct gen *g, LLVMValueRef v, uint32_t bits);
/* A new block at the end of the current function. */
LLVMBasicBlockRef gen_block(struct gen *g, const char *name);
/* Branch by `cond`, an i1, or a number or pointer that is not 0; continue in `then`, or in
 * `otherwise`. */
void gen_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise);
void gen_unless(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef then,
		LLVMBasicBlockRef otherwise);
/* Continue in a new block if `cond` is true, else go to `otherwise`. */
void gen_only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise);
/* Go to the block, and continue there. */
void gen_enter(struct gen *g, LLVMBasicBlockRef block);
/* The i64 x if the code came from one block, y if it came from the other. */
LLVMValueRef gen_phi(struct gen *g, LLVMValueRef x, LLVMBasicBlockRef from_x, LLVMValueRef y,
		     LLVMBasicBlockRef from_y);
/* Count a loss of the probe. */
void gen_lost(struct gen *g, enum sonde_loss cause);
