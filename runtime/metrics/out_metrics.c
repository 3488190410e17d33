/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of metrics: each round of --interval, each request at --listen and the end of tracing
 * make a new text of all maps and losses, which replaces the last one as a whole. Everything else,
 * and maps that the script prints itself, is text on standard error.
 */
#include "runtime/base/log.h"
#include "runtime/metrics/metric.h"
#include "runtime/metrics/server.h"
#include "runtime/output/out_file.h"

enum { MAX_KEYS = 10000 }; /* options.def has it in words */

struct out_metrics {
	struct out_file file; /* first */
	enum metric_form form;
	struct metrics metrics;
	struct text_grown forms[FORM_COUNT], samples, lost;
	const char *path; /* -o; or NULL */
	int (*write_file)(const char *path, const void *bytes, size_t len, mode_t mode);
	struct server *server; /* --listen; or NULL */
	uint32_t max_keys;
	bool is_round, has_ended, has_maps;
};

static struct out_metrics *out_metrics(struct out *o)
{
	return (struct out_metrics *)o;
}

/* ---- texts --------------------------------------------------------------------------------- */

static void begin_texts(struct out_metrics *w)
{
	for (int i = 0; i < FORM_COUNT; i++)
		w->forms[i].text.n = 0;
	w->lost.text.n = 0;
	w->has_maps = false;
}

/* The lines about a family. Prometheus means samples by the name, OpenMetrics what they have in
 * common. Quotes are escaped by one of them alone. */
static void put_head(struct out_metrics *w, const char *name, const struct metric_kind *kind,
		     const char *unit, const char *help)
{
	for (int i = 0; i < FORM_COUNT; i++) {
		struct text *t = &w->forms[i].text;
		const char *ending = i == FORM_PROMETHEUS ? kind->ending : "";

		text_printf(t, "# HELP %s%s ", name, ending);
		for (const char *c = help; *c;
		     c += strcspn(c, "\"") + (c[strcspn(c, "\"")] == '"')) {
			size_t n = strcspn(c, "\"");

			metric_put_label(t, c, n);
			text_string(t, c[n] ? "'" : "");
		}
		text_printf(t, "\n# TYPE %s%s %s\n", name, ending, kind->type);
		if (unit && i == FORM_OPENMETRICS)
			text_printf(t, "# UNIT %s %s\n", name, unit);
	}
}

static void put_samples(struct out_metrics *w, const struct text *samples)
{
	for (int i = 0; i < FORM_COUNT; i++)
		text_put(&w->forms[i].text, samples->bytes, samples->n);
}

static int write_text(struct out_metrics *w, const struct text *t)
{
	if (w->server)
		for (int i = 0; i < FORM_COUNT; i++)
			if (server_publish(w->server, (enum metric_form)i, w->forms[i].text.bytes,
					   w->forms[i].text.n))
				return -ENOMEM;
	if (w->server)
		server_answer(w->server);
	if (w->path)
		return w->write_file(w->path, t->bytes, t->n, 0644) ? -EIO : 0;
	if (!w->server)
		text_put(&w->file.text, t->bytes, t->n);
	return 0;
}

static int finish_texts(struct out_metrics *w)
{
	static const struct metric_kind counter = {"counter", "_total", NULL};
	int err = w->samples.error ?: w->lost.error;

	if (w->lost.text.n)
		put_head(w, "sonde_lost", &counter, NULL, "What was lost, by probe and cause.");
	put_samples(w, &w->lost.text);
	text_string(&w->forms[FORM_OPENMETRICS].text, "# EOF\n");
	for (int i = 0; i < FORM_COUNT; i++)
		err = err ?: w->forms[i].error;
	out_file_note(&w->file, err ?: write_text(w, &w->forms[w->form].text));
	return out_file_done(&w->file);
}

/* ---- callbacks ----------------------------------------------------------------------------- */

