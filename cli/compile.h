/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LLVM in a child process: an abort of LLVM becomes a message, and the tracer's memory stays small.
 */
#pragma once
#include "codegen/codegen.h"
#include <sys/types.h>

struct compile {
	pid_t pid;
	int memfd; /* where the child puts the bytes, or its message */
};

struct plan;
struct program;

/* Start compiling. 0 or -errno. */
int compile_start(struct compile *c, const struct program *p, const struct plan *plan,
		  enum codegen_stage stage);
/* Wait for it; *bytes are mapped (compile_end unmaps). 0, or the exit status with the message said: 1
 * when the script wants more than BPF has, 3 for a defect of ours. */
int compile_wait(struct compile *c, const void **bytes, size_t *len);
void compile_end(const void *bytes, size_t len);
