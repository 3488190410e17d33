/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User memory that is faulted in before a body reads it.
 */
#pragma once
#include "codegen/gen.h"

/* Fault in what the body of the selected probe reads, or go to `out` if a predicate of numbers is
 * false; what its entry() reads. */
void gen_prefault_body(struct gen *g, LLVMBasicBlockRef out);
void gen_prefault_entries(struct gen *g);
/* A program that does only this. */
void gen_prefault_program(struct gen *g, LLVMBasicBlockRef out);
/* The registers meanwhile, by a pointer that LLVM does not know to be the same as another one: it
 * would compute addresses of registers before branches, which the verifier rejects. */
LLVMValueRef gen_prefault_words(struct gen *g);
/* What gen_read_to() and a variable are meanwhile. */
void gen_prefault_to(struct gen *g, LLVMValueRef to, uint32_t size, LLVMValueRef address);
struct value gen_prefault_var(struct gen *g, const struct var *v);
