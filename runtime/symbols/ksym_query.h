/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of single kernel addresses, from a BPF program of type BPF_PROG_TYPE_SYSCALL that calls
 * bpf_snprintf("%pS") (5.14). One address costs 2 us; reading all of /proc/kallsyms costs 30 to 40
 * ms, so ksym.c does that only after some thousands of addresses.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct ksym_query;

/* Load the program. NULL if the kernel rejects it. */
struct ksym_query *ksym_query_new(void);
void ksym_query_free(struct ksym_query *a);
/* The name, the offset and the module (NULL: the kernel itself) of `ip`. Returns false if the
 * kernel has no name for it. Answers are cached; the strings live as long as `a`. */
bool ksym_query_find(struct ksym_query *a, uint64_t ip, const char **name, uint64_t *offset,
		     const char **module);
/* The bytes of the function at `ip`; 0: not known. */
uint64_t ksym_query_size(struct ksym_query *a, uint64_t ip);
/* The number of different addresses that were looked up so far. */
uint32_t ksym_query_count(const struct ksym_query *a);
