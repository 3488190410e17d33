/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiled scripts: `sonde build SCRIPT -o FILE`, then `sonde FILE`. The form of the file is
 * described in docs/internals/compiled-scripts.md.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;
struct kernel;
struct options;
struct plan;
struct program;
struct source;

/* The object of a compiled script. */
struct compiled {
	const void *elf;
	size_t len;
};

/* Is it a compiled script, by its first bytes? */
bool compiled_is(const struct source *s);
/* build: compile the plan, and write the file. The exit status. */
int compiled_write(struct arena *a, const struct options *o, const struct program *program,
		   struct plan *plan, struct kernel *k);
/* Read the file's text `s`. The plan, NULL after a message: the file is damaged, or made for
 * something else. */
struct plan *compiled_read(struct arena *a, const struct options *o, const struct source *s,
			   struct kernel *k, struct compiled *out);
