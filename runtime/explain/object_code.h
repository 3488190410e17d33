/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BPF functions of an ELF object: their instructions, with what each refers to by name (from
 * the relocations) and the line of the source that it comes from (from .BTF.ext).
 */
#pragma once
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct code_insn {
	struct bpf_insn insn;
	const char *core;      /* what a CO-RE relocation puts in, in words; or NULL */
	const char *symbol;    /* the map, variable or function that a relocation names; or NULL */
	const char *file;      /* file of the line, as BTF has it; or NULL */
	uint32_t line, column; /* 0: unknown */
	const char *text;      /* text of the line, as the kernel shows it; "": none */
};

struct code_function {
	const char *name, *section;
	struct code_insn *insns;
	uint32_t n_insns;
};

struct code_object {
	struct code_function *functions; /* in the order of the sections and addresses */
	uint32_t n_functions;
};

/* Read the object. All results are in the arena. Returns 0 or -errno. */
int object_code_read(struct arena *a, const void *elf, size_t len, struct code_object *out);
