/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of kprobe and kretprobe: a function of the kernel or of a module, an offset in it,
 * an address, or all functions that a pattern matches. A pattern stays one attach point, whose
 * targets share a program.
 */
#include "parser/attach/near.h"
#include "parser/base/find.h"
#include "parser/attach/probe_parse.h"
#include "parser/attach/renamed.h"
#include <stdlib.h>

/* The requested functions, and the state of the walk over all functions of the kernel. */
struct search {
	const struct probe_reader *r;
	struct attach_point *p;
	const char *module, *function; /* module: NULL for any; both may be patterns */
	bool is_variant;	       /* look for clones of the function, such as f.isra.0 */
	bool has_module;	       /* at least one function belongs to the module */
	struct nearest near;
};

static const char kernel_itself[] = "vmlinux";

/* ---- the functions that there are ---------------------------------------------------------- */

/* Parts that the compiler split off a function, padding, and functions that were discarded after
 * boot. */
static bool is_no_function(const char *name)
{
	return strstr(name, ".part.") || strstr(name, ".cold") || strncmp(name, "__pfx_", 6) == 0 ||
	       strncmp(name, "__cfi_", 6) == 0 ||
	       strncmp(name, "__ftrace_invalid_address", 24) == 0;
}

/* "f.isra.0", "f.constprop.0.isra.1" of f. */
static bool is_variant_of(const char *name, const char *function)
{
	size_t len = strlen(function);

	return strncmp(name, function, len) == 0 && (strncmp(name + len, ".isra.", 6) == 0 ||
						     strncmp(name + len, ".constprop.", 11) == 0);
}

static bool is_in_module(const char *requested, const char *module)
{
	if (!requested)
		return true;
	return pattern_matches(requested, *module ? module : kernel_itself);
}

/* "name" or "name [module]", cut in two; the module is "" for the kernel itself. */
static bool cut_name(const char *text, char *name, char *module, size_t size)
{
	size_t n = strcspn(text, " "), m;

	*module = '\0';
	if (n >= size)
		return false;
	memcpy(name, text, n);
	name[n] = '\0';
	if (text[n] != ' ' || text[n + 1] != '[')
		return true;
	m = strcspn(text + n + 2, "]");
	if (m >= size)
		return false;
	memcpy(module, text + n + 2, m);
	module[m] = '\0';
	return true;
}

static bool is_meant(const struct search *s, const char *name)
{
	return s->is_variant ? is_variant_of(name, s->function)
			     : pattern_matches(s->function, name);
}

/* A system call's function without arguments has several names (SYSCALL_DEFINE0 in
 * arch/x86/include/asm/syscall_wrapper.h), but the kernel's list of traceable functions has one
 * name for each address. Patterns match all of them. If another name is a separate function, it is
 * listed too. */
static const struct {
	const char *listed, *other;
} prefixes[] = {
	{"__do_sys_", "__x64_sys_"},
	{"__do_sys_", "__ia32_sys_"},
	{"__ia32_sys_", "__x64_sys_"},
};

/* Store the i-th other name of the function that is listed as `name`, if there is one. The name
 * probably exists, but that is not certain. */
static bool kernel_alias(const char *name, uint32_t i, char *out, size_t size)
{
	for (size_t k = 0; k < sizeof(prefixes) / sizeof(*prefixes); k++) {
		size_t n = strlen(prefixes[k].listed);

		if (strncmp(name, prefixes[k].listed, n) != 0 || i-- > 0)
			continue;
		return snprintf(out, size, "%s%s", prefixes[k].other, name + n) < (int)size;
	}
	return false;
}

/* Compare with the name it is listed under, then with its other names. */
static bool find_meant(const struct search *s, char *name, size_t size)
{
	char other[256];
	bool found = is_meant(s, name);

	for (uint32_t i = 0; !found && kernel_alias(name, i, other, sizeof(other)); i++) {
		found = is_meant(s, other);
		if (found)
			snprintf(name, size, "%s", other);
	}
	return found;
}

static void offer_function(const char *text, void *ctx)
{
	struct search *s = ctx;
	char name[256], module[256];
	struct attach_target t = {.module = NULL};

	if (!cut_name(text, name, module, sizeof(name)) || is_no_function(name) ||
	    !is_in_module(s->module, module))
		return;
	s->has_module = true;
	nearest_offer(&s->near, name);
	if (!find_meant(s, name, sizeof(name)))
		return;
	t.function = t.symbol = arena_strdup(s->r->arena, name);
	if (*module && s->module)
		t.module = arena_strdup(s->r->arena, module);
	else if (s->module && s->r->lists)
		t.module = kernel_itself;
	arena_push(s->r->arena, s->p->targets, s->p->n_targets, t);
}

