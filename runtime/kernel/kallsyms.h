/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's list of its symbols, line by line.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsym {
	uint64_t address;	   /* 0: hidden from this user (kptr_restrict) */
	char type;		   /* as nm has it */
	const char *name, *module; /* module: "[name]", or NULL for the kernel itself */
	size_t name_length;
};

/* Is it code? */
static inline bool kallsym_is_text(char type)
{
	return (type | 32) == 't' || (type | 32) == 'w';
}

/* Calls fn for each line until it returns non-zero, which is handed back: 1 to stop, -errno. */
int kallsyms_each(int (*fn)(void *ctx, const struct kallsym *l), void *ctx);
/* "name" or "name [module]", as the tracer of functions lists them. */
void kallsym_text(const struct kallsym *l, char *out, size_t size);
