/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CO-RE relocation is about, in words.
 */
#pragma once

struct arena;
struct bpf_core_relo;
struct btf;

/* What the kernel that runs puts into the instruction, such as "CO-RE: offset of task_struct.comm".
 * NULL: unknown. */
const char *object_core_words(struct arena *a, const struct btf *btf,
			      const struct bpf_core_relo *relo);
