/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of a few kernel symbols by name, for start-up: looked up in the kernel by
 * bpf_kallsyms_lookup_name (5.16) in a program of type BPF_PROG_TYPE_SYSCALL.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Addresses of `n` symbols by name, 0 for those that do not exist. 0 or -errno; -EPERM: hidden from
 * this user. */
int ksyms_addresses(const char *const *names, uint64_t *addresses, size_t n);
/* The bytes of the function at `address`, at most 4096; 0: not known, as before 5.14. */
uint64_t ksyms_size(uint64_t address);
