/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points that BTF describes: fentry and fexit on functions of the kernel, of modules and of
 * loaded BPF programs; rawtracepoint. Arguments differ from function to function, so a pattern
 * becomes one attach point for each match.
 */
#include "parser/lang/ast.h"
#include "parser/base/limits.h"
#include "parser/attach/expand.h"
#include "parser/attach/near.h"
#include "parser/attach/probe_parse.h"
#include "parser/attach/renamed.h"
#include "parser/attach/traceable.h"
#include <stdlib.h>

enum { MAX_PARTS = 4 };

static const char of_programs[] = "bpf", kernel_itself[] = "vmlinux";

/* The requested name, and what was found. */
struct typed_search {
	const struct probe_reader *r;
	struct attach_point *p; /* its type and span */
	enum typed_kind kind;
	const char *module, *name; /* module: NULL for any; both may be patterns */
	uint64_t prog_id;	   /* of BPF programs; 0 for any */
	struct near_names near;
	const char *prefix; /* what suggestions begin with: "fentry:" */
	const char **found; /* "name" or "name [module]" */
	bool *is_traceable;
	uint32_t n_found;
	struct probe_expansion *e;
};

static enum typed_kind kind_of(const struct attach_point *p)
{
	return probe_rows[p->id].context == CTX_TYPED_EVENT ? TYPED_TRACEPOINT : TYPED_FUNCTION;
}

/* The type that probes the same functions without BTF. */
static const char *kprobe_type(const struct attach_point *p)
{
	return probe_rows[probe_is_return(p) ? PROBE_KRETPROBE : PROBE_KPROBE].name;
}

static const char *thing(const struct typed_search *s)
{
	return s->kind == TYPED_FUNCTION ? "function" : "raw tracepoint";
}

/* The name in "name" or "name [module]"; *module is kernel_itself if there is none. */
static const char *cut_module(struct arena *a, const char *text, const char **module)
{
	size_t n = strcspn(text, " ");

	*module = kernel_itself;
	if (!text[n])
		return text;
	*module = arena_strndup(a, text + n + 2, strcspn(text + n + 2, "]"));
	return arena_strndup(a, text, n);
}

/* "name" or "name [module]" as attach points contain it: "name", "module:name". */
static const char *written(const struct typed_search *s, const char *text, bool with_kernel)
{
	const char *module, *name = cut_module(s->r->arena, text, &module);

	return module != kernel_itself || with_kernel ? arena_join(s->r->arena, module, ":", name)
						      : name;
}

static void offer_near(const char *text, void *ctx)
{
	struct typed_search *s = ctx;

	near_offer(&s->near, s->prefix, written(s, text, s->module || s->r->lists));
}

static void offer_words(const char *text, void *ctx)
{
	near_words_offer(ctx, text);
}

/* Suggest similar names. Returns -1. */
static int hint_near(struct typed_search *s)
{
	struct kernel *k = s->r->kernel;
	struct near_words words;

	s->prefix = arena_printf(s->r->arena, "%s:", point_type(s->p));
	near_init(&s->near, s->r->arena,
		  s->module ? arena_printf(s->r->arena, "%s:%s", s->module, s->name) : s->name);
	k->each_typed(k, s->kind, NULL, offer_near, s);
	if (near_hint(s->r->diags, &s->near) || !near_words_init(&words, s->r->arena, s->name))
		return -1;
	k->each_typed(k, s->kind, NULL, offer_words, &words);
	if (near_words_pattern(&words))
		diag_hint(s->r->diags, "did you mean %s:%s?", point_type(s->p),
			  near_words_pattern(&words));
	return -1;
}

/* ---- what the kernel must have ------------------------------------------------------------- */

static int no_btf(const struct probe_reader *r, const struct attach_point *p)
{
	diag_error(r->diags, p->span, "no-btf", "%s needs the kernel's BTF type information",
		   point_type(p));
	return diag_hint(r->diags,
			 "is CONFIG_DEBUG_INFO_BTF on, and /sys/kernel/btf/vmlinux readable?");
}

static int no_fentry(const struct probe_reader *r, const struct attach_point *p,
		     const char *function)
{
	diag_error(r->diags, p->span, "no-fentry",
		   "this kernel refuses programs of type %s (it needs CONFIG_FUNCTION_TRACER and "
		   "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS)",
		   point_type(p));
	if (kernel_has(r->kernel, CAP_KPROBES))
		return diag_hint(r->diags, "write %s:%s, whose arguments are arg0, arg1, …",
				 kprobe_type(p), function);
	return probe_hint_tracepoints(r, function);
}

