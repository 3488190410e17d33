/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: which types of probes a pattern asks for, in which order names are written, and what is said
 * when there are none. A row of the table below has a type's names (list_kernel.c, list_user.c) and
 * what -lv writes below one (list_args.c). Types without a row have no names: their form is shown.
 */
#define _GNU_SOURCE
#include "runtime/list/list.h"
#include "parser/lang/kernel.h"
#include "parser/lang/probe.h"
#include "runtime/kernel/btf_text.h"
#include "runtime/list/list_impl.h"
#include "runtime/base/log.h"
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct list_row rows[] = {
	{"tracepoint", lst_tracepoints, fld_tracepoint, LIST_ANY | LIST_TWO_PARTS, CAP_TRACEPOINTS},
	{"rawtracepoint", lst_raw_tracepoints, fld_raw_tracepoint,
	 LIST_ANY | LIST_TWO_PARTS | LIST_MODULES, CAP_RAW_TRACEPOINTS},
	{"kprobe", lst_functions, fld_kprobe, LIST_ANY | LIST_MODULES, CAP_KPROBES},
	{"kretprobe", lst_functions, fld_result, LIST_MODULES, CAP_KPROBES},
	{"fentry", lst_typed_functions, fld_function, LIST_ANY | LIST_TWO_PARTS | LIST_MODULES,
	 CAP_FENTRY},
	{"fexit", lst_typed_functions, fld_function_result, LIST_TWO_PARTS | LIST_MODULES,
	 CAP_FENTRY},
	{"iter", lst_iterators, fld_iterator, LIST_ANY, CAP_ITERATORS},
	{"uprobe", lst_symbols, fld_symbol, LIST_ANY | LIST_FILES | LIST_FUNCTIONS, CAP_UPROBES},
	{"uretprobe", lst_symbols, fld_symbol_result, LIST_FILES | LIST_FUNCTIONS, CAP_UPROBES},
	{"usdt", lst_usdt, fld_usdt, LIST_ANY | LIST_FILES, CAP_UPROBES},
	{"software", lst_events, NULL, LIST_ANY, CAP_SOFTWARE},
	{"hardware", lst_events, NULL, LIST_ANY, CAP_HARDWARE},
	{"interval", lst_times, NULL, LIST_FORM, CAP_NONE},
	{"profile", lst_times, NULL, LIST_FORM, CAP_SOFTWARE},
};
enum { N_ROWS = sizeof(rows) / sizeof(*rows) };

static const struct list_row *row_of(const struct probe_row *p)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (strcmp(rows[i].type, p->name) == 0)
			return &rows[i];
	return NULL;
}

/* ---- what the types' hooks call ------------------------------------------------------------ */

void list_keep(struct listing *l, char *line)
{
	size_t capacity = l->capacity ? 2 * l->capacity : 1024;
	char **grown = l->names;

	if (line && l->n == l->capacity) {
		grown = reallocarray(l->names, capacity, sizeof(*grown));
		if (grown) {
			l->names = grown;
			l->capacity = capacity;
		}
	}
	if (line && grown) {
		l->names[l->n++] = line;
		return;
	}
	if (!l->status)
		log_error("out of memory");
	l->status = 2;
	free(line);
}

/* Behind the last ':' that anything follows: "cpu:" of "software:cpu:". */
static const char *last_part(const char *line)
{
	const char *last = line;

	for (const char *c = line; *c; c++)
		if (*c == ':' && c[1])
			last = c + 1;
	return last;
}

static bool is_requested(const struct listing *l, const char *line)
{
	char part[1024];
	size_t len;

	if (l->last) {
		len = (size_t)snprintf(part, sizeof(part), "%s", last_part(line));
		if (len && len < sizeof(part) && part[len - 1] == ':')
			part[len - 1] = '\0';
		return fnmatch(l->last, part, 0) == 0;
	}
	return !l->pattern || fnmatch(l->pattern, line, 0) == 0 ||
	       (l->other && fnmatch(l->other, line, 0) == 0);
}

