/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What needs --unsafe in an object of BPF that comes from a file.
 */
#pragma once
struct arena;
struct bpf_elf;
struct btf_types;

/* The first call of a helper or function of the kernel, or the first map, that can change more than
 * what belongs to the programs, in words: "deep() calls bpf_send_signal() (FILE:5), which …".
 * All code of the object counts, called or not: nothing in the object is trusted. NULL: there is
 * none. The text is allocated in `a`. */
const char *unsafe_use_find(struct arena *a, const struct bpf_elf *elf,
			    const struct btf_types *types);
