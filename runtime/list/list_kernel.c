/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: names that the kernel has. Tracepoints come from tracefs; functions from its list of
 * traceable ones, which is root's, else from kallsyms, which anybody may read (some of those cannot
 * be probed); what is typed from BTF, likewise anybody's.
 */
#define _GNU_SOURCE
#include "runtime/kernel/btf_text.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/kernel/kernel_facts.h"
#include "parser/attach/kernel_alias.h"
#include "runtime/list/list_impl.h"
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

static void offer(const char *name, void *ctx)
{
	list_offer(ctx, name);
}

void lst_tracepoints(struct listing *l)
{
	int err = l->kernel->each_tracepoint(l->kernel, NULL, offer, l);

	if (err == -EACCES || err == -EPERM)
		list_refuse(
			l, "tracepoints are in tracefs, which this user may not read: run as root");
	else if (err)
		list_refuse(l, "tracepoints are in tracefs, which cannot be read: %s",
			    strerror(-err));
}

/* ---- functions ----------------------------------------------------------------------------- */

static void take_function(const char *name, void *ctx)
{
	struct listing *l = ctx;

	if ((l->n_functions & (l->n_functions - 1)) == 0) { /* a power of two, or 0: full */
		size_t room = l->n_functions ? 2 * l->n_functions : 1;
		char **grown = reallocarray(l->functions, room, sizeof(*grown));

		if (!grown)
			return list_keep(l, NULL);
		l->functions = grown;
	}
	l->functions[l->n_functions] = strdup(name);
	if (l->functions[l->n_functions])
		l->n_functions++;
	else
		list_keep(l, NULL);
}

static int take_kallsym(void *ctx, const struct kallsym *l)
{
	char text[1024];

	if (!kallsym_is_text(l->type))
		return 0;
	kallsym_text(l, text, sizeof(text));
	take_function(text, ctx);
	return 0;
}

/* "name", "name [module]": of all functions, read once. */
static void read_functions(struct listing *l)
{
	int err;

	if (l->has_functions)
		return;
	l->has_functions = true;
	err = l->kernel->each_kernel_function(l->kernel, take_function, l);
	if (err == -EACCES || err == -EPERM || err == -ENOENT)
		err = kallsyms_each(take_kallsym, l);
	if (err)
		list_refuse(l, "the kernel does not say which functions it has: %s",
			    strerror(-err));
}

/* What kallsyms and the list of traceable functions have that is no function to be probed. */
static bool is_function(const char *name)
{
	return strncmp(name, "__ftrace_invalid_address__", 26) != 0 && !strstr(name, ".part.") &&
	       strncmp(name, "__pfx_", 6) != 0 && strncmp(name, "__cfi_", 6) != 0;
}

/* "name" or "module:name", as the pattern has it; `f` is "name" or "name [module]". */
static void name_function(const struct listing *l, const char *f, char *out, size_t size)
{
	bool by_module = l->rest && strchr(l->rest, ':');
	const char *module = strchr(f, '[');
	int len = (int)strcspn(f, " ");

	if (by_module && module)
		snprintf(out, size, "%.*s:%.*s", (int)strcspn(module + 1, "]"), module + 1, len, f);
	else
		snprintf(out, size, "%s%.*s", by_module ? "vmlinux:" : "", len, f);
}

/* By the name it is listed by, or else by another one that is asked for. */
static void offer_function(struct listing *l, const char *f)
{
	char name[512], alias[256], other[512];
	bool wanted;

	name_function(l, f, name, sizeof(name));
	wanted = list_is_requested(l, name);
	for (uint32_t i = 0; !wanted && kernel_alias(f, i, alias, sizeof(alias)); i++) {
		name_function(l, alias, other, sizeof(other));
		if (list_is_requested(l, other))
			return list_offer(l, other);
	}
	list_offer(l, name);
}

void lst_functions(struct listing *l)
{
	read_functions(l);
	for (size_t i = 0; i < l->n_functions; i++)
		if (is_function(l->functions[i]))
			offer_function(l, l->functions[i]);
}

static void offer_typed(const char *name, void *ctx)
{
	char line[512];

	if (!is_function(name))
		return;
	snprintf(line, sizeof(line), "vmlinux:%s", name);
	list_offer(ctx, line);
}

/* Did the user write "type:MODULE:…"? */
static bool names_module(const struct listing *l)
{
	return l->rest && strchr(l->rest, ':');
}

