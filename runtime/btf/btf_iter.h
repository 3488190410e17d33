/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF iterators, from its BTF.
 */
#pragma once
#include "parser/base/prototype.h"
#include "runtime/btf/btf_raw.h"

/* What programs of iterator `name` receive; to be free()d. 0, -ENOENT, -EINVAL, -ENOMEM. */
int btf_iter_read(const struct btf_raw *b, const char *name, struct kernel_iter **out);
/* Call fn for each iterator's name. 0 or -EINVAL. */
int btf_iter_each(const struct btf_raw *b, kernel_name_fn fn, void *ctx);
