/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links an object with the functions that are compiled when sonde is built
 * (bpf_helpers/unwind.bpf.c): to have LLVM generate code for them at each start would take 28 ms,
 * linking takes 0.5 ms.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_import;
struct plan;

/* Link the ELF file in memory; `unwinds`: with the functions that walk by unwind tables;
 * `has_reasons`: with those that find reasons of waits. *out is to be freed; NULL if there is
 * nothing to link. 0 or -errno. */
int session_link(const struct plan *plan, bool unwinds, bool has_reasons, const void *elf,
		 size_t len, void **out, size_t *out_len);
/* The same with the imported BPF objects whose functions the script calls. */
int session_link_imports(const struct bpf_import *imports, uint32_t n, const void *elf, size_t len,
			 void **out, size_t *out_len);