static int check_kernel(const struct probe_reader *r, const struct attach_point *p,
			const char *name)
{
	if (kernel_lacks(r->kernel, CAP_BTF))
		return no_btf(r, p);
	if (kind_of(p) == TYPED_FUNCTION && kernel_lacks(r->kernel, CAP_FENTRY))
		return no_fentry(r, p, name);
	return 0;
}

/* ---- one ----------------------------------------------------------------------------------- */

static int unknown_module(const struct typed_search *s)
{
	struct kernel *k = s->r->kernel;
	const struct typed_function *own;
	const struct tp_format *format;

	/* the category of a tracepoint, as in tracepoint:sched:sched_switch */
	if (s->kind == TYPED_TRACEPOINT && !k->typed(k, s->kind, NULL, s->name, &own) &&
	    !k->tracepoint(k, s->module, s->name, &format)) {
		diag_error(s->r->diags, s->p->span, "unknown-module", "'%s' is not a module",
			   s->module);
		return diag_hint(s->r->diags, "write %s:%s", point_type(s->p), s->name);
	}
	diag_error(s->r->diags, s->p->span, "unknown-module",
		   pattern_is(s->module) ? "no loaded module matches '%s'"
					 : "the module '%s' is not loaded, or has no BTF",
		   s->module);
	return diag_hint(s->r->diags,
			 "modprobe %s loads it; /sys/kernel/btf lists the modules with BTF",
			 pattern_is(s->module) ? "MODULE" : s->module);
}

static bool has_typed(const struct renamed_query *q, const char *function)
{
	const struct typed_function *found;

	return q->r->kernel->typed(q->r->kernel, TYPED_FUNCTION, NULL, function, &found) == 0;
}

static int unknown(struct typed_search *s)
{
	struct kernel *k = s->r->kernel;
	struct renamed_query names = {s->r, point_type(s->p), has_typed};
	const char *tag = s->kind == TYPED_FUNCTION ? "unknown-function" : "unknown-tracepoint";

	diag_error(s->r->diags, s->p->span, tag, "the kernel's BTF has no %s '%s'%s%s", thing(s),
		   s->name, s->module ? " in " : "", s->module ? s->module : "");
	if (s->kind == TYPED_FUNCTION && kernel_has(k, CAP_KPROBES) &&
	    k->kernel_function(k, s->name) == 0)
		return diag_hint(s->r->diags,
				 "the kernel has the function, but not its types: write %s:%s",
				 kprobe_type(s->p), s->name);
	if (s->kind == TYPED_FUNCTION && !s->module && renamed_hint(&names, s->name))
		return -1;
	return hint_near(s);
}

static int find_one(struct typed_search *s)
{
	struct kernel *k = s->r->kernel;
	int err = k->typed(k, s->kind, s->module, s->name, &s->p->typed);

	if (err == -ESRCH)
		return unknown_module(s);
	if (err == -ENOTUNIQ) {
		diag_error(s->r->diags, s->p->span, "ambiguous-function",
			   "several modules have a %s '%s'", thing(s), s->name);
		return diag_hint(s->r->diags, "name the module: %s:MODULE:%s", point_type(s->p),
				 s->name);
	}
	if (err == -ENOENT)
		return unknown(s);
	if (err)
		return no_btf(s->r, s->p);
	if (s->kind == TYPED_FUNCTION && traceable_returns_struct(s->p->typed)) {
		diag_error(s->r->diags, s->p->span, "struct-result",
			   "%s returns a %s: the kernel refuses fentry and fexit there", s->name,
			   s->p->typed->result.type_text);
		return diag_hint(s->r->diags, "write %s:%s", kprobe_type(s->p), s->name);
	}
	s->p->function = s->kind == TYPED_TRACEPOINT ? NULL : s->p->typed->name;
	return 0;
}

static int resolve_one(const struct probe_reader *r, struct attach_point *p, char **parts,
		       uint32_t n)
{
	struct typed_search s = {.r = r, .p = p, .kind = kind_of(p)};

	if (n < 1 || n > 2 || !*parts[0] || !*parts[n - 1])
		return probe_wrong_form(r, p);
	s.name = arena_strdup(r->arena, parts[n - 1]);
	s.module = n == 2 ? arena_strdup(r->arena, parts[0]) : NULL;
	if (check_kernel(r, p, s.name))
		return -1;
	return find_one(&s);
}

int prs_typed_function(const struct probe_reader *r, struct attach_point *p, char **parts,
		       uint32_t n)
{
	if (n && strchr(parts[n - 1], '+')) {
		diag_error(r->diags, p->span, "bad-offset", "%s has no offsets", point_type(p));
		return diag_hint(r->diags, "write kprobe:… to probe inside the function");
	}
	return resolve_one(r, p, parts, n);
}

