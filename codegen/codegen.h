/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a BPF object from the typed AST and the plan. This is the interface of codegen/; it does
 * not expose LLVM.
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
	/* no code, only errors: as far as a script must be compiled to know that its programs are
	 * within the kernel's limits */
	CODEGEN_CHECK,
};

/* The exit status of the process when a program is too long. LLVM reports this as a fatal error,
 * and its error handler cannot return. */
enum { CODEGEN_TOO_LONG = 70 };

struct codegen_output {
	char *bytes; /* malloc'ed; when codegen_run returns -1: the message, NUL-terminated */
	size_t len;
	/* time for making LLVM's module; for optimizing it and making the object */
	uint64_t gen_ns, llvm_ns;
	struct gen *kept; /* for codegen_free */
};

struct gen;
/* Generate code up to `stage`, into out->bytes. Returns 0; 1 when the script exceeds a limit of BPF
 * programs, with errors in `d`; or -1 for a defect of sonde, with a message in out->bytes. It takes
 * about 10 ms and 20 MiB, so it is best called in a process that ends afterwards; such a process
 * need not call codegen_free(). */
int codegen_run(const struct program *p, const struct plan *plan, enum codegen_stage stage,
		struct diags *d, struct codegen_output *out);
/* Free what codegen_run() has allocated. This takes 1 ms. */
void codegen_free(struct codegen_output *out);

/* The version of LLVM that sonde was built with: "19.1.7". */
const char *codegen_llvm_version(void);