static int metrics_begin(struct out *o, const struct view_run *run)
{
	struct out_metrics *w = out_metrics(o);

	w->path = run->write_file ? run->path : NULL;
	w->write_file = run->write_file;
	w->max_keys = run->max_keys ?: MAX_KEYS;
	if (metrics_set_labels(&w->metrics, run->labels, run->n_labels))
		return -ENOMEM;
	if (run->listen) {
		w->server = server_start(run->listen);
		if (!w->server)
			return -EIO;
		o->input_fd = server_fd(w->server);
	} else {
		o->input = NULL;
	}
	if (!w->path)
		return 0;
	begin_texts(w); /* so that a file that cannot be written is reported at once */
	return finish_texts(w);
}

static int metrics_round(struct out *o, bool begins)
{
	struct out_metrics *w = out_metrics(o);

	w->is_round = begins;
	if (!begins)
		return finish_texts(w);
	begin_texts(w);
	return 0;
}

static int metrics_map(struct out *o, const struct view_map *v)
{
	struct out_metrics *w = out_metrics(o);
	struct metric *m;
	int err;

	if (!w->is_round && !w->has_ended)
		return out_other_map(o, v);
	w->has_maps = true;
	m = v->n_rows ? metrics_find(&w->metrics, v) : NULL;
	if (v->n_rows && !m)
		return -ENOMEM;
	if (!m || !m->kind)
		return 0;
	w->samples.text.n = 0;
	err = metric_put_map(m, &w->samples.text, v, w->max_keys);
	put_head(w, m->name, m->kind, m->unit, m->help);
	put_samples(w, &w->samples.text);
	out_file_note(&w->file, err);
	return w->file.error;
}

static int metrics_lost(struct out *o, const struct view_loss *l)
{
	struct out_metrics *w = out_metrics(o);
	struct text *t = &w->lost.text;

	text_string(t, "sonde_lost_total{");
	text_string(t, w->metrics.common ?: "");
	text_string(t, "probe=\"");
	metric_put_label(t, l->probe, strlen(l->probe));
	text_string(t, "\",cause=\"");
	metric_put_label(t, l->cause, strlen(l->cause));
	text_string(t, "\"} ");
	text_unsigned(t, l->n);
	text_char(t, '\n');
	return w->is_round ? 0 : w->file.other->lost(w->file.other, l);
}

static int metrics_input(struct out *o)
{
	return server_is_asked(out_metrics(o)->server) ? OUT_ROUND : 0;
}

static int metrics_end(struct out *o)
{
	struct out_metrics *w = out_metrics(o);

	w->has_ended = true;
	begin_texts(w);
	return w->file.error;
}

/* A script whose maps are not printed at the end leaves the last text. */
static int metrics_finish(struct out *o)
{
	struct out_metrics *w = out_metrics(o);

	return w->has_ended && w->has_maps ? finish_texts(w) : w->file.error;
}

static void metrics_release(struct out *o)
{
	struct out_metrics *w = out_metrics(o);

	server_stop(w->server);
	metrics_free(&w->metrics);
	for (int i = 0; i < FORM_COUNT; i++)
		text_grown_free(&w->forms[i]);
	text_grown_free(&w->samples);
	text_grown_free(&w->lost);
}

static struct out *make(FILE *f, const struct plan *plan, enum metric_form form)
{
	static const struct out hooks = {
		.begin = metrics_begin,
		.map = metrics_map,
		.lost = metrics_lost,
		.end = metrics_end,
		.finish = metrics_finish,
		.round = metrics_round,
		.input = metrics_input,
		.wants_losses = true,
		.release = metrics_release,
	};
	struct out_metrics *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->form = form;
	w->metrics.plan = plan;
	for (int i = 0; i < FORM_COUNT; i++)
		text_grown_init(&w->forms[i]);
	text_grown_init(&w->samples);
	text_grown_init(&w->lost);
	return &w->file.out;
}

struct out *out_openmetrics_new(FILE *f, const struct plan *plan, const char *word)
{
	return make(f, plan, FORM_OPENMETRICS);
}

struct out *out_prometheus_new(FILE *f, const struct plan *plan, const char *word)
{
	return make(f, plan, FORM_PROMETHEUS);
}
