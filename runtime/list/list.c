/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: the attach points that patterns stand for. Each pattern is completed to the text of an attach
 * point and resolved like one (parser/attach) with probe_reader.lists set, because only names are
 * needed. The lines are sorted and printed; the fields hooks of probes.def print the lines of -lv.
 */
#include "runtime/list/list.h"
#include "parser/base/text.h"
#include "parser/attach/exclude.h"
#include "parser/attach/lines.h"
#include "parser/attach/near.h"
#include "parser/attach/probe_user.h"
#include "parser/base/escape.h"
#include "parser/base/pattern.h"
#include "parser/lang/ast.h"
#include "runtime/base/log.h"
#include "runtime/list/list_impl.h"
#include <ctype.h>
#include <stdlib.h>

/* Of a type without fields. */
void fld_none(struct listing *l, const char *name, FILE *out)
{
}

static fld_fn *const field_hooks[PROBE_COUNT] = {
#define PROBE(id, name, alias, form, context, traits, parse, expand, span, listing, capability, \
	      fields, ...)                                                                      \
	[PROBE_##id] = fields,
#include "parser/lang/probes.def"
};

struct listing *list_open(struct kernel *k)
{
	struct arena *a = arena_new();
	struct listing *l = arena_new_of(a, struct listing);

	l->kernel = k;
	l->arena = a;
	l->diags.arena = a;
	return l;
}

