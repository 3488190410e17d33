/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of a kernel program share: gen_prog.c (entry, scope, dispatch, body) and
 * gen_span.c (the two ends of spans).
 */
#pragma once
#include "codegen/gen.h"

/* Go on only when `cond` (i1), else to `otherwise`. */
void prog_only_if(struct gen *g, LLVMValueRef cond, LLVMBasicBlockRef otherwise);
/* Go on only when g->syscall is one of the selected probe's numbers. */
void prog_only_if_number(struct gen *g, LLVMBasicBlockRef otherwise);
/* Leave to `out` unless the current thread is traced. */
void prog_scope_test(struct gen *g, LLVMBasicBlockRef out);
/* Make plan->probes[id] the one that is generated. */
void prog_select_probe(struct gen *g, uint32_t id);
/* Bring in what the text of a str() is in (prefault.h); `gen` is the generator. */
void gen_prefault_string(struct expr *e, void *gen);
/* Predicate and body; ends at a new block to go on from. */
void prog_body(struct gen *g);
/* The i-th 64-bit word of the context, as a pointer. */
LLVMValueRef prog_context_pointer(struct gen *g, uint32_t i);

/* The gen column of prog_kinds.def: all of a program between its entry and `out`. */
typedef void gen_prog_fn(struct gen *g, LLVMBasicBlockRef out);
#define PROG_KIND(id, name, section, frames, gen, ...) gen_prog_fn gen;
#include "parser/lang/prog_kinds.def"
#undef PROG_KIND

/* Start and end of a kind of span, or both: the gen column of spans.def. The probe is selected; the
 * builder is at a block of its own, and the code ends by going to `out`. In a program of its own
 * that only starts spans, and in sys_enter's, g->is_start is set. */
typedef void gen_span_fn(struct gen *g, LLVMBasicBlockRef out);
#define SPAN(id, start, state, slots, key, same, gen, doc) gen_span_fn gen;
#include "parser/lang/spans.def"
#undef SPAN
/* The hook of a kind. */
void gen_span(struct gen *g, LLVMBasicBlockRef out);
