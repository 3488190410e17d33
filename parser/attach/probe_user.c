/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parse hook of uprobe and uretprobe: functions of programs and libraries, by name, pattern or
 * demangled name. Addresses, libraries of a program and source lines are in probe_user_place.c.
 */
#include "parser/attach/probe_user.h"
#include "parser/attach/cpp_name.h"
#include <stdlib.h>
#include <unistd.h>

/* ---- messages ------------------------------------------------------------------------------ */

int user_no_binary(const struct user_matching *m, const char *path, int err)
{
	const struct probe_reader *r = m->r;

	diag_error(
		r->diags, m->p->span, "no-binary", "cannot probe '%s': %s", path,
		err == -ENOEXEC ? "not an ELF program or library"
		: err == -EMEDIUMTYPE
			? "it is compressed in the archive, or not aligned to a page, so no process can map it"
			: strerror(-err));
	if (err == -ENOEXEC)
		user_hint_no_program(r, path);
	else if (err == -ENOENT && !strchr(path, '/') && access(path, F_OK) == 0)
		diag_hint(r->diags, "did you mean ./%s?", path);
	else if (err == -ENOENT && !strchr(path, '/'))
		user_hint_bare_name(m, path);
	else if (err == -ENOENT)
		user_hint_file(r, path);
	return -1;
}

static void offer_symbol(const struct user_symbol *f, void *ctx)
{
	user_name_offer(ctx, f->symbol);
}

static int no_symbol(struct user_matching *m, const char *program)
{
	const struct attach_point *p = m->p;
	struct diags *d = m->r->diags;

	m->n_offered = 0;
	m->r->kernel->each_user_function(m->r->kernel, m->path, offer_symbol, m);
	if (m->n_offered == 0) {
		diag_error(d, p->span, "no-symbols", "%s has no function names: it is stripped",
			   m->path);
		if (!m->is_pattern && user_hint_library(m, program))
			return -1;
		return diag_hint(d, "install its debug symbols, or build it without -s");
	}
	if (m->is_pattern)
		diag_error(d, p->span, "no-match", "%s has no function that matches '%s'", m->path,
			   m->pattern);
	else
		diag_error(d, p->span, "unknown-symbol", "%s has no function '%s'", m->path,
			   m->pattern);
	if (!m->is_pattern && user_hint_library(m, program))
		return -1;
	if (m->is_pattern && !m->nearest.best)
		m->nearest.best = user_near_pattern(m);
	if (m->nearest.best)
		return diag_hint(d, "did you mean %s:%s:%s?", probe_rows[p->id].name, m->path,
				 m->nearest.best);
	return diag_hint(d, "'sonde -l %s:%s' lists its functions", probe_rows[p->id].name,
			 m->path);
}

/* ---- functions ----------------------------------------------------------------------------- */

/* Assembler code without .size, and the empty functions of compilers, whose address is that of what
 * follows. That may be data, which a breakpoint corrupts. */
static bool has_no_size(const struct user_matching *m, const struct user_symbol *f)
{
	return !f->size && !m->r->kernel->any_place;
}

/* Where the program begins, and what arm64's C library links into each program for it. */
static bool is_start_code(const struct user_symbol *f)
{
	return f->is_entry || strcmp(f->symbol, "call_weak_fn") == 0;
}

static void offer_function(const struct user_symbol *f, void *ctx)
{
	struct user_matching *m = ctx;

	m->path = f->path;
	if ((probe_is_return(m->p) && is_start_code(f)) || !user_name_matches(m, f->symbol))
		return;
	if (has_no_size(m, f)) {
		m->n_sizeless++;
		return;
	}
	if (!m->status && (m->offset ? user_check_offset(m, f, m->offset) : 0))
		m->status = -1;
	if (!m->status)
		m->status = user_add_function(m, f, m->offset);
}

/* By file offset. Of several names at one offset the simplest comes first: fewer leading
 * underscores, fewer letters. */
static int by_place(const void *x, const void *y)
{
	const struct attach_target *a = x, *b = y;
	size_t bars_a = strspn(a->symbol, "_"), bars_b = strspn(b->symbol, "_");

	if (probe_by_place(a, b))
		return probe_by_place(a, b);
	if (bars_a != bars_b)
		return bars_a < bars_b ? -1 : 1;
	if (strlen(a->symbol) != strlen(b->symbol))
		return strlen(a->symbol) < strlen(b->symbol) ? -1 : 1;
	return strcmp(a->symbol, b->symbol);
}

