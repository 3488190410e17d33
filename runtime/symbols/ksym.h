/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of kernel addresses, from /proc/kallsyms. The file is read when an address is looked up for
 * the first time, which takes 30 to 40 ms, so not before something has to be printed.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksyms;

/* An object that has read nothing yet. NULL: no memory. */
struct ksyms *ksyms_new(void);
void ksyms_free(struct ksyms *k);
/* The name and the offset of the function that contains `ip`; module is NULL for the kernel itself.
 * Returns false if kallsyms hides addresses (kptr_restrict) or no symbol contains `ip`. */
bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module);
