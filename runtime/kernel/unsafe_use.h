/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What needs --unsafe in an object of BPF that comes from a file.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* The first call of a helper or function of the kernel, or the first map, that can change more than
 * what belongs to the programs, in words: "deep() calls bpf_send_signal() (FILE:5), which …".
 * All code of the object counts, called or not: nothing in the object is trusted. NULL: there is
 * none. The text is allocated in `a`. */
const char *unsafe_use_find(struct arena *a, const void *elf, size_t len);
