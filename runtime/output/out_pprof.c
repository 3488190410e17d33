/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of profiles for pprof (pprof.h). Each map with stacks is a type of the samples, as it
 * was printed last; the other parts of its keys are labels. All spans together are one, too, with
 * the time that each call took itself. With --interval each interval is a file beside that of -o,
 * named by the time when it began, and what came after the last one is in the file itself.
 */
#include "runtime/output/pprof.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/base/clock.h"
#include "runtime/base/create_file.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/output/out_file.h"
#include "runtime/output/out_format.h"
#include "runtime/output/run_title.h"
#include "runtime/view/call_tree.h"
#include <errno.h>
#include <limits.h>
#include <time.h>

/* A map's samples; those of all follow each other in the profile. */
struct sampled_map {
	const char *name;
	VEC(struct pprof_sample) samples;
};

struct out_pprof {
	struct out_file file; /* first */
	struct pprof profile;
	const struct plan *plan;
	struct pprof_type *types; /* of the maps, then of the spans, if there are any */
	struct sampled_map *maps;
	uint32_t n_types;
	struct call_tree tree; /* of the spans */
	const char *counted, *timed;
	char *path, *subject, *script;
	const char *host; /* NULL: there are several */
	const struct view_label *labels;
	uint32_t n_labels;
	uint64_t began, ended; /* of what is collected; ended 0: now */
};

/* ---- types ------------------------------------------------------------------------------- */

static struct pprof_type type_of(const struct out_pprof *w, const struct plan_map *m, bool is_named)
{
	const char *counted =
		m->value->kind == TY_AGG && !m->is_time ? agg_rows[m->value->agg].counted : NULL;
	const char *name = m->name[1] ? m->name + 1 : NULL;
	struct pprof_type t = {.unit = m->is_time ? "nanoseconds" : "count"};

	t.name = m->is_time ? w->timed : counted ? w->counted ?: counted : NULL;
	if (!t.name || (is_named && name))
		t.name = name ?: t.name ?: "value";
	return t;
}

static bool has_samples(const struct plan_map *m)
{
	bool has_stack = false;

	for (uint32_t k = 0; k < m->n_keys; k++)
		has_stack |= stack_key_has_stack(m->keys[k].type);
	return has_stack && m->value && stack_key_has_weight(m->value);
}

static int find_types(struct out_pprof *w)
{
	bool is_named = out_format_n_trees(w->plan) > 1;
	uint32_t n = w->plan->n_maps + 1;

	w->types = calloc(n, sizeof(*w->types));
	w->maps = calloc(n, sizeof(*w->maps));
	if (!w->types || !w->maps)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->plan->n_maps; i++) {
		const struct plan_map *m = &w->plan->maps[i];

		if (!has_samples(m))
			continue;
		w->maps[w->n_types].name = m->name;
		w->types[w->n_types++] = type_of(w, m, is_named);
	}
	if (out_format_has_spans(w->plan))
		w->types[w->n_types++] = (struct pprof_type){"span", "nanoseconds"};
	return 0;
}

/* ---- samples ----------------------------------------------------------------------------- */

static void clear_samples(struct sampled_map *m)
{
	for (size_t i = 0; i < m->samples.n; i++) {
		vec_free(&m->samples.items[i].locations);
		vec_free(&m->samples.items[i].labels);
	}
	vec_free(&m->samples);
}

static void begin_profile(struct out_pprof *w)
{
	pprof_init(&w->profile, w->types, w->n_types);
	if (w->subject)
		pprof_comment(&w->profile, w->subject);
	if (w->script)
		pprof_comment(&w->profile, w->script);
}

static int put_label(struct out_pprof *w, struct pprof_sample *s, const char *name,
		     const char *value)
{
	return vec_push(&s->labels, pprof_string(&w->profile, name))
		       ?: vec_push(&s->labels, pprof_string(&w->profile, value));
}

