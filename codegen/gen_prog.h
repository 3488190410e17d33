/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files that generate kernel programs: gen_prog.c (entry, scope, dispatch, body),
 * gen_span.c (both ends of spans) and gen_iter.c.
 */
#pragma once
#include "codegen/gen.h"

/* Continue if body.syscall is one of the selected probe's numbers. */
void prog_only_if_number(struct gen *g, LLVMBasicBlockRef otherwise);
/* Go to `out` unless the current thread is traced (-p, -c, --cgroup). */
void prog_scope_test(struct gen *g, LLVMBasicBlockRef out);
/* Note that the selected probe fired. Call it in the first code that runs for the probe, before its
 * predicate. */
void prog_note_firing(struct gen *g);
/* Select plan->probes[id] as the probe that is generated. */
void prog_select_probe(struct gen *g, uint32_t id);
/* Go to `out` unless the predicate holds. Parts that the span's start has tested are skipped. */
void prog_predicate(struct gen *g, struct expr *e, LLVMBasicBlockRef out);
/* Generate predicate and body. The builder is in a new block afterwards. */
void prog_body(struct gen *g);
/* The i-th 64-bit word of the context, as a pointer. */
LLVMValueRef prog_context_pointer(struct gen *g, uint32_t i);
/* Set body.words at the beginning of a function. */
void prog_rebuild_words(struct gen *g);

/* The gen column of prog_kinds.def: generates a program from its entry to `out`. */
typedef void gen_prog_fn(struct gen *g, LLVMBasicBlockRef out);
#define PROG_KIND(id, name, section, frames, gen, ...) gen_prog_fn gen;
#include "parser/lang/prog_kinds.def"

/* The gen column of spans.def: generates the start of spans, their end, or both. The probe is
 * selected, and the code ends with a branch to `out`. probe.is_start is set in programs that only
 * start spans: those at entries of functions, and sys_enter's. */
typedef void gen_span_fn(struct gen *g, LLVMBasicBlockRef out);
#define SPAN(id, start, state, slots, key, same, ended, gen, doc) gen_span_fn gen;
#include "parser/lang/spans.def"
/* Call the hook of the selected probe's kind of span. */
void gen_span(struct gen *g, LLVMBasicBlockRef out);
