/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points, the first part of pass 1: each is resolved into one or more, and exclusions
 * remove some of them. `missing_probes` decides what is reported for one that does not exist; a
 * pattern that matches nothing beside others that exist is a warning at least.
 */
#include "parser/base/text.h"
#include "parser/attach/exclude.h"
#include "parser/base/pattern.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"

/* True for errors about something that does not exist, as opposed to mistakes in the script. */
static bool is_missing(const char *tag)
{
	static const char *const tags[] = {
		"no-match",	  "unknown-tracepoint", "unknown-function", "no-kprobes",
		"unknown-symbol", "no-symbols",		"no-binary",	    "no-library",
		"no-usdt",	  "unknown-usdt",	"unknown-iterator", "no-source",
		"unknown-module", "no-program",		"not-recorded"};

	return TEXT_IS_IN(tags, tag, strlen(tag));
}

/* True if an error with this tag says that a pattern matches nothing, rather than that a name does
 * not exist. A missing file is a name unless its path is a pattern. */
static bool is_unmatched(struct arena *a, const char *tag, const char *text)
{
	const char *path = strchr(text, ':');

	if (path && strcmp(tag, "no-binary") == 0)
		text = arena_strndup(a, path + 1,
				     (size_t)(probe_end_of_part(path + 1, ':') - path - 1));
	return is_missing(tag) && strcmp(tag, "no-kprobes") != 0 && pattern_is(text);
}

static void demote(struct sema *s, struct diag *d)
{
	d->level = DIAG_WARNING;
	d->msg = arena_printf(s->arena, "%s. Skipping", d->msg);
	s->diags->n_errors--;
}

/* Apply `missing_probes` to the last error if it is about something that does not exist. */
static void skip_missing(struct sema *s, const char *text, uint32_t n_before)
{
	struct diag *last = &s->diags->items[s->diags->n - 1];

	if (s->diags->n == n_before || !is_missing(last->tag))
		return;
	last->is_unmatched = is_unmatched(s->arena, last->tag, text);
	if (s->program->config.missing_probes == MISSING_WARN) {
		demote(s, last);
	} else if (s->program->config.missing_probes == MISSING_IGNORE) {
		s->diags->n = n_before;
		s->diags->n_errors--;
	}
}

static bool has_event(const struct probe *p, const char *event)
{
	for (uint32_t i = 0; i < p->n_points; i++)
		if (point_has(&p->points[i], ARM_TRACEPOINT) &&
		    strcmp(p->points[i].tracepoint.format->event, event) == 0)
			return true;
	return false;
}

/* A system call that this machine does not have, beside the one that programs make there: nothing
 * is missed without it. */
static void skip_replaced(struct sema *s, const struct probe *p, uint32_t n_before)
{
	struct diags *d = s->diags;
	uint32_t n = n_before;

	for (uint32_t i = n_before; i < d->n; i++)
		if (d->items[i].level == DIAG_ERROR && d->items[i].instead &&
		    has_event(p, d->items[i].instead))
			d->n_errors--;
		else
			d->items[n++] = d->items[i];
	d->n = n;
}

/* A pattern that matches nothing, beside other attach points of the probe that exist, is a warning:
 * patterns are written for kernels and programs of several versions. */
static void skip_unmatched(struct sema *s, const struct probe *p, uint32_t n_before)
{
	for (uint32_t i = n_before; i < s->diags->n && p->n_points; i++)
		if (s->diags->items[i].level == DIAG_ERROR && s->diags->items[i].is_unmatched)
			demote(s, &s->diags->items[i]);
}

/* Something that a probe lists beside others does not exist: tell how the script runs without it,
 * in the first such error. */
static void hint_skip(struct sema *s, const struct probe *p, uint32_t n_before)
{
	static const char how[] = "SONDE_MISSING_PROBES=warn leaves out what does not exist";
	struct diag *d;

	for (uint32_t i = n_before; i < s->diags->n && p->n_points && !s->has_skip_hint; i++) {
		d = &s->diags->items[i];
		if (d->level != DIAG_ERROR || !is_missing(d->tag) ||
		    (d->hint && d->hint[strlen(d->hint) - 1] == '?'))
			continue;
		d->hint = d->hint ? arena_printf(s->arena, "%s; %s", d->hint, how) : how;
		s->has_skip_hint = true;
	}
}

/* An attach point with a missing argument cannot be resolved, and other errors at it only follow
 * from that. Turn the warning about the missing argument into the error that ends the script. */
static void missing_word_is_error(struct sema *s, struct span span)
{
	for (uint32_t i = 0; i < s->diags->n; i++) {
		struct diag *d = &s->diags->items[i];

		if (d->level == DIAG_ERROR || d->span.start != span.start ||
		    d->span.end != span.end || strcmp(d->tag, "parameter-missing"))
			continue;
		d->level = DIAG_ERROR;
		s->diags->n_errors++;
	}
}

