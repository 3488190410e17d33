/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF iterators, from its BTF.
 */
#pragma once
#include "runtime/btf/btf_types.h"

/* What programs of iterator `name` receive, allocated in `a`. 0, -ENOENT, -EINVAL. */
int btf_iter_read(struct arena *a, const struct btf_types *t, const char *name,
		  const struct kernel_iter **out);
/* Call fn for each iterator's name. 0 or -EINVAL. */
int btf_iter_each(const struct btf_raw *b, kernel_name_fn fn, void *ctx);
