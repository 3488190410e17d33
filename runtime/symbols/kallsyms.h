/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbols of the kernel and its modules: the one reader of /proc/kallsyms.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kallsym {
	uint64_t address;	   /* 0: hidden from this user (kptr_restrict) */
	char type;		   /* as nm prints it */
	const char *name, *module; /* module: "[name]", or NULL for the kernel itself */
	size_t name_length;
};

/* True for functions. */
static inline bool kallsym_is_text(char type)
{
	return (type | 32) == 't' || (type | 32) == 'w';
}

/* Call fn for each symbol until it returns nonzero, which is returned: 1 to stop, -errno. */
int kallsyms_each(int (*fn)(void *ctx, const struct kallsym *l), void *ctx);
/* "name" or "name [module]", as ftrace lists functions. */
void kallsym_text(const struct kallsym *l, char *out, size_t size);
