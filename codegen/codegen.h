/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed AST and plan -> BPF object. The interface of this folder; it does not expose LLVM.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct diags;
struct plan;
struct program;

enum codegen_stage {
	CODEGEN_IR,	/* as generated */
	CODEGEN_IR_OPT, /* after the passes */
	CODEGEN_ELF,
};

/* The process exits with this status when a program is too long: LLVM reports that as a fatal
 * error, from which there is no return. */
enum { CODEGEN_TOO_LONG = 70 };

struct codegen_output {
	char *bytes; /* malloc'ed; when codegen_run returns -1: the message, NUL-terminated */
	size_t len;
	uint64_t gen_ns, llvm_ns; /* making LLVM's module; optimizing it and making the object */
	struct gen *kept;	  /* for codegen_free */
};

struct gen;
/* Generate. 0; 1 when the script exceeds a limit of BPF programs, with errors in `d`; -1 for a
 * defect of sonde's, with a message in out->bytes. Takes about 10 ms and 20 MiB; best run in a
 * process that ends afterwards, without codegen_free. */
int codegen_run(const struct program *p, const struct plan *plan, enum codegen_stage stage,
		struct diags *d, struct codegen_output *out);
/* Free what codegen_run has allocated, which takes 1 ms. */
void codegen_free(struct codegen_output *out);

/* The version of LLVM that sonde was built with: "19.1.7". */
const char *codegen_llvm_version(void);