bool list_is_requested(const struct listing *l, const char *name)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s:%s", l->type, name);
	return is_requested(l, line);
}

void list_offer(struct listing *l, const char *name)
{
	char line[1024];

	if (l->near)
		return list_near_name(l, name);
	snprintf(line, sizeof(line), "%s:%s", l->type, name);
	if (is_requested(l, line))
		list_keep(l, strdup(line));
}

/* When nobody asked for this type its names are only left out. */
void list_refuse(struct listing *l, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (l->near)
		return; /* it was said the first time */
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (l->rest) {
		log_error("%s", text);
		l->status = 2;
	} else {
		log_warning("%s probes are left out: %s", l->type, text);
	}
}

/* Whether this user may ever know is the kernel's choice: what BTF has is listed. */
static void say_unknown(const struct listing *l, size_t n_before)
{
	const struct capability_row *capability = &capability_rows[l->row->capability];

	if (l->n > n_before && !l->near)
		log_warning(
			"%s probes: whether this kernel has %s (%s) is not told to this user, only "
			"what it would have; ask as root",
			l->type, capability->name, capability->from);
}

/* Said once, of the first that is no process's. */
static void say_kernels(struct listing *l)
{
	if ((!l->kernel->pid && !l->kernel->program) || l->is_scope_reported)
		return;
	l->is_scope_reported = true;
	log_warning(
		"%s names no %s probes: these are the kernel's; uprobe, uretprobe and usdt are of a "
		"process",
		l->kernel->pid ? "-p" : "-c", l->type);
}

struct mapped_files {
	void (*fn)(const char *path, void *ctx);
	void *ctx;
	uint32_t n;
};

static void count_file(const char *path, void *ctx)
{
	struct mapped_files *m = ctx;

	m->n++;
	m->fn(path, m->ctx);
}

void list_mapped_files(struct listing *l, void (*fn)(const char *path, void *ctx), void *ctx)
{
	struct mapped_files m = {.fn = fn, .ctx = ctx};
	uint32_t pid = l->kernel->pid;
	int err = l->kernel->each_mapped_file(l->kernel, count_file, &m);

	if (err && pid)
		list_refuse(l, "cannot read what process %u has mapped: %s", pid, strerror(-err));
	else if (err)
		list_refuse(l, "cannot read what processes have mapped: %s", strerror(-err));
	else if (pid && !m.n)
		list_refuse(l, "process %u runs no file: it is a thread of the kernel's, or ending",
			    pid);
}

/* ---- one type ------------------------------------------------------------------------------ */

static void list_form(struct listing *l, const struct probe_row *p)
{
	if (l->rest || !l->pattern || fnmatch(l->pattern, p->form, FNM_CASEFOLD) == 0)
		list_keep(l, strdup(p->form));
}

/* A type that is named is listed as far as the kernel tells; what it lacks is said in the end. */
static void list_type(struct listing *l, const struct probe_row *p)
{
	const struct list_row *row = row_of(p);
	enum capability_state state;
	size_t n = l->n;

	l->row = row;
	l->type = p->name;
	l->probe = (uint32_t)(p - probe_rows);
	if (!row || (!l->rest && row->flags & LIST_FORM))
		return list_form(l, p);
	if (!(row->flags & LIST_FILES))
		say_kernels(l);
	state = kernel_capability(l->kernel, row->capability);
	if (state != CAPABILITY_NO)
		row->names(l);
	else if (l->rest)
		list_lacking(l, p->name);
	if (state == CAPABILITY_UNKNOWN)
		say_unknown(l, n);
}