static int add_label(struct out_pprof *w, struct pprof_sample *s, const char *name, uint32_t part,
		     const struct view *v)
{
	char bytes[1024], number[24];
	struct text text = text_in_array(bytes, sizeof(bytes));

	text.is_quoted = true; /* pprof_string() escapes it */
	format_view(&text, v);
	text_terminate(&text);
	snprintf(number, sizeof(number), "key_%u", part + 1);
	return *bytes ? put_label(w, s, name ?: number, bytes) : 0;
}

/* What tells the samples of this run apart when profiles are merged. */
static int add_run_labels(struct out_pprof *w, struct pprof_sample *s)
{
	int err = w->host ? put_label(w, s, "host", w->host) : 0;
	char name[80];

	for (uint32_t i = 0; i < w->n_labels && !err; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)w->labels[i].name_len, w->labels[i].name);
		err = put_label(w, s, name, w->labels[i].value);
	}
	return err;
}

/* The innermost frame is the last one of the key. */
static int add_row(struct out_pprof *w, struct sampled_map *to, const struct view_map *m,
		   const struct view_row *r)
{
	struct pprof_sample s = {.value = stack_key_weight(&r->value)};
	struct stack_key k;
	int err = 0;

	if (!s.value)
		return 0;
	stack_key_make(&k, m, r);
	for (uint32_t i = 0; i < k.n && !err; i++)
		if (!stack_key_is_stack(k.parts[i].type))
			err = add_label(w, &s, k.names[i], i, &k.parts[i]);
	err = err ?: add_run_labels(w, &s);
	for (uint32_t i = k.n; i-- > 0;)
		if (stack_key_is_stack(k.parts[i].type))
			pprof_put_stack(&w->profile, &s, &k.parts[i].stack);
	return err ?: vec_push(&to->samples, s);
}

static int pprof_map(struct out *o, const struct view_map *m)
{
	struct out_pprof *w = (struct out_pprof *)o;
	struct sampled_map *to = TEXT_ITEM(w->maps, w->n_types, name, m->name);
	int err = 0;

	if (!to || !stack_key_takes(m))
		return to && !m->n_rows ? 0 : out_other_map(o, m);
	clear_samples(to);
	for (uint32_t i = 0; i < m->n_rows && !err; i++)
		err = add_row(w, to, m, &m->rows[i]);
	out_file_note(&w->file, err);
	return out_file_done(&w->file);
}

/* ---- spans ------------------------------------------------------------------------------- */

static int add_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_pprof *w = out_of_spans(trees);
	int err = w->tree.nodes.n ? 0 : call_tree_init(&w->tree, "all");

	return err ?: call_tree_add_spans(&w->tree, 0, trees, thread);
}

static void put_spans(struct out_pprof *w)
{
	const struct call_node *nodes = w->tree.nodes.items;
	struct pprof_sample s = {0};
	int err = add_run_labels(w, &s);

	for (uint32_t at = 1; at < w->tree.nodes.n; at++) {
		s.value = nodes[at].self;
		s.locations.n = 0;
		for (uint32_t i = at; i && s.value; i = nodes[i].parent)
			pprof_put_name(&w->profile, &s, nodes[i].name);
		if (s.value)
			pprof_put_sample(&w->profile, &s, w->n_types - 1, w->n_types);
	}
	vec_free(&s.locations);
	vec_free(&s.labels);
	out_file_note(&w->file, err);
}

/* ---- files ------------------------------------------------------------------------------- */

/* Append what has been collected, compressed, and begin anew. */
static int put_profile(struct out_pprof *w, struct text *t)
{
	uint64_t now = w->ended ?: clock_ns(CLOCK_REALTIME);
	int err;

	for (uint32_t i = 0; i < w->n_types; i++) {
		for (size_t k = 0; k < w->maps[i].samples.n; k++)
			pprof_put_sample(&w->profile, &w->maps[i].samples.items[k], i, w->n_types);
		clear_samples(&w->maps[i]);
	}
	if (w->tree.nodes.n)
		put_spans(w);
	call_tree_free(&w->tree);
	pprof_times(&w->profile, w->began, now > w->began ? now - w->began : 0);
	err = pprof_finish(&w->profile, t);
	pprof_free(&w->profile);
	begin_profile(w);
	w->began = now;
	return err;
}

