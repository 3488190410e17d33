/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs LLVM in a child process: an abort in LLVM becomes a message, and the tracer's memory stays
 * small.
 */
#pragma once
#include "codegen/codegen.h"
#include <stdbool.h>
#include <sys/types.h>

struct compile {
	pid_t pid;
	int memfd;	   /* receives the bytes, or an error message */
	int done;	   /* receives an int when the bytes are complete: 0, or what failed */
	const void *bytes; /* mapped by compile_wait() */
	size_t len;
	const struct plan *plan;
	const struct program *program; /* whose imports are linked to the object; or NULL */
};

/* Start compiling. 0 or -errno. */
int compile_start(struct compile *c, const struct program *p, const struct plan *plan,
		  enum codegen_stage stage);
/* Wait for the bytes: c->bytes, c->len. 0, or sonde's exit status after a message: 1 when the
 * script exceeds what BPF allows, 2 when the system failed or had too little memory, 3 for a defect
 * of sonde. */
int compile_wait(struct compile *c);
/* Unmap them, and reap the child. */
void compile_end(struct compile *c);

/* ---- confine.c: the compile child may be root, and reads a script that anybody may have
 * written. It computes and writes its result to two descriptors, so it can give up all else. */

/* Give up all capabilities, and all system calls but those of memory, output and the process's end;
 * others fail with EPERM. For a child with one thread. 0 or -errno; what could be given up until
 * then is gone. The filter is the same for what the process would execute (seccomp(2), Linux 3.17).
 */
int confine_self(void);