/* What a named type's lines are matched with: "type:rest"; of types of two parts, either alone. */
static void list_named(struct listing *l, const struct probe_row *p, const char *rest)
{
	const struct list_row *row = row_of(p);
	bool is_half = row && row->flags & LIST_TWO_PARTS && !strchr(rest, ':');
	char *pattern = NULL, *other = NULL;

	l->rest = rest;
	if (asprintf(&pattern, "%s:%s%s", p->name, *rest ? rest : "*",
		     *rest && is_half ? ":*" : "") < 0)
		pattern = NULL;
	if (*rest && is_half && asprintf(&other, "%s:*:%s", p->name, rest) < 0)
		other = NULL;
	l->pattern = pattern;
	l->other = other;
	if (pattern)
		list_type(l, p);
	else
		list_keep(l, NULL);
	free(pattern);
	free(other);
	l->pattern = l->other = l->rest = NULL;
}

/* ---- patterns ------------------------------------------------------------------------------ */

/* Of all types but those of files, as l->pattern and l->last ask. */
static void list_types_of_all(struct listing *l)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		const struct list_row *row = row_of(&probe_rows[i]);

		if (!row || row->flags & LIST_FORM ||
		    (row->flags & (LIST_ANY | LIST_FILES)) == LIST_ANY)
			list_type(l, &probe_rows[i]);
	}
}

/* A word that names no type: a part of a line; with * or ? the last part of names, "sched_sw*", or
 * if none is so called all of a line, "kprobe*". */
static void list_any(struct listing *l, const char *word)
{
	bool is_glob = word && strpbrk(word, "*?");
	char *pattern = NULL;
	size_t n = l->n;

	if (word && asprintf(&pattern, is_glob ? "%s" : "*%s*", word) < 0)
		return list_keep(l, NULL);
	l->last = is_glob && !strchr(word, ':') ? word : NULL;
	l->pattern = pattern;
	list_types_of_all(l);
	if (l->last && l->n == n && !l->near) {
		l->last = NULL;
		list_types_of_all(l);
	}
	l->pattern = l->last = NULL;
	free(pattern);
}

/* Does "TYPE:…" of a pattern, `n` bytes, name this type? A pattern of types, "*probe:", is one of
 * those of the kernel; of those of files when what follows is one. */
static bool names_type(const char *pattern, size_t n, const struct probe_row *p)
{
	const struct list_row *row = row_of(p);
	bool is_file = pattern[n] && strchr(pattern + n, '/');
	char type[32];

	if (probe_type_is(pattern, n, (enum probe_id)(p - probe_rows)))
		return true;
	if (!row || n >= sizeof(type) || !memchr(pattern, '*', n) || !pattern[n])
		return false;
	memcpy(type, pattern, n);
	type[n] = '\0';
	return row->flags & LIST_ANY && is_file == !!(row->flags & LIST_FILES) &&
	       fnmatch(type, p->name, FNM_CASEFOLD) == 0;
}

/* One pattern. Of a pattern of types those that the kernel lacks are left out in silence. */
static void list_one(struct listing *l, const char *word)
{
	size_t n = strcspn(word, ":");
	uint32_t found = 0;

	l->word = word;
	if (list_is_type(word)) {
		l->rest = word;
		list_type_names(l, word);
		l->rest = NULL;
		return;
	}
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		const struct probe_row *p = &probe_rows[i];
		const struct list_row *row = row_of(p);

		if (!names_type(word, n, p))
			continue;
		found++;
		if (!memchr(word, '*', n) ||
		    kernel_capability(l->kernel, row->capability) != CAPABILITY_NO)
			list_named(l, p, word[n] ? word + n + 1 : "");
	}
	if (!found)
		list_any(l, strcmp(word, "*") == 0 ? NULL : word);
}

/* Where a pattern ends: a comma, but not in quotes, where it is between parameters. */
static char *end_of_pattern(char *s)
{
	bool is_quoted = false;

	for (; *s && (is_quoted || *s != ','); s++)
		is_quoted ^= *s == '"';
	return s;
}

