/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of ELF files, for watchpoints.
 */
#pragma once
#include "../parser/kernel.h"

/* What is to be added to the file's addresses in a process that has it mapped. 0 or -ESRCH. */
int elf_object_base(uint32_t pid, const char *path, uint64_t *base);