/* ---- files --------------------------------------------------------------------------------- */

/* Callers never reach the resolver of an IFUNC: warn that the probe will not fire. */
static void warn_ifunc(const struct user_matching *m, const struct user_symbol *f)
{
	struct diags *d = m->r->diags;

	diag_warning(d, m->p->span, "ifunc",
		     "%s is an IFUNC: it only selects the function that callers of this name reach",
		     f->symbol);
	diag_hint(
		d,
		"probe the selected function, named like __%s_avx_unaligned if the file has its symbol",
		f->symbol);
}

static int no_size(const struct user_matching *m)
{
	struct diags *d = m->r->diags;

	diag_error(d, m->p->span, "no-size", "%s%s%s in %s has no size, so it may not be code",
		   m->is_pattern ? "what matches '" : "", m->pattern, m->is_pattern ? "'" : "",
		   m->path);
	return diag_hint(d, "--unsafe probes it anyway; a breakpoint in data breaks the program");
}

static int exact_function(struct user_matching *m, const struct user_symbol *f)
{
	struct diags *d = m->r->diags;

	if (f->is_entry && probe_is_return(m->p)) {
		diag_error(d, m->p->span, "no-return",
			   "%s is where the program begins: it never returns", f->symbol);
		return diag_hint(d, "main is the first function that does");
	}
	if (has_no_size(m, f)) {
		m->n_sizeless = 1;
		return no_size(m);
	}
	if (m->offset && user_check_offset(m, f, m->offset))
		return -1;
	if (user_add_function(m, f, m->offset))
		return -1;
	if (f->is_ifunc && !m->r->lists)
		warn_ifunc(m, f);
	return 0;
}

int user_match_file(struct user_matching *m, const char *path)
{
	struct kernel *k = m->r->kernel;
	struct user_symbol f = {0};
	int err = -ESRCH;

	m->path = path;
	if (!m->is_pattern && !m->is_demangled) {
		err = k->user_symbol(k, path, m->pattern, &f);
		if (!err)
			return exact_function(m, &f);
		if (f.path)
			m->path = f.path;
	}
	if (err == -ESRCH)
		err = k->each_user_function(k, path, offer_function, m);
	return err ? err : m->status;
}

struct exact_search {
	struct user_matching m;
	bool is_found;
};

static void offer_exact(const struct user_symbol *f, void *ctx)
{
	struct exact_search *s = ctx;

	s->is_found = s->is_found || user_name_matches(&s->m, f->symbol);
}

/* A pattern that is also the name of a function means that function alone. */
static void prefer_name(struct user_matching *m, const char *path)
{
	struct exact_search s = {0};

	if (!user_name_exact(m, &s.m))
		return;
	m->r->kernel->each_user_function(m->r->kernel, path, offer_exact, &s);
	if (s.is_found)
		*m = s.m;
}

static void match_found_file(const char *path, void *ctx)
{
	struct user_matching *m = ctx;
	int err;

	if (m->status)
		return;
	err = user_match_file(m, path);
	m->n_files += err == 0 || err == -1;
}

/* '*' stands for every file whose code the process of -p runs, or else any process. */
static bool is_mapped(const struct user_matching *m, const char *pattern)
{
	return strcmp(pattern, "*") == 0 && m->r->kernel->each_mapped_file;
}

static int each_file(struct user_matching *m, const char *pattern)
{
	struct kernel *k = m->r->kernel;

	if (is_mapped(m, pattern))
		return k->each_mapped_file(k, match_found_file, m);
	return k->each_user_file ? k->each_user_file(k, pattern, match_found_file, m) : -ENOSYS;
}

