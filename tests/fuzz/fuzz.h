/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the fuzz targets: the way from bytes to a plan with the golden tests' kernel, a file
 * with given bytes, and a sink for messages. A target is one file, fuzz_X.c, that libFuzzer calls
 * (./dev fuzz). It finds crashes, leaks, undefined behaviour, hangs and failed asserts.
 */
#pragma once
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "parser/sema/sema.h"
#include "parser/syntax/ast_dump.h"
#include "parser/base/source.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/kernel/kernel_facts.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* /dev/null, opened once; output to it is still formatted. */
static inline FILE *fuzz_sink(void)
{
	static FILE *sink;

	if (!sink)
		sink = fopen("/dev/null", "we");
	return sink;
}

/* The kernel of the golden tests, read once. */
static inline struct kernel *fuzz_kernel(void)
{
	static struct kernel *k;

	if (!k)
		k = facts_file_open(FUZZ_KERNEL_FACTS);
	if (!k)
		exit(2);
	return k;
}

/* A file with these bytes: a descriptor positioned at its start. */
static inline int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET))
		exit(2);
	return fd;
}

/* A script and how far it got: program and plan are NULL after the first error. */
struct fuzz_script {
	struct arena *arena;
	struct program *program;
	struct plan *plan;
	struct diags diags;
};

static inline void fuzz_walk_with(struct kernel *k, struct fuzz_script *f, const uint8_t *data,
				  size_t size)
{
	static const char *const params[] = {"7", "word", "./app"};
	struct plan_options options = {.scope_tree = size & 1};
	struct diags *d = &f->diags;

	*f = (struct fuzz_script){.arena = arena_new()};
	d->arena = f->arena;
	d->source = source_from_text(f->arena, "fuzz", (const char *)data, size);
	if (!d->source)
		return;
	f->program = parse(f->arena, d->source, d);
	if (f->program)
		ast_dump(f->program, false, fuzz_sink());
	if (f->program && !d->n_errors) {
		f->program->params = params;
		f->program->n_params = sizeof(params) / sizeof(*params);
		if (!sema_run(f->arena, f->program, k, d)) {
			ast_dump(f->program, true, fuzz_sink());
			f->plan = plan_make(f->arena, f->program, &options, d);
		}
	}
	if (f->plan)
		plan_dump(f->plan, 256, fuzz_sink());
	diags_print(d, fuzz_sink(), true);
}

static inline void fuzz_walk(struct fuzz_script *f, const uint8_t *data, size_t size)
{
	fuzz_walk_with(fuzz_kernel(), f, data, size);
}
