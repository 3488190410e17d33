/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of prototypes of imported functions.
 */
#include "parser/lang/bpf_import.h"
#include "parser/base/arena.h"
#include <string.h>

static const char *type_text(struct arena *a, const struct bpf_type *t)
{
	static const char *const words[] = {[BPF_BASE_VOID] = "void",
					    [BPF_BASE_INT] = "",
					    [BPF_BASE_ENUM] = "enum ",
					    [BPF_BASE_STRUCT] = "struct ",
					    [BPF_BASE_UNION] = "union "};
	const char *stars = "********";

	return arena_printf(a, "%s%s%s%.*s", words[t->base],
			    t->base == BPF_BASE_VOID ? "" : t->name, t->levels ? " " : "",
			    (int)t->levels, stars);
}

const char *bpf_function_str(struct arena *a, const struct bpf_function *f)
{
	const char *list = f->n_params ? "" : "void";

	for (uint32_t i = 0; i < f->n_params; i++)
		list = arena_printf(a, "%s%s%s", list, i ? ", " : "", type_text(a, &f->params[i]));
	return arena_printf(a, "%s%s%s(%s)", type_text(a, &f->result), f->result.levels ? "" : " ",
			    f->name, list);
}
