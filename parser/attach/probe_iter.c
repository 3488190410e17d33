/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of iterators: the kind of kernel objects and the file that the program is pinned
 * to.
 */
#include "parser/base/text.h"
#include "parser/base/nearest.h"
#include "parser/attach/probe_parse.h"

/* The kernel version that introduced each, for users of older kernels. */
static const struct {
	const char *name, *since;
} later[] = {
	{"task_vma", "5.12"}, {"unix", "5.15"},	      {"bpf_link", "5.19"}, {"ksym", "6.0"},
	{"cgroup", "6.1"},    {"kmem_cache", "6.13"}, {"dmabuf", "6.16"},
};

static int no_iterator(const struct probe_reader *r, const struct attach_point *p, const char *name,
		       int err)
{
	struct nearest near;

	if (err != -ENOENT) {
		diag_error(r->diags, p->span, "no-btf",
			   "'iter' needs the kernel's BTF type information: %s", strerror(-err));
		return diag_hint(
			r->diags,
			"is CONFIG_DEBUG_INFO_BTF on, and /sys/kernel/btf/vmlinux readable?");
	}
	nearest_init(&near, name);
	near.arena = r->arena;
	r->kernel->each_iterator(r->kernel, nearest_offer_name, &near);
	diag_error(r->diags, p->span, "unknown-iterator",
		   "iter:%s is not available for your kernel version", name);
	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (strcmp(later[i].name, name) == 0)
			return diag_hint(
				r->diags,
				"available since Linux %s; 'sonde -l iter' lists what this kernel has",
				later[i].since);
	if (near.best)
		return diag_hint(r->diags, "did you mean iter:%s?", near.best);
	return diag_hint(r->diags, "'sonde -l iter' lists what this kernel has");
}

int prs_iter(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	int err;

	if (n < 1 || n > 2 || !*parts[0] || (n == 2 && !*parts[1]))
		return probe_wrong_form(r, p);
	if (pattern_is(parts[0])) {
		diag_error(r->diags, p->span, "no-pattern",
			   "a pin is the file of one iterator: '%s' is a pattern", parts[0]);
		return diag_hint(r->diags, "'sonde -l iter' lists the iterators");
	}
	err = r->kernel->iterator(r->kernel, parts[0], &p->iter.kind);
	if (err)
		return no_iterator(r, p, parts[0], err);
	if (n == 2 && !r->unsafe) {
		diag_error(r->diags, p->span, "needs-unsafe",
			   "a pinned iterator requires --unsafe: its file and its program stay "
			   "after the run");
		return diag_hint(r->diags, "the option --unsafe allows it");
	}
	if (n == 2 && parts[1][0] == '/')
		p->iter.pin = arena_strdup(r->arena, parts[1]);
	else if (n == 2)
		p->iter.pin = arena_printf(r->arena, "/sys/fs/bpf/%s", parts[1]);
	return 0;
}

const struct iter_field *iter_field(const struct kernel_iter *iter, const char *name)
{
	return TEXT_ITEM(iter->fields, iter->n_fields, name, name);
}

const struct iter_field *iter_object(const struct kernel_iter *iter)
{
	for (uint32_t i = 0; i < iter->n_fields; i++)
		if (iter->fields[i].is_pointer && strcmp(iter->fields[i].name, "meta") != 0)
			return &iter->fields[i];
	return NULL;
}

const struct iter_field *iter_task(const struct kernel_iter *iter)
{
	const struct iter_field *object = iter_object(iter);

	return object && strcmp(object->name, "task") == 0 ? object : NULL;
}
