/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A BPF instruction as text, in the form that the kernel's verifier and LLVM use.
 */
#pragma once
#include "runtime/bpf/bpf_insn.h"
#include <stddef.h>

/* Write the text of insns[at], one of `n`, to `out`. `symbol` is the name that the instruction
 * refers to, or NULL. Jumps show the index of their target. */
void insn_text(const struct bpf_insn *insns, uint32_t at, uint32_t n, const char *symbol, char *out,
	       size_t size);