int prs_raw_tracepoint(const struct probe_reader *r, struct attach_point *p, char **parts,
		       uint32_t n)
{
	return resolve_one(r, p, parts, n);
}

/* ---- functions of loaded BPF programs ------------------------------------------------------ */

static void add_point(struct typed_search *s, const struct typed_function *f, const char *name)
{
	struct attach_point p = *s->p;

	p.typed = f;
	p.function = s->kind == TYPED_TRACEPOINT ? NULL : f->name;
	p.name = name;
	arena_push(s->r->arena, *s->e->points, *s->e->n_points, p);
}

static void offer_of_program(const struct typed_function *f, void *ctx)
{
	struct typed_search *s = ctx;

	if ((s->prog_id && s->prog_id != f->prog_id) || !pattern_matches(s->name, f->name))
		return;
	s->n_found++;
	add_point(s, f,
		  arena_printf(s->r->arena, "%s:%s:%u:%s", point_type(s->p), of_programs,
			       f->prog_id, f->name));
}

static void offer_near_of_program(const struct typed_function *f, void *ctx)
{
	struct typed_search *s = ctx;

	near_offer(&s->near, s->prefix, f->name);
}

static int read_program_id(struct typed_search *s, const char *text)
{
	char *end;

	if (strcmp(text, "*") == 0)
		return 0;
	s->prog_id = strtoull(text, &end, 10);
	if (!*end && s->prog_id && s->prog_id <= UINT32_MAX)
		return 0;
	diag_error(s->r->diags, s->p->span, "bad-program-id", "'%s' is not the id of a BPF program",
		   text);
	return diag_hint(s->r->diags, "write a number, or '*' for any: `bpftool prog` lists them");
}

static int expand_programs(struct typed_search *s, char **parts, uint32_t n)
{
	int err;

	if (n < 2 || n > 3 || !*parts[n - 1])
		return probe_wrong_form(s->r, s->p);
	if (n == 3 && read_program_id(s, parts[1]))
		return -1;
	s->name = parts[n - 1];
	s->p->pattern =
		arena_printf(s->r->arena, "%s:%s:%s", point_type(s->p), of_programs, s->name);
	if (check_kernel(s->r, s->p, s->name))
		return -1;
	err = s->r->kernel->each_bpf_function(s->r->kernel, offer_of_program, s);
	if (s->n_found)
		return 0;
	diag_error(s->r->diags, s->p->span, "no-program", "no loaded BPF program%s %s '%s'%s%s",
		   s->prog_id ? " of that id" : "",
		   pattern_is(s->name) ? "matches" : "has a function", s->name, err ? ": " : "",
		   err ? strerror(-err) : "");
	near_init(&s->near, s->r->arena, s->name);
	s->prefix = arena_printf(s->r->arena, "%s:%s:", point_type(s->p), of_programs);
	s->r->kernel->each_bpf_function(s->r->kernel, offer_near_of_program, s);
	if (near_hint(s->r->diags, &s->near))
		return -1;
	return diag_hint(s->r->diags, "`bpftool prog` lists the programs that are loaded");
}

/* ---- patterns ------------------------------------------------------------------------------ */

/* `text` is "name" or "name [module]". */
static void offer_typed(const char *text, void *ctx)
{
	struct typed_search *s = ctx;
	struct arena *a = s->r->arena;
	const char *module, *name = cut_module(a, text, &module);

	if (s->module && !pattern_matches(s->module, module))
		return;
	if (pattern_matches(s->name, name) && !traceable_is_denied(name))
		arena_push(a, s->found, s->n_found, arena_strdup(a, text));
}

static void offer_traceable(const char *text, void *ctx)
{
	struct typed_search *s = ctx;
	const char **hit = bsearch(&text, s->found, s->n_found, sizeof(*s->found), expand_by_name);

	if (hit)
		s->is_traceable[hit - s->found] = true;
}

/* Drop functions that BTF describes but that cannot be traced. */
static void drop_untraceable(struct typed_search *s)
{
	struct kernel *k = s->r->kernel;
	uint32_t n = 0;

	s->is_traceable = arena_alloc(s->r->arena, s->n_found + 1);
	if (s->kind != TYPED_FUNCTION || k->each_kernel_function(k, offer_traceable, s))
		return;
	for (uint32_t i = 0; i < s->n_found; i++)
		if (s->is_traceable[i])
			s->found[n++] = s->found[i];
	s->n_found = n;
}