/* One pattern of several, the `i`th. */
typedef void pattern_fn(struct listing *l, const char *word, uint32_t i);

/* "a,b": each in turn. */
static void each_pattern(struct listing *l, const char *patterns, pattern_fn *fn)
{
	char *copy = strdup(patterns), *word = copy;
	bool is_last = !copy;

	if (!copy)
		list_keep(l, NULL);
	for (uint32_t i = 0; !is_last; i++) {
		char *end = end_of_pattern(word);

		is_last = !*end;
		*end = '\0';
		word += strspn(word, " ");
		if (*word)
			fn(l, word, i);
		word = end + 1;
	}
	free(copy);
}

enum { MISSED_MOST = 64 }; /* patterns of which is remembered that they matched nothing */

static void list_or_miss(struct listing *l, const char *word, uint32_t i)
{
	int status = l->status;

	if (*word == '!') {
		if (i == 0 || !l->is_pattern_missed)
			list_exclude(l, word, l->first, i == 0);
		return;
	}
	l->status = 0;
	l->first = l->n;
	list_one(l, word);
	l->is_pattern_missed = l->n == l->first;
	if (l->is_pattern_missed && !l->status && i < MISSED_MOST)
		l->missed |= 1ull << i;
	if (!l->status)
		l->status = status;
}

static void say_missed(struct listing *l, const char *word, uint32_t i)
{
	if (i < MISSED_MOST && l->missed >> i & 1)
		list_say_none(l, word, l->n == 0, list_one);
}

/* ---- output -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

const struct list_row *list_row_of(const char *line)
{
	size_t n = strcspn(line, ":");

	for (size_t i = 0; line[n] && i < N_ROWS; i++)
		if (strlen(rows[i].type) == n && strncmp(rows[i].type, line, n) == 0)
			return &rows[i];
	return NULL;
}

static void print_fields(struct listing *l, const char *line, FILE *out)
{
	const struct list_row *row = list_row_of(line);

	if (row && row->fields)
		row->fields(l, line + strlen(row->type) + 1, out);
}

/* A name may have been found twice. */
static void print_names(struct listing *l, bool fields, FILE *out)
{
	const char *last = NULL;

	if (l->n)
		qsort(l->names, l->n, sizeof(*l->names), by_name);
	for (size_t i = 0; i < l->n; i++) {
		if (last && strcmp(last, l->names[i]) == 0)
			continue;
		last = l->names[i];
		if (fields && list_is_type(last)) {
			list_type_definition(l, last, out);
			continue;
		}
		fprintf(out, "%s\n", last);
		if (fields)
			print_fields(l, last, out);
	}
}

static void listing_free(struct listing *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->names[i]);
	for (size_t i = 0; i < l->n_functions; i++)
		free(l->functions[i]);
	free(l->names);
	free(l->functions);
	list_modules_free(l);
	btf_text_free(l->types);
}

struct listing *list_open(struct kernel *k)
{
	struct listing *l = calloc(1, sizeof(*l));

	if (l)
		l->kernel = k;
	else
		log_error("out of memory");
	return l;
}

void list_below(struct listing *l, const char *line, uint64_t offset, FILE *out)
{
	char *full = NULL;

	if (asprintf(&full, "%s%c%" PRIx64, line, '\0', offset) < 0)
		return list_keep(l, NULL);
	print_fields(l, full, out);
	free(full);
}

void list_close(struct listing *l)
{
	listing_free(l);
	free(l);
}

int list_probes(struct kernel *k, const char *pattern, bool fields, FILE *out)
{
	struct listing l = {.kernel = k};

	if (pattern)
		each_pattern(&l, pattern, list_or_miss);
	else
		list_any(&l, NULL);
	print_names(&l, fields, out);
	if (l.missed)
		each_pattern(&l, pattern, say_missed);
	if (!l.status && l.n == 0)
		l.status = 1;
	listing_free(&l);
	return l.status;
}
