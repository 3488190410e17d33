/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of BPF that a script imports: the hook read_bpf of struct kernel.
 */
#pragma once

struct arena;
struct bpf_import;
struct bpf_object_types;
struct kernel;

/* Read import->path, compiled first if it is C: sets its bytes and functions, allocated in `a`. The
 * functions are hidden, so that the verifier follows them with what their caller passes, as it does
 * static ones. NULL, or why it cannot be read. What its types need is added to *list. */
const char *bpf_object_read(struct kernel *k, struct arena *a, struct bpf_import *import,
			    struct bpf_object_types **list);
/* Release that, before or after the arena. */
void bpf_object_forget(struct bpf_object_types *list);
