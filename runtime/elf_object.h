/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of ELF files, for watchpoints.
 */
#pragma once
#include "../parser/kernel.h"

/* The variable (or function) `name` of a file: address, size, is_movable. 0, -ESRCH, -ENOEXEC,
 * other -errno. */
int elf_object_find(const char *path, const char *name, struct user_object *out);
/* What is to be added to the file's addresses in a process that has it mapped. 0 or -ESRCH. */
int elf_object_base(uint32_t pid, const char *path, uint64_t *base);