/* Show the attach point with its parameters replaced, which the source line does not. */
static void hint_text(struct sema *s, const char *text)
{
	const struct diags *d = s->diags;

	if (d->n && !d->items[d->n - 1].hint)
		diag_hint(s->diags, "with its parameters replaced it reads %.100s", text);
}

/* The probe's form says nothing to somebody who did not write the script: report the parameter that
 * made the attach point, in the place of the error. */
static void blame_parameter(struct sema *s, const char *text, uint32_t n_before)
{
	struct diags *d = s->diags;

	if (d->n == n_before || strcmp(d->items[d->n - 1].tag, "attach-form") != 0)
		return;
	d->n--;
	if (param_blame(s, text))
		d->n_errors--;
	else
		d->n++;
}

static void name_point(struct sema *s, struct probe *p, const struct attach_text *text,
		       const struct attach_text *written)
{
	struct probe_reader r = {s->arena, s->diags, s->kernel, s->program->unsafe};
	uint32_t n_before = s->diags->n;

	if (!probe_resolve_all(&r, text, &p->points, &p->n_points))
		return;
	if (text->text != written->text) {
		hint_text(s, text->text);
		missing_word_is_error(s, text->span);
		blame_parameter(s, written->text, n_before);
	}
	skip_missing(s, text->text, n_before);
}

/* Take what `text` matches from the points from `first` on, those of the text before it. */
static void exclude_points(struct sema *s, struct probe *p, const struct attach_text *text,
			   uint32_t first, bool is_first)
{
	struct probe_reader r = {s->arena, s->diags, s->kernel, s->program->unsafe};

	if (is_first ? probe_no_exclusion(&r, text)
		     : probe_exclude(&r, text, p->points, first, &p->n_points))
		missing_word_is_error(s, text->span);
}

static void name_points(struct sema *s, struct probe *p)
{
	uint32_t first = 0; /* the first attach point of the previous text */
	uint32_t n_diags = s->diags->n;

	for (uint32_t i = 0; i < p->n_texts; i++) {
		const char **texts = NULL;
		uint32_t n = param_texts(s, &p->texts[i], &texts), before = p->n_points;

		for (uint32_t k = 0; k < n; k++) {
			struct attach_text text = {texts[k], p->texts[i].span};

			if (probe_is_exclusion(&text)) {
				exclude_points(s, p, &text, first, i == 0 && k == 0);
				continue;
			}
			first = before;
			name_point(s, p, &text, &p->texts[i]);
		}
	}
	skip_replaced(s, p, n_diags);
	skip_unmatched(s, p, n_diags);
	hint_skip(s, p, n_diags);
}

void sema_points(struct sema *s)
{
	struct program *program = s->program;
	uint32_t n = program->n_probes, n_kept = 0, n_points = 0;
	bool keeps_all = program->config.missing_probes == MISSING_ERROR;

	for (uint32_t i = 0; i < n; i++) {
		struct probe *p = program->probes[i];

		s->probe = p;
		name_points(s, p);
		sema_drop_jumping(s, p);
		n_points += p->n_points;
		if (p->n_points || keeps_all || s->diags->n_errors)
			program->probes[n_kept++] = p;
		else
			arena_push(s->arena, s->absent, s->n_absent, p);
	}
	program->n_probes = n_kept;
	sema_report_jumping(s);
	if (!n_points && !s->diags->n_errors)
		diag_error(s->diags, SPAN_NONE, "no-probe-left",
			   "nothing is left to trace: no attach point of the script was found");
}

struct map_search {
	const char *name;
	bool is_found;
};

static void find_map_name(struct expr *e, void *ctx)
{
	struct map_search *m = ctx;

	m->is_found |= e->kind == EX_MAP && strcmp(e->map.name, m->name) == 0;
	ast_each_child(e, find_map_name, m);
}

bool sema_is_absent_map(struct sema *s, const char *name)
{
	struct map_search m = {.name = name};

	for (uint32_t i = 0; i < s->n_absent && !m.is_found; i++)
		ast_each_in_block(&s->absent[i]->body, find_map_name, &m);
	return m.is_found;
}

/* Compare a test with those before it. */
static void check_unique(struct sema *s, const struct attach_point *p)
{
	for (struct probe **probe = s->program->probes;; probe++)
		for (uint32_t i = 0; i < (*probe)->n_points; i++) {
			const struct attach_point *q = &(*probe)->points[i];

			if (p == q)
				return;
			if (p->id != q->id || strcmp(p->test, q->test) != 0)
				continue;
			diag_error(s->diags, p->span, "duplicate-test",
				   "there is already a %s named '%s'", probe_rows[p->id].name,
				   p->test);
			diag_note(s->diags, q->span, "the other one is here");
		}
}

/* Quadratic, but only in the number of tests and benchmarks. */
void sema_unique_tests(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++)
		for (uint32_t k = 0; k < s->program->probes[i]->n_points; k++)
			if (point_has(&s->program->probes[i]->points[k], ARM_TEST))
				check_unique(s, &s->program->probes[i]->points[k]);
}
