/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to the questions of parser/kernel.h about USDT probes. Private to kernel*.c.
 */
#pragma once
#include "../parser/kernel.h"

struct elfsym;

/* kernel.c: make `path` the file at hand: *elf, and *found, the path that it has. Both live until
 * the next. 0, -ENOENT, -ENOEXEC, other -errno. */
int kernel_elf(struct kernel *k, const char *path, struct elfsym **elf, const char **found);

int usdt_each_note(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
int usdt_object(struct kernel *k, const char *path, const char *name, uint64_t *out);
int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx);
int usdt_function_at(struct kernel *k, const char *path, uint64_t address, struct user_symbol *out);
