/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of kernel functions: up to the next symbol, as the kernel computes them. The kernel would
 * attribute an offset past the end to the next function, so such offsets are refused. Also whether
 * several functions have a name.
 */
#include "runtime/symbols/kallsyms.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>

struct size_search {
	const char *name, *module; /* NULL, or the module; it ends at the ':' */
	uint64_t start, next;
	bool is_several;
};

static bool is_requested(const struct size_search *s, const struct kallsym *l)
{
	size_t n = s->module ? (size_t)(s->name - s->module - 1) : 0;

	return kallsym_is_text(l->type) && strcmp(l->name, s->name) == 0 &&
	       (!s->module || (l->module && strncmp(l->module + 1, s->module, n) == 0 &&
			       l->module[1 + n] == ']'));
}

static int find_start(void *ctx, const struct kallsym *l)
{
	struct size_search *s = ctx;

	if (!is_requested(s, l))
		return 0;
	s->is_several |= s->start && s->start != l->address;
	s->start = l->address;
	return 0;
}

static int find_next(void *ctx, const struct kallsym *l)
{
	struct size_search *s = ctx;

	if (l->address > s->start && (!s->next || l->address < s->next))
		s->next = l->address;
	return 0;
}

static struct size_search search_of(const char *name)
{
	const char *colon = strchr(name, ':');

	return (struct size_search){.name = colon ? colon + 1 : name,
				    .module = colon ? name : NULL};
}

bool kernel_function_is_ambiguous(const char *name)
{
	struct size_search s = search_of(name);

	return kallsyms_each(find_start, &s) == 0 && s.is_several;
}

int kernel_offset(struct kernel *k, const char *name, uint64_t offset, uint64_t *size)
{
	struct size_search s = search_of(name);
	int err = kallsyms_each(find_start, &s);

	if (!err && (!s.start || s.is_several))
		err = -ENOENT;
	if (!err)
		err = kallsyms_each(find_next, &s);
	if (err || !s.next)
		return err ? err : -ENOENT;
	*size = s.next - s.start;
	return offset < *size ? 0 : -ERANGE;
}
