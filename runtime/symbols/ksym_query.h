/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of single kernel addresses, from a BPF program of type BPF_PROG_TYPE_SYSCALL that calls
 * bpf_snprintf("%pS") (5.14). An address costs 2 us, reading all of /proc/kallsyms 40 ms; ksym.c
 * does the latter only after some thousands of addresses.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct ksym_query;

/* Load the program. NULL if the kernel rejects it. */
struct ksym_query *ksym_query_new(void);
void ksym_query_free(struct ksym_query *a);
/* Name, offset and module (NULL: the kernel itself) of `ip`. False if the kernel has no name for
 * it. Answers are cached; the strings live as long as `a`. */
bool ksym_query_find(struct ksym_query *a, uint64_t ip, const char **name, uint64_t *offset,
		     const char **module);
/* Number of different addresses so far. */
uint32_t ksym_query_count(const struct ksym_query *a);
