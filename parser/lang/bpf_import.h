/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of imported BPF: `import "NAME.bpf.c";` is compiled by clang, `import "NAME.bpf.o";` is
 * an object. Scripts call their global functions by name. runtime/kernel/bpf_object.c reads the
 * prototypes, parser/sema/sema_import.c checks the calls, codegen/gen_import.c declares the
 * functions, and runtime/load/link.c links the objects.
 */
#pragma once
#include "parser/base/source.h"
#include <stddef.h>

struct type;

enum bpf_base { BPF_BASE_VOID, BPF_BASE_INT, BPF_BASE_ENUM, BPF_BASE_STRUCT, BPF_BASE_UNION };

/* A parameter's or result's type. */
struct bpf_type {
	/* As BTF spells it, without typedefs and qualifiers: libbpf compares it with the
	 * declaration in the script's object when it links the two. */
	enum bpf_base base;
	uint32_t levels;  /* of indirection: 0 for a value */
	const char *name; /* "unsigned int", "task_struct"; "" if it has none */
	uint32_t size;	  /* bytes of the base */
	bool is_signed, is_bool, is_char;
	const struct type *type; /* as scripts see it */
};

enum { BPF_PARAMS = 5 }; /* the registers that BPF passes arguments in */

struct bpf_function {
	const char *name;
	struct bpf_type params[BPF_PARAMS], result;
	uint32_t n_params;
	const char *obstacle; /* why scripts cannot call it; or NULL */
};

struct bpf_import {
	struct span span;  /* of the import */
	const char *name;  /* relative to the current folder, for messages */
	const char *path;  /* absolute */
	bool is_read;	   /* what follows is known; bytes NULL: reading failed, and was reported */
	bool is_used;	   /* a function of it is called */
	const void *bytes; /* the object, a relocatable ELF file, aligned to 8 */
	size_t len;
	const char *unsafe_use; /* what in it needs --unsafe, in words; or NULL */
	struct bpf_function *functions;
	uint32_t n_functions;
};

/* The prototype as C writes it, for messages: "int f(struct task_struct *, int)". */
const char *bpf_function_str(struct arena *a, const struct bpf_function *f);