/* "name [module]" of what can be traced: does the module's BTF describe it? */
static void offer_module_function(struct listing *l, const char *text)
{
	const char *module = strchr(text, '[');
	char line[512];

	if (!module || names_module(l) || !is_function(text))
		return;
	snprintf(line, sizeof(line), "%.*s:%.*s", (int)strcspn(module + 1, "]"), module + 1,
		 (int)strcspn(text, " "), text);
	if (list_is_requested(l, line) && list_function(l, line).id)
		list_offer(l, line);
}

/* "name [module]" as "module:name"; the kernel's own are offered elsewhere. */
static void offer_of_module(const char *text, void *ctx)
{
	const char *blank = strchr(text, ' ');
	char line[512];

	if (!blank || !is_function(text))
		return;
	snprintf(line, sizeof(line), "%.*s:%.*s", (int)strcspn(blank + 2, "]"), blank + 2,
		 (int)(blank - text), text);
	list_offer(ctx, line);
}

/* What the BTF of modules describes, when the user named one or a pattern of them: it is a file
 * each. */
static void offer_of_modules(struct listing *l, enum typed_kind kind)
{
	size_t n = strcspn(l->rest ? l->rest : "", ":");
	char *module = l->rest && l->rest[n] ? strndup(l->rest, n) : NULL;

	if (module && strcmp(module, "vmlinux") != 0)
		l->kernel->each_typed(l->kernel, kind, strpbrk(module, "*?[") ? NULL : module,
				      offer_of_module, l);
	free(module);
}

/* "bpf:ID:NAME"; the id may be left out of what is asked for. */
static void offer_of_program(const struct typed_function *f, void *ctx)
{
	struct listing *l = ctx;
	char line[512], whole[600], name[512];

	snprintf(line, sizeof(line), "bpf:%u:%s", f->prog_id, f->name);
	snprintf(name, sizeof(name), "bpf:%s", f->name);
	snprintf(whole, sizeof(whole), "%s:%s", l->type, line);
	if (l->near)
		list_offer(l, name);
	if (!l->near && list_is_requested(l, name))
		list_keep(l, strdup(whole));
	else
		list_offer(l, line);
}

/* Of functions those that BTF describes; all of these when the kernel does not say which can be
 * traced. */
void lst_typed_functions(struct listing *l)
{
	struct btf_text *types;
	int err;

	l->kernel->each_bpf_function(l->kernel, offer_of_program, l);
	if (l->rest && strncmp(l->rest, "bpf:", 4) == 0)
		return;
	types = list_types(l);
	if (!types)
		return list_refuse(l, "types of functions are in /sys/kernel/btf/vmlinux, "
				      "which cannot be read");
	offer_of_modules(l, TYPED_FUNCTION);
	err = l->has_functions ? 0 : l->kernel->each_kernel_function(l->kernel, take_function, l);
	l->has_functions = !err;
	if (err) {
		btf_text_each(types, BTF_KIND_FUNC, offer_typed, l);
		if (!names_module(l))
			list_modules_names(l, BTF_KIND_FUNC, "");
	}
	for (size_t i = 0; i < l->n_functions; i++)
		if (strchr(l->functions[i], ' '))
			offer_module_function(l, l->functions[i]);
		else if (btf_text_function(types, l->functions[i]))
			offer_typed(l->functions[i], l);
}

/* ---- what BTF has by a prefix -------------------------------------------------------------- */

#define RAW_PREFIX "btf_trace_"

static void offer_raw(const char *name, void *ctx)
{
	char line[512];

	if (strncmp(name, RAW_PREFIX, strlen(RAW_PREFIX)) != 0)
		return;
	snprintf(line, sizeof(line), "vmlinux:%s", name + strlen(RAW_PREFIX));
	list_offer(ctx, line);
}

void lst_raw_tracepoints(struct listing *l)
{
	if (!list_types(l))
		return list_refuse(l, "typed tracepoints are in /sys/kernel/btf/vmlinux, "
				      "which cannot be read");
	btf_text_each(l->types, BTF_KIND_TYPEDEF, offer_raw, l);
	offer_of_modules(l, TYPED_TRACEPOINT);
	if (!names_module(l))
		list_modules_names(l, BTF_KIND_TYPEDEF, RAW_PREFIX);
}

static void offer_iterator(const char *name, void *ctx)
{
	list_offer(ctx, name);
}

void lst_iterators(struct listing *l)
{
	if (l->kernel->each_iterator(l->kernel, offer_iterator, l))
		list_refuse(l, "iterators are in /sys/kernel/btf/vmlinux, which cannot be read");
}

/* ---- units of time ------------------------------------------------------------------------- */

void lst_times(struct listing *l)
{
	static const char *const units[] = {"hz:", "ms:", "s:", "us:"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		list_offer(l, units[i]);
}