static int too_many(const struct typed_search *s, const char *pattern)
{
	diag_error(s->r->diags, s->p->span, "limit-probes",
		   "%s:%s matches %u %ss: each needs its own program, the limit is %d",
		   point_type(s->p), pattern, s->n_found, thing(s), LIMIT_TYPED);
	if (s->kind == TYPED_FUNCTION && kernel_has(s->r->kernel, CAP_KPROBES))
		return diag_hint(
			s->r->diags,
			"make the pattern more specific, or write %s:%s, one program for all",
			kprobe_type(s->p), s->name);
	return diag_hint(s->r->diags, "make the pattern more specific");
}

static int no_match(struct typed_search *s)
{
	diag_error(s->r->diags, s->p->span, "no-match", "no %s of this kernel%s matches '%s'",
		   thing(s), s->kind == TYPED_FUNCTION ? " that has BTF and can be traced" : "",
		   s->name);
	return hint_near(s);
}

/* Resolve each as if it had been written out. Functions with more arguments than programs can be
 * passed are left out, with a warning. */
static int add_found(struct typed_search *s, const char *pattern)
{
	struct kernel *k = s->r->kernel;
	const char *left_out = NULL;
	uint32_t n_left_out = 0;

	s->p->pattern = arena_printf(s->r->arena, "%s:%s", point_type(s->p), pattern);
	for (uint32_t i = 0; i < s->n_found; i++) {
		const char *module, *name = cut_module(s->r->arena, s->found[i], &module);
		const struct typed_function *f;

		if (k->typed(k, s->kind, module, name, &f))
			continue;
		if (s->kind == TYPED_FUNCTION && !traceable_is_passed(f)) {
			left_out = left_out ? left_out : name;
			n_left_out++;
			continue;
		}
		add_point(s, f,
			  arena_join(s->r->arena, point_type(s->p), ":",
				     written(s, s->found[i], false)));
	}
	if (!n_left_out)
		return 0;
	diag_warning(s->r->diags, s->p->span, "left-out",
		     "%u function%s left out, with more than %d arguments, structures among "
		     "them, or one as the result: %s%s",
		     n_left_out, n_left_out == 1 ? " is" : "s are", TRACEABLE_WORDS, left_out,
		     n_left_out == 1 ? "" : ", …");
	return 0;
}

static int expand_pattern(struct typed_search *s, char **parts, uint32_t n, const char *pattern)
{
	struct kernel *k = s->r->kernel;
	uint32_t n_of_programs;
	int err;

	if (n < 1 || n > 2 || !*parts[0] || !*parts[n - 1])
		return probe_wrong_form(s->r, s->p);
	s->name = parts[n - 1];
	s->module = n == 2 ? parts[0] : NULL;
	if (check_kernel(s->r, s->p, s->name))
		return -1;
	if (s->r->lists && !s->module && s->kind == TYPED_FUNCTION)
		k->each_bpf_function(k, offer_of_program, s);
	n_of_programs = s->n_found;
	s->n_found = 0;
	err = k->each_typed(k, s->kind, s->module && !pattern_is(s->module) ? s->module : NULL,
			    offer_typed, s);
	if (err == -ESRCH)
		return unknown_module(s);
	if (s->n_found &&
	    !(s->r->lists && s->kind == TYPED_TRACEPOINT)) { /* listings sort their lines */
		qsort(s->found, s->n_found, sizeof(*s->found), expand_by_name);
		drop_untraceable(s);
	}
	if (!s->n_found)
		return n_of_programs ? 0 : no_match(s);
	if (s->r->lists) { /* the names are enough: -lv reads the arguments when it prints them */
		for (uint32_t i = 0; i < s->n_found; i++)
			s->found[i] = written(s, s->found[i], true);
		expand_to_names(s->e, s->found, s->n_found);
		return 0;
	}
	return s->n_found > LIMIT_TYPED ? too_many(s, pattern) : add_found(s, pattern);
}

static uint32_t split_parts(char *text, char **parts)
{
	uint32_t n = 0;

	for (char *c = text; n < MAX_PARTS; c++) {
		parts[n++] = c;
		c = strchr(c, ':');
		if (!c)
			break;
		*c = '\0';
	}
	return n;
}

int exp_typed(struct probe_expansion *e)
{
	struct attach_point p = {.span = e->text->span, .id = e->id};
	struct typed_search s = {.e = e, .r = e->r, .p = &p, .kind = kind_of(&p)};
	char *parts[MAX_PARTS];
	uint32_t n;

	if (!e->rest || !*e->rest)
		return exp_one(e);
	n = split_parts(arena_strdup(e->r->arena, e->rest), parts);
	if (s.kind == TYPED_FUNCTION && strcmp(parts[0], of_programs) == 0)
		return expand_programs(&s, parts, n);
	if (e->r->lists || pattern_is(e->rest))
		return expand_pattern(&s, parts, n, e->rest);
	return exp_one(e);
}
