/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel addresses to names, from /proc/kallsyms, read at the first address asked for (30 ms: never
 * before something has to be printed); and the few single names start-up needs, asked of the kernel
 * by bpf_kallsyms_lookup_name (5.16) in a program of type BPF_PROG_TYPE_SYSCALL.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksyms;

struct ksyms *ksyms_new(void);
void ksyms_free(struct ksyms *k);
/* Name and offset of the function that holds `ip`; module is NULL for the kernel itself. False when
 * kallsyms shows no addresses (kptr_restrict) or none fits. */
bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module);
/* Addresses of `n` symbols by name, 0 for those that do not exist. 0 or -errno. */
int ksyms_addresses(const char *const *names, uint64_t *addresses, size_t n);
