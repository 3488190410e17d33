/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel functions that fentry and fexit cannot trace, although BTF describes them (traceable.h).
 */
#include "parser/attach/traceable.h"
#include "parser/base/text.h"
#include "parser/lang/kernel.h"

bool traceable_is_denied(const char *name)
{
	static const char *const denied[] = {"migrate_disable",	       "migrate_enable",
					     "rcu_read_unlock_strict", "preempt_count_add",
					     "preempt_count_sub",      "__rcu_read_lock",
					     "__rcu_read_unlock"};

	return TEXT_IS_IN(denied, name, strlen(name));
}

bool traceable_returns_struct(const struct typed_function *f)
{
	return !f->result.size && strcmp(f->result.type_text, "void") != 0;
}

bool traceable_is_passed(const struct typed_function *f)
{
	if (traceable_returns_struct(f))
		return false;
	for (uint32_t i = 0; i < f->n_params; i++)
		if (!f->params[i].size || f->params[i].offset >= 8 * TRACEABLE_WORDS)
			return false;
	return true;
}
