/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel addresses to names, from /proc/kallsyms. It is read when the first address is looked up,
 * which takes 30 ms: not before something has to be printed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksyms;

struct ksyms *ksyms_new(void);
void ksyms_free(struct ksyms *k);
/* Name and offset of the function that holds `ip`; module is NULL for the kernel itself. False if
 * kallsyms hides addresses (kptr_restrict) or none fits. */
bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module);
