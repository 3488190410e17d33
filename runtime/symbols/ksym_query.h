/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One kernel address at a time, named by the kernel itself: a program of type BPF_PROG_TYPE_SYSCALL
 * that calls bpf_snprintf("%pS") (5.14). 2 us an address, where reading all of /proc/kallsyms costs
 * 40 ms; ksym.c turns to that only after some thousands of addresses.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct ksym_query;

/* Load the program; NULL when the kernel will not have it. */
struct ksym_query *ksym_query_new(void);
void ksym_query_free(struct ksym_query *a);
/* Name, offset and module (NULL for the kernel itself) of `ip`. False when the kernel has no name
 * for it. Each answer is remembered; the strings live as long as `a`. */
bool ksym_query_find(struct ksym_query *a, uint64_t ip, const char **name, uint64_t *offset,
		     const char **module);
/* Addresses asked about so far, each counted once. */
uint32_t ksym_query_count(const struct ksym_query *a);
