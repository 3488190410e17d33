/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed AST and plan -> BPF object. The one door of this folder; LLVM is not seen through it.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct diags;
struct plan;
struct program;

enum codegen_stage {
	CODEGEN_IR,	/* as generated, helpers linked */
	CODEGEN_IR_OPT, /* after the passes */
	CODEGEN_ASM,
	CODEGEN_ELF,
};

/* Exit status of the process when LLVM gave up because a program is too long: there is no way back
 * out of LLVM then, nor a message. */
enum { CODEGEN_TOO_LONG = 70 };

struct codegen_output {
	char *bytes; /* malloc'ed; when codegen_run returns -1: the message, NUL-terminated */
	size_t len;
	struct gen *kept; /* what codegen_free takes apart */
};

struct gen;
/* Generate. 0; 1 when the script exceeds a limit of BPF programs, with errors in `d`; -1 for a
 * defect of sonde's, with a message in out->bytes. Takes about 10 ms and 20 MiB; best run in a
 * process that ends afterwards, without codegen_free. */
int codegen_run(const struct program *p, const struct plan *plan, enum codegen_stage stage,
		struct diags *d, struct codegen_output *out);
/* Give back what codegen_run took: a millisecond of work. */
void codegen_free(struct codegen_output *out);

/* Of the LLVM that this was built with: "19.1.7". */
const char *codegen_llvm_version(void);