void list_close(struct listing *l)
{
	arena_free(l->arena);
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Does the tag mean that the kernel or a file could not be read, or lacks something? Other tags are
 * about the pattern itself. */
static bool is_refusal(const char *tag)
{
	static const char *const written[] = {"no-match", "no-usdt", "no-program", "no-pattern"};

	return !TEXT_IS_IN(written, tag, strlen(tag)) &&
	       (strncmp(tag, "no-", 3) == 0 || strcmp(tag, "unchecked") == 0);
}

/* Print the diagnostics. Returns the exit status. If other patterns matched, a pattern without a
 * match is a warning. */
static int report(const struct listing *l)
{
	bool is_empty = !l->n_points && !l->n_types;
	int status = is_empty;

	for (uint32_t i = 0; i < l->diags.n; i++) {
		const struct diag *d = &l->diags.items[i];
		bool is_error = d->level == DIAG_ERROR &&
				(is_empty || is_refusal(d->tag) || strncmp(d->tag, "bad-", 4) == 0);

		if (is_error && status < 2)
			status = is_refusal(d->tag) ? 2 : 1;
		log_msg(is_error ? LOG_ERROR : LOG_WARNING, "%s", d->msg);
		if (d->hint) {
			fputs("hint: ", stderr);
			escape_write(ESCAPE_MESSAGE, d->hint, stderr);
			fputc('\n', stderr);
		}
	}
	return status;
}

/* Warn once, about the first probe type that does not belong to a process. */
static void report_scope(struct listing *l, const struct probe_row *row)
{
	if (!scope_has_program(l->kernel->scope) || l->is_scope_reported || l->is_quiet ||
	    row->listing & LIST_FILE)
		return;
	l->is_scope_reported = true;
	log_warning(
		"%s does not apply to %s probes, which belong to the kernel; uprobe, uretprobe and usdt probes belong to a process",
		l->kernel->scope->pid ? "-p" : "-c", row->name);
}

/* Report that the kernel lacks a requirement of the type that the pattern names. */
static void report_lacking(struct listing *l, const struct probe_row *row, const char *rest)
{
	const struct capability_row *c = &capability_rows[row->capability];
	const struct probe_reader r = {.arena = l->arena, .kernel = l->kernel};
	const char *last = strrchr(rest, ':'), *near = NULL;
	bool is_function = row->context >= CTX_REGS_ENTRY && !(row->listing & LIST_FILE);

	diag_error(&l->diags, l->span, "no-capability",
		   "this kernel has no %s (%s), so %s probes are not available", c->name, c->from,
		   row->name);
	last = last ? last + 1 : rest;
	if (is_function && *last)
		near = probe_near_tracepoints(&r, last);
	if (near)
		diag_hint(&l->diags, "similar tracepoints: %s", near);
	else if (is_function)
		diag_hint(&l->diags, "'sonde -l tracepoint' lists the kernel's tracepoints");
}

/* An ordinary user cannot find out whether the kernel has the capability: names from BTF are listed
 * anyway. */
static void report_unknown(const struct listing *l, const struct probe_row *row)
{
	const struct capability_row *c = &capability_rows[row->capability];

	if (l->is_quiet || (row->arm == ARM_TRACEPOINT && l->kernel->stock))
		return; /* it has been said whose they are */
	log_warning(
		"%s probes: only root can find out whether this kernel has %s (%s); names from BTF are listed",
		row->name, c->name, c->from);
}

/* ---- one type ------------------------------------------------------------------------------ */

/* Append the attach points of the text. */
static void resolve(struct listing *l, struct diags *d, const char *text)
{
	const struct probe_reader r = {.arena = l->arena,
				       .diags = d,
				       .kernel = l->kernel,
				       .lists = true};
	const struct attach_text t = {.text = text, .span = l->span};

	probe_resolve_all(&r, &t, &l->points, &l->n_points);
}

static void take_form(struct listing *l, const struct probe_row *row)
{
	struct attach_point p = {.id = (enum probe_id)(row - probe_rows), .name = row->form};

	arena_push(l->arena, l->points, l->n_points, p);
}

/* Is `name` a file, and not a function or USDT probe of the traced process or command? */
static bool is_file(struct kernel *k, const char *name)
{
	struct user_symbol f = {0};

	if (!scope_has_program(k->scope) || strchr(name, '/'))
		return true;
	return !pattern_is(name) && k->user_symbol(k, name, "", &f) != -ENOENT;
}

/* Complete the text after "TYPE:", which may be empty or a file alone. */
static const char *complete_file(struct listing *l, const char *type, const char *rest)
{
	const struct trace_scope *scope = l->kernel->scope;
	const char *colon = user_path_end(rest);
	bool is_all = !*rest || strcmp(rest, "*") == 0;

	if (is_all && scope->pid)
		return arena_printf(l->arena, "%s:*:*", type);
	if (is_all && scope->program)
		return arena_printf(l->arena, "%s:\"%s\":*", type, scope->program);
	if (is_all)
		return arena_printf(l->arena, "%s:*", type);
	if (colon ? !colon[1] : is_file(l->kernel, rest))
		return arena_printf(l->arena, "%s:%s%s*", type, rest, colon ? "" : ":");
	return arena_printf(l->arena, "%s:%s", type, rest);
}

/* List names of one type that match `rest`, "" for all. For types whose names have two parts,
 * `rest` may be either. */
static void list_named(struct listing *l, const struct probe_row *row, const char *rest)
{
	struct diags quiet = {.arena = l->arena};
	enum capability_state state = kernel_capability(l->kernel, row->capability);

	if (!*rest && row->listing == LIST_FORM)
		return take_form(l, row);
	report_scope(l, row);
	if (state == CAPABILITY_NO)
		return report_lacking(l, row, rest);
	if (row->listing & LIST_FILE)
		return resolve(l, &l->diags, complete_file(l, row->name, rest));
	if (row->listing & LIST_TWO_PARTS && *rest && !strchr(rest, ':') && strcmp(rest, "*") != 0)
		resolve(l, &quiet, arena_printf(l->arena, "%s:%s:*", row->name, rest));
	resolve(l, l->n_points > l->first_point ? &quiet : &l->diags,
		arena_printf(l->arena, "%s:%s", row->name, *rest ? rest : "*"));
	if (state == CAPABILITY_UNKNOWN && l->n_points > l->first_point)
		report_unknown(l, row);
}

/* ---- all types ----------------------------------------------------------------------------- */

static void list_row(struct listing *l, const struct probe_row *row, const char *rest,
		     const char *filter, bool is_quiet)
{
	struct diags quiet = {.arena = l->arena};
	enum capability_state state = kernel_capability(l->kernel, row->capability);
	uint32_t first = l->n_points;

	if (!is_quiet)
		report_scope(l, row);
	if (state == CAPABILITY_NO)
		return;
	resolve(l, &quiet,
		row->listing & LIST_FILE ? complete_file(l, row->name, rest)
					 : arena_printf(l->arena, "%s:%s", row->name, rest));
	if (filter)
		l->n_points = probe_keep_lines(l->arena, l->points, first, l->n_points, filter);
	if (is_quiet || l->is_quiet)
		return;
	if (state == CAPABILITY_UNKNOWN && l->n_points > first)
		report_unknown(l, row);
	if (quiet.n_errors && is_refusal(quiet.items[0].tag))
		log_warning("%s probes are left out: %s", row->name, quiet.items[0].msg);
}

/* List names of all probe types of files (LIST_FILE), or of the kernel (0), that match `rest`, if
 * their line matches the filter. */
static void list_rows(struct listing *l, uint32_t of, const char *rest, const char *filter,
		      bool is_quiet)
{
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (probe_rows[i].listing & LIST_ALWAYS &&
		    (probe_rows[i].listing & LIST_FILE) == of)
			list_row(l, &probe_rows[i], rest, filter, is_quiet);
}

static char *lower(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return copy;
}

static void list_forms(struct listing *l, const char *filter)
{
	const char *pattern = lower(l->arena, filter);

	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (probe_rows[i].listing & LIST_FORM &&
		    pattern_matches(pattern, lower(l->arena, probe_rows[i].form)))
			take_form(l, &probe_rows[i]);
}

static void offer_line(const char *line, const struct attach_target *of, void *ctx)
{
	near_offer(ctx, "", line);
}

static void report_none(struct listing *l, const char *word)
{
	struct near_names near;

	near_init(&near, l->arena, word);
	list_rows(l, 0, "*", NULL, true);
	for (uint32_t i = l->first_point; i < l->n_points; i++)
		probe_each_line(l->arena, &l->points[i], offer_line, &near);
	l->n_points = l->first_point;
	diag_error(&l->diags, l->span, "no-match", "no probe matches '%s'", word);
	near_hint(&l->diags, &near);
}

/* A word that names no type is part of a line. A pattern is matched with names ("sched_sw*"), and
 * if none matches, with whole lines ("kprobe*"). Functions also have other names, which lines do
 * not contain. */
static void list_any(struct listing *l, const char *word)
{
	bool is_pattern = pattern_is(word);
	const char *filter = is_pattern ? word : arena_printf(l->arena, "*%s*", word);

	if (is_pattern && !strchr(word, ':'))
		list_rows(l, 0, word, NULL, false);
	if (l->n_points == l->first_point)
		list_rows(l, 0, "*", filter, is_pattern);
	if (!is_pattern && l->n_points == l->first_point)
		list_rows(l, 0, filter, NULL, true);
	list_forms(l, filter);
	if (l->n_points == l->first_point)
		report_none(l, word);
}

/* ---- patterns ------------------------------------------------------------------------------ */

static void list_word(struct listing *l, const char *word)
{
	size_t n = strcspn(word, ":");

	if (list_is_type(word))
		return list_type_names(l, word);
	for (uint32_t i = 0; i < PROBE_COUNT; i++)
		if (probe_type_is(word, n, (enum probe_id)i))
			return list_named(l, &probe_rows[i], word[n] ? word + n + 1 : "");
	if (word[n] && strcspn(word, "*?") < n)
		return resolve(l, &l->diags, word);
	list_any(l, strcmp(word, "*") == 0 ? "*" : word);
}

static void exclude(struct listing *l, const char *word)
{
	const struct probe_reader r = {.arena = l->arena,
				       .diags = &l->diags,
				       .kernel = l->kernel,
				       .lists = true};
	const struct attach_text t = {.text = word, .span = l->span};

	if (l->span.start == 0)
		probe_no_exclusion(&r, &t);
	else if (l->n_types > l->first_type)
		list_exclude_types(l, probe_unquoted(l->arena, word + 1));
	else if (!l->is_missed && probe_exclude(&r, &t, l->points, l->first_point, &l->n_points))
		l->n_points = l->first_point;
}

static void take_word(struct listing *l, const char *word)
{
	if (*word == '!')
		return exclude(l, word);
	l->first_point = l->n_points;
	l->first_type = l->n_types;
	list_word(l, word);
	l->is_missed = l->n_points == l->first_point && l->n_types == l->first_type;
}

/* A pattern ends at a comma outside quotes: in quotes, commas separate parameters. */
static char *end_of_pattern(char *s)
{
	return s + (probe_end_of_part(s, ',') - s);
}

static void take_patterns(struct listing *l, const char *patterns)
{
	char *word = arena_strdup(l->arena, patterns);
	bool is_last = false;

	for (uint32_t i = 0; !is_last; i++) {
		char *end = end_of_pattern(word);

		is_last = !*end;
		*end = '\0';
		word += strspn(word, " ");
		l->span = (struct span){i, i + 1};
		if (*word)
			take_word(l, word);
		word = end + 1;
	}
}

/* ---- output -------------------------------------------------------------------------------- */

struct taking {
	struct listing *l;
	const struct attach_point *point;
};

static void take_line(const char *text, const struct attach_target *of, void *ctx)
{
	const struct taking *t = ctx;
	struct list_line line = {text, t->point, of ? of->offset : 0, of && of->has_jump};
	const struct list_line *last = t->l->n_lines ? &t->l->lines[t->l->n_lines - 1] : NULL;

	/* a function may have several targets */
	if (last && last->point == t->point && strcmp(last->text, text) == 0)
		return;
	arena_push(t->l->arena, t->l->lines, t->l->n_lines, line);
}

void list_take(struct listing *l, const struct attach_point *p)
{
	struct taking t = {l, p};

	probe_each_line(l->arena, p, take_line, &t);
}

static void print_typed(const struct attach_point *p, FILE *out)
{
	const struct typed_function *f = probe_typed(p);

	for (uint32_t i = 0; i < f->n_params; i++)
		list_field(&f->params[i], f->params[i].name, out);
	if (probe_rows[p->id].context == CTX_TYPED_RETURN)
		list_field(&f->result, f->result.size ? "retval" : "", out);
}

void list_fields(struct listing *l, const struct list_line *line, FILE *out)
{
	const struct attach_point *p = line->point;
	const struct tp_format *format = probe_format(p);
	fld_fn *hook = field_hooks[p->id];

	l->line = line;
	for (uint32_t i = 0; format && i < format->n_fields; i++)
		list_field(&format->fields[i], format->fields[i].name, out);
	if (probe_is_typed(p) && probe_typed(p))
		print_typed(p, out);
	else if (!format)
		hook(l, line->text + strlen(probe_rows[p->id].name) + 1, out);
}

void list_print(struct listing *l, bool fields, FILE *out)
{
	for (uint32_t i = 0; i < l->n_lines; i++) {
		const struct list_line *line = &l->lines[i];
		const struct attach_point *p = line->point;

		if (!p && fields) {
			list_type_definition(l, line->text, out);
			continue;
		}
		fprintf(out, "%s%s", p && p->is_named ? p->name : "", p && p->is_named ? "=" : "");
		escape_write(ESCAPE_MESSAGE, line->text, out);
		fputc('\n', out);
		if (fields)
			list_fields(l, line, out);
	}
}

COMPARE(by_text, struct list_line, strcmp(a->text, b->text))

/* Sort by text and drop duplicates. */
static void sort_lines(struct listing *l)
{
	uint32_t n = 0;

	if (l->n_lines)
		qsort(l->lines, l->n_lines, sizeof(*l->lines), by_text);
	for (uint32_t i = 0; i < l->n_lines; i++)
		if (!n || by_text(&l->lines[n - 1], &l->lines[i]) != 0)
			l->lines[n++] = l->lines[i];
	l->n_lines = n;
}

void list_take_all(struct listing *l, const char *patterns)
{
	if (patterns)
		take_patterns(l, patterns);
	else
		list_rows(l, LIST_FILE, "", NULL, false);
	for (uint32_t i = 0; i < l->n_points; i++)
		list_take(l, &l->points[i]);
	for (uint32_t i = 0; i < l->n_types; i++)
		arena_push(l->arena, l->lines, l->n_lines,
			   ((struct list_line){.text = l->types[i]}));
	sort_lines(l);
}

int list_probes(struct kernel *k, const char *patterns, bool fields, FILE *out)
{
	struct listing *l = list_open(k);
	int status;

	list_take_all(l, patterns || scope_has_program(k->scope) ? patterns : "*");
	list_print(l, fields, out);
	fflush(out);
	status = report(l);
	list_close(l);
	return status;
}