COMPARE(by_name, struct attach_target, strcmp(a->symbol, b->symbol))

static int search_all(struct search *s)
{
	int err;

	nearest_init(&s->near, pattern_letters(s->r->arena, s->function));
	s->near.arena = s->r->arena;
	err = s->r->kernel->each_kernel_function(s->r->kernel, offer_function, s);
	/* functions of the same name become one target: attaching finds all of them */
	probe_each_once(s->p->targets, &s->p->n_targets, by_name, by_name);
	return err;
}

/* ---- patterns ------------------------------------------------------------------------------ */

static int no_module(const struct search *s)
{
	diag_error(s->r->diags, s->p->span, "unknown-module",
		   pattern_is(s->module)
			   ? "no loaded module matches '%s'"
			   : "the module '%s' is not loaded, or has no functions to probe",
		   s->module);
	return diag_hint(s->r->diags,
			 "modprobe %s loads it; /proc/modules lists the loaded modules",
			 pattern_is(s->module) ? "MODULE" : s->module);
}

static void offer_words(const char *text, void *ctx)
{
	char name[256], module[256];

	if (cut_name(text, name, module, sizeof(name)) && !is_no_function(name))
		near_words_offer(ctx, name);
}

/* `kprobe:*vfs_raed*` */
static void hint_words(const struct search *s)
{
	struct near_words w;

	if (!near_words_init(&w, s->r->arena, s->function))
		return;
	s->r->kernel->each_kernel_function(s->r->kernel, offer_words, &w);
	if (near_words_pattern(&w))
		diag_hint(s->r->diags, "did you mean %s:%s?", point_type(s->p),
			  near_words_pattern(&w));
}

static int match_functions(struct search *s)
{
	struct attach_point *p = s->p;
	int err = search_all(s);

	if (err) {
		diag_error(s->r->diags, s->p->span, "no-functions",
			   "cannot read the kernel's list of functions: %s", strerror(-err));
		return diag_hint(s->r->diags,
				 "patterns require the kernel's available_filter_functions");
	}
	if (s->module && !s->has_module)
		return no_module(s);
	if (probe_check_number(s->r, p, s->function, "functions"))
		return -1;
	if (p->n_targets)
		return 0;
	diag_error(s->r->diags, p->span, "no-match", "no function of this kernel matches '%s'",
		   s->function);
	if (s->near.best)
		diag_hint(s->r->diags, "did you mean %s:%s?", point_type(p), s->near.best);
	else
		hint_words(s);
	return -1;
}

/* ---- one function -------------------------------------------------------------------------- */

static const char *list_targets(const struct search *s)
{
	const char *list = "";

	for (uint32_t i = 0; i < s->p->n_targets; i++)
		list = arena_list(s->r->arena, list, "%s:%s", point_type(s->p),
				  s->p->targets[i].symbol);
	return list;
}

static bool has_function(const struct renamed_query *q, const char *function)
{
	int err = q->r->kernel->kernel_function(q->r->kernel, function);

	return !err || err == -ENOTUNIQ;
}

static struct renamed_query query_of(const struct search *s)
{
	return (struct renamed_query){s->r, point_type(s->p), has_function};
}

static int no_function(struct search *s)
{
	struct renamed_query names = query_of(s);
	struct attach_point *p = s->p;
	const char *in = s->module ? arena_printf(s->r->arena, " in module %s", s->module) : "";

	diag_error(s->r->diags, p->span, "unknown-function", "this kernel has no function '%s'%s",
		   s->function, in);
	if (p->n_targets > 1)
		return diag_hint(
			s->r->diags,
			"the compiler made several clones of it: write one of %s, or %s:%s.*",
			list_targets(s), point_type(p), s->function);
	if (!s->module && renamed_hint(&names, s->function))
		return -1;
	if (s->near.best)
		return diag_hint(s->r->diags, "did you mean '%s'?", s->near.best);
	return -1;
}

/* The compiler specialized the function and kept no symbol of its own name. */
static int find_variant(struct search *s, uint64_t offset)
{
	struct attach_point *p = s->p;
	int err;

	s->is_variant = true;
	err = search_all(s);
	if (!err && s->module && !s->has_module)
		return no_module(s);
	if (p->n_targets != 1)
		return no_function(s);
	p->targets[0].offset = offset;
	diag_warning(
		s->r->diags, p->span, "function-variant",
		"this kernel has '%s' only as the compiler's clone '%s', which is probed instead",
		s->function, p->targets[0].symbol);
	diag_hint(s->r->diags, "its arguments may differ: write %s:%s to confirm", point_type(p),
		  p->targets[0].symbol);
	p->function = p->targets[0].function;
	return 0;
}