static int match_files(struct user_matching *m, const char *pattern)
{
	struct diags *d = m->r->diags;
	int err = each_file(m, pattern);

	if (m->status)
		return m->status;
	if (is_mapped(m, pattern) && (err || (m->r->kernel->scope->pid && !m->n_files)))
		return probe_no_mapped_file(m->r, m->p, err);
	if (err || !m->n_files) {
		diag_error(d, m->p->span, "no-binary", "no program or library matches '%s'%s%s",
			   pattern, err ? ": " : "", err ? strerror(-err) : "");
		return diag_hint(d, "'*' matches anything but '/', as in the shell");
	}
	if (m->p->n_targets || m->n_sizeless)
		return 0;
	return diag_error(d, m->p->span, "no-match",
			  "none of the %u files that match '%s' has a function %s'%s'", m->n_files,
			  pattern, m->is_pattern ? "that matches " : "", m->pattern);
}

/* ---- the text ------------------------------------------------------------------------------ */

/* The '+' of SYMBOL+OFF, not the one in "operator+=". */
static char *find_plus(char *symbol)
{
	char *plus = strrchr(symbol, '+');

	if (!plus || strchr(plus, ')') || strchr(plus, '(') || plus == symbol)
		return NULL;
	return cpp_name_in_operator(symbol, plus) ? NULL : plus;
}

/* In uprobe:f, the function belongs to the traced process or command. */
static const char *traced_program(struct user_matching *m, const char *name)
{
	const char *program = scope_program(m->r->kernel->scope, m->r->arena);
	const char *type = probe_rows[m->p->id].name;
	struct diags *d = m->r->diags;

	if (program)
		return program;
	diag_error(d, m->p->span, "attach-form", "%s probes are written %s", type,
		   probe_rows[m->p->id].form);
	diag_hint(d, "write %s:PATH:%s; the path can be left out with -p PID or -c COMMAND", type,
		  name);
	return NULL;
}

static void begin(struct user_matching *m, const struct probe_reader *r, struct attach_point *p,
		  const char *name)
{
	user_name_query(m, arena_strdup(r->arena, name));
	m->is_demangled |= r->lists && strstr(name, "::");
	nearest_init(&m->nearest, pattern_letters(r->arena, name));
	m->nearest.arena = r->arena;
	p->function = m->pattern;
}

