/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a module to the bytes of an object: which functions are inlined, the passes, the back end.
 */
#pragma once
#include "codegen/codegen.h"
#include "codegen/gen.h"

/* ---- functions that are not inlined (outline.c) */
/* Is the script so long that some functions should not be inlined? Call it before helper_link(). */
bool outline_is_wanted(const struct gen *g);
/* Decide which of the linked functions are inlined. */
void outline_choose(struct gen *g, bool is_wanted);
/* Remove the line information of inlined functions: BTF has only lines of the script. */
void outline_drop_places(struct gen *g);

/* ---- output (emit.c) */
/* Delete functions without callers. */
void emit_drop_unused(struct gen *g);
/* Link the helpers and run the passes. Returns 0, or -1 with g->message. */
int emit_optimize(struct gen *g);
/* Are all functions, as generated, so short that they are within every limit of BPF programs? */
bool emit_is_small(const struct gen *g);
/* The number of LLVM's instructions of all functions; *most: of the longest one. */
uint32_t emit_instructions(const struct gen *g, uint32_t *most);
/* Make the ELF object in out->bytes, which the caller frees. Returns 0, or -1 with g->message. If
 * LLVM cannot encode a jump, the process exits with CODEGEN_TOO_LONG. */
int emit_machine(struct gen *g, struct codegen_output *out);