/* DIR/cpu.pb.gz: DIR/cpu.20261129T201500Z.pb.gz; of an interval that is no whole number of seconds
 * also its milliseconds. */
static void name_interval(const struct out_pprof *w, char path[PATH_MAX])
{
	const char *ending = out_formats[OUT_PPROF].ending;
	size_t n = strlen(w->path), end = strlen(ending);
	bool has_ending = n > end && strcmp(w->path + n - end, ending) == 0;
	time_t second = (time_t)(w->began / 1000000000);
	char time[32] = "";
	struct tm tm;

	if (gmtime_r(&second, &tm))
		strftime(time, sizeof(time), "%Y%m%dT%H%M%S", &tm);
	snprintf(path, PATH_MAX, "%.*s.%s.%03uZ%s", (int)(has_ending ? n - end : n), w->path, time,
		 (unsigned)(w->began / 1000000 % 1000), has_ending ? ending : "");
}

/* A round ends: write what was printed in it. */
static int pprof_round(struct out *o, bool begins)
{
	struct out_pprof *w = (struct out_pprof *)o;
	char path[PATH_MAX];
	struct text_grown t;
	int err;

	if (begins || !w->path)
		return 0;
	name_interval(w, path);
	text_grown_init(&t);
	err = put_profile(w, &t.text) ?: t.error;
	err = err ?: create_file_replace(path, t.text.bytes, t.text.n, 0600);
	text_grown_free(&t);
	if (err)
		log_error("cannot write '%s': %s%s", path, strerror(-err), limit_hint(err));
	out_file_note(&w->file, err);
	return w->file.error;
}

static int pprof_finish_all(struct out *o)
{
	struct out_pprof *w = (struct out_pprof *)o;

	if (!w->types)
		return 0;
	return span_trees_finish(&w->file.spans) ?: put_profile(w, &w->file.text);
}

static int pprof_begin(struct out *o, const struct view_run *run)
{
	struct out_pprof *w = (struct out_pprof *)o;

	w->path = run->path ? strdup(run->path) : NULL;
	w->subject = run_subject(run);
	w->script = run_script(run);
	w->host = run->host && !strchr(run->host, ',') ? run->host : NULL;
	w->labels = run->labels;
	w->n_labels = run->n_labels;
	w->began = run->start;
	w->ended = run->ended;
	w->counted = run->counted;
	w->timed = run->timed ?: "time";
	if (find_types(w))
		return -ENOMEM;
	begin_profile(w);
	return 0;
}

/* What a run shows begins here, not when it was started. */
static int pprof_attached(struct out *o, uint32_t n_probes)
{
	struct out_pprof *w = (struct out_pprof *)o;

	if (!w->ended)
		w->began = clock_ns(CLOCK_REALTIME);
	return w->file.other->attached(w->file.other, n_probes);
}

static void pprof_release(struct out *o)
{
	struct out_pprof *w = (struct out_pprof *)o;

	for (uint32_t i = 0; i < w->n_types; i++)
		clear_samples(&w->maps[i]);
	pprof_free(&w->profile);
	call_tree_free(&w->tree);
	free(w->maps);
	free(w->types);
	free(w->path);
	free(w->subject);
	free(w->script);
}

struct out *out_pprof_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = pprof_begin,
		.attached = pprof_attached,
		.map = pprof_map,
		.round = pprof_round,
		.finish = pprof_finish_all,
		.release = pprof_release,
	};
	struct out_pprof *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->plan = plan;
	w->file.spans.show = add_spans;
	return &w->file.out;
}