static int check_offset(const struct search *s, const char *name, uint64_t offset)
{
	struct kernel *k = s->r->kernel;
	uint64_t size = 0;

	if (s->r->unsafe || !k->kernel_offset ||
	    k->kernel_offset(k, name, offset, &size) != -ERANGE)
		return 0;
	diag_error(s->r->diags, s->p->span, "bad-offset",
		   "%s+%llu is not in the function, which has %llu bytes", s->function,
		   (unsigned long long)offset, (unsigned long long)size);
	return diag_hint(s->r->diags, "the offset is that of an instruction in the function");
}

static int one_function(struct search *s, uint64_t offset)
{
	const char *module = s->module && strcmp(s->module, kernel_itself) != 0 ? s->module : NULL;
	struct attach_target t = {.function = s->function,
				  .symbol = s->function,
				  .offset = offset,
				  .module = module};
	const char *requested =
		module ? arena_printf(s->r->arena, "%s:%s", module, s->function) : s->function;
	struct renamed_query names = query_of(s);
	int err = s->r->kernel->kernel_function(s->r->kernel, requested);

	if (err == -ENOENT)
		return find_variant(s, offset);
	if (err == -ENOTUNIQ) {
		diag_error(s->r->diags, s->p->span, "ambiguous-function",
			   "this kernel has several functions '%s'", s->function);
		return diag_hint(
			s->r->diags,
			"write %s:MODULE:%s, or a pattern such as %s:%s* to probe all of them",
			point_type(s->p), s->function, point_type(s->p), s->function);
	}
	if (offset && check_offset(s, requested, offset))
		return -1;
	renamed_warn(&names, s->p->span, s->function);
	arena_push(s->r->arena, s->p->targets, s->p->n_targets, t);
	return 0;
}

/* ---- reading ------------------------------------------------------------------------------- */

static int read_offset(const struct search *s, char *function, uint64_t *out)
{
	char *plus = strchr(function, '+');

	if (plus && probe_read_offset(s->r, s->p, function, plus, out))
		return -1;
	if (!plus || !pattern_is(function))
		return 0;
	diag_error(s->r->diags, s->p->span, "bad-offset",
		   "an offset goes with one function, not with a pattern");
	return diag_hint(s->r->diags, "write the function's name");
}

static int by_address(const struct probe_reader *r, struct attach_point *p, const char *text)
{
	struct attach_target t = {.function = text, .symbol = text};
	char *end;

	errno = 0;
	t.address = strtoull(text, &end, 0);
	if (*end || errno || !t.address) {
		diag_error(r->diags, p->span, "bad-address", "'%s' is not an address", text);
		return diag_hint(r->diags, "write %s:FUNCTION or %s:0xADDRESS", point_type(p),
				 point_type(p));
	}
	if (!r->unsafe) {
		diag_error(
			r->diags, p->span, "needs-unsafe",
			"a probe at an address requires --unsafe: it is not known whether an instruction begins there");
		return diag_hint(
			r->diags,
			"/proc/kallsyms has the functions' names: write %s:FUNCTION+OFFSET",
			point_type(p));
	}
	arena_push(r->arena, p->targets, p->n_targets, t);
	return 0;
}

static int no_kprobes(const struct probe_reader *r, const struct attach_point *p,
		      const char *function)
{
	diag_error(r->diags, p->span, "no-kprobes", "this kernel has no kprobes (CONFIG_KPROBES)");
	return probe_hint_tracepoints(r, function);
}

int prs_kernel_function(const struct probe_reader *r, struct attach_point *p, char **parts,
			uint32_t n)
{
	struct search s = {.r = r, .p = p};
	uint64_t offset = 0;
	char *last;

	if (n < 1 || n > 2 || !*parts[0] || !*parts[n - 1])
		return probe_wrong_form(r, p);
	last = parts[n - 1];
	if (kernel_lacks(r->kernel, CAP_KPROBES))
		return no_kprobes(r, p, last);
	s.function = arena_strndup(r->arena, last, strcspn(last, "+"));
	s.module = n == 2 ? arena_strdup(r->arena, parts[0]) : NULL;
	p->function = s.function;
	if (n == 1 && *last >= '0' && *last <= '9')
		return by_address(r, p, s.function);
	if (read_offset(&s, last, &offset))
		return -1;
	p->is_listed = r->lists && !offset;
	if (p->is_listed || pattern_is(s.function) || (s.module && pattern_is(s.module)))
		return match_functions(&s);
	if (offset)
		p->name = arena_printf(r->arena, "%s:%s%s%s+%llu", point_type(p),
				       n == 2 ? s.module : "", n == 2 ? ":" : "", s.function,
				       (unsigned long long)offset);
	return one_function(&s, offset);
}