/* Name an attach point whose targets are known. */
static int finish(struct user_matching *m, const char *path, bool many_files)
{
	struct attach_point *p = m->p;
	struct arena *a = m->r->arena;
	const char *type = probe_rows[p->id].name, *as_written;

	if (!p->n_targets && (m->n_left_out || m->n_assembler || m->n_address_users))
		return user_none_returns(m);
	if (!p->n_targets && m->n_sizeless)
		return no_size(m);
	if (!p->n_targets)
		return no_symbol(m, path);
	if (m->is_pattern && !many_files) {
		user_name_keep_exact(p->targets, &p->n_targets, m->pattern);
		user_name_keep_exact(p->user.entries, &p->user.n_entries, m->pattern);
	}
	if (p->is_listed && m->n_left_out)
		user_warn_left_out(m);
	if (p->is_listed) { /* each name is listed */
		p->name = p->pattern = arena_printf(a, "%s:%s:%s", type, path, m->pattern);
		return 0;
	}
	/* a function with two names must not fire twice */
	probe_each_once(p->targets, &p->n_targets, by_place, probe_by_place);
	probe_each_once(p->user.entries, &p->user.n_entries, by_place, probe_by_place);
	user_warn_left_out(m);
	as_written = arena_printf(a, "%s:%s:%s", type, many_files ? path : p->targets[0].path,
				  m->pattern);
	if (user_n_functions(p) == 1) {
		p->pattern = m->is_pattern || many_files ? as_written : NULL;
		p->function = p->targets[0].function;
		p->name = arena_printf(a, "%s:%s:%s", type, p->targets[0].path, p->function);
		if (m->offset)
			p->name =
				arena_printf(a, "%s+%llu", p->name, (unsigned long long)m->offset);
		return 0;
	}
	p->name = p->pattern = as_written;
	return probe_check_number(m->r, p, m->pattern, "functions");
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+#";

static bool is_language(const char *s)
{
	return strcmp(s, "cpp") == 0 || strcmp(s, "rust") == 0;
}

/* If a file of that name exists, '@' is part of the name. */
static char *find_at(const struct user_matching *m, char *path)
{
	struct user_symbol f = {0};
	char *at = strrchr(path, '@');

	if (!at || at == path || !at[1] ||
	    m->r->kernel->user_symbol(m->r->kernel, path, "", &f) != -ENOENT)
		return NULL;
	return at;
}

static bool is_number(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

/* Resolve NAME in PATH. */
static int resolve(struct user_matching *m, char *path, char *name)
{
	char *at = find_at(m, path), *plus;
	bool many_files = at ? pattern_is(at + 1) : user_path_is_pattern(m, path);
	const char *file = path;
	bool is_odd;
	int err;

	if (at) {
		*at++ = '\0';
		if (is_number(name) && (m->column || !strstr(at, ".so")))
			return user_at_line(m, path, at, name);
		file = many_files ? path : user_library_path(m, path, at);
		if (!file)
			return -1;
	}
	is_odd = !many_files && user_name_is_odd(m, file, name);
	if (*name >= '0' && *name <= '9' && !is_odd)
		return user_at_address(m, file, name);
	plus = is_odd ? NULL : find_plus(name);
	if (plus && probe_read_offset(m->r, m->p, name, plus, &m->offset))
		return -1;
	m->p->is_listed = m->r->lists && !m->offset;
	begin(m, m->r, m->p, name);
	if (is_odd)
		m->is_pattern = false;
	if (at || strstr(path, ".so"))
		user_find_throwers(m);
	if (!many_files)
		prefer_name(m, file);
	if (at && many_files)
		err = user_match_libraries(m, path, at);
	else
		err = many_files ? match_files(m, path) : user_match_file(m, file);
	if (err < -1)
		return user_no_binary(m, file, err);
	if (at && many_files)
		path = arena_printf(m->r->arena, "%s@%s", path, at);
	return err ? -1 : finish(m, path, many_files);
}

/* PATH:WORD:NAME with an unknown WORD. */
static int three_parts(const struct user_matching *m, char **parts)
{
	const struct attach_point *p = m->p;
	struct diags *d = m->r->diags;

	if (*parts[0] && strchr(parts[1], '.') && is_number(parts[2])) {
		diag_error(d, p->span, "attach-form", "a line is written %s:PATH@FILE:LINE",
			   probe_rows[p->id].name);
		return diag_hint(d, "write %s:%s@%s:%s", probe_rows[p->id].name, parts[0], parts[1],
				 parts[2]);
	}
	if (!*parts[0] || !*parts[1] || !*parts[2] || parts[1][strspn(parts[1], letters)])
		return probe_wrong_form(m->r, p);
	diag_error(d, p->span, "attach-form", "unknown language '%s': cpp and rust are supported",
		   parts[1]);
	return diag_hint(d, "write %s:%s:%s, with or without cpp: or rust: before the function",
			 probe_rows[p->id].name, parts[0], parts[2]);
}

int prs_user_symbol(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	struct user_matching m = {.r = r, .p = p};
	const char *path;

	if (!probe_has_uprobes(r, p))
		return -1;
	if (n == 3 && is_language(parts[1])) {
		m.is_demangled = true;
		parts[1] = parts[2];
		n = 2;
	} else if (n == 3 && strchr(parts[0], '@') && is_number(parts[1]) && is_number(parts[2])) {
		m.column = (uint32_t)strtoul(parts[2], NULL, 10);
		n = 2;
	} else if (n == 3) {
		return three_parts(&m, parts);
	}
	if (n == 2 && parts[0][0] == '@' && *parts[1]) { /* of the traced program */
		path = traced_program(&m, parts[1]);
		if (!path)
			return -1;
		return resolve(&m, arena_printf(r->arena, "%s%s", path, parts[0]), parts[1]);
	}
	if (n == 2 && *parts[0] && *parts[1]) {
		const char *written = arena_strdup(r->arena, parts[0]);

		if (resolve(&m, parts[0], parts[1]))
			return -1;
		if (strcmp(parts[0], written) == 0) /* else PROGRAM@LIBRARY, in two */
			probe_show_path(r->arena, p, written);
		return 0;
	}
	if (n != 1 || !*parts[0] || strchr(parts[0], '/'))
		return probe_wrong_form(r, p);
	path = traced_program(&m, parts[0]);
	if (!path)
		return -1;
	return resolve(&m, arena_strdup(r->arena, path), parts[0]);
}
