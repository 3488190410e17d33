/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of heat maps (heat_page.h): each key of a map of histograms is one, with a column for
 * each time at which the map is printed.
 */
#include "runtime/output/heat_page.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/base/clock.h"
#include "runtime/output/out_file.h"
#include "runtime/output/run_title.h"
#include "runtime/view/agg.h"

struct out_heatmap {
	struct out_file file; /* first */
	struct heat_page page;
	const struct plan *plan;
	bool is_live;		 /* no recording */
	uint64_t monotonic;	 /* when the page began */
	VEC(const char *) shown; /* maps that have the last column */
};

static int heatmap_begin(struct out *o, const struct view_run *run)
{
	struct out_heatmap *w = (struct out_heatmap *)o;

	w->page.subject = run_subject(run);
	w->page.script = run_script(run);
	w->page.began = run->start;
	w->monotonic = run->monotonic;
	w->is_live = !run->ended;
	return 0;
}

static bool is_shown(const struct out_heatmap *w, const char *name)
{
	return FIND(w->plan->maps, w->plan->n_maps,
		    item->value && agg_has_buckets(item->value) && !agg_is_series(item->value) &&
			    strcmp(item->name, name) == 0);
}

/* The column that the map is printed in: a new one if it has the last one already. */
static int begin_column(struct out_heatmap *w, const struct view_map *m)
{
	uint64_t now = w->page.began + ((m->time ?: monotonic_ns()) - w->monotonic);

	if (w->page.times.n && !FIND(w->shown.items, w->shown.n, strcmp(*item, m->name) == 0))
		return vec_push(&w->shown, m->name);
	w->shown.n = 0;
	return vec_push(&w->page.times, now) ?: vec_push(&w->shown, m->name);
}

/* "@lat[read]" */
static char *name_row(const struct view_map *m, const struct view_row *r)
{
	struct text_grown t;

	text_grown_init(&t);
	text_string(&t.text, m->name);
	if (m->n_keys) {
		text_char(&t.text, '[');
		format_keys(&t.text, r, m->n_keys);
		text_char(&t.text, ']');
	}
	text_char(&t.text, '\0');
	if (!t.error)
		return t.text.bytes;
	text_grown_free(&t);
	return NULL;
}

static struct heat_map *map_of(struct out_heatmap *w, const struct view_map *m,
			       const struct view_row *r)
{
	struct heat_map new = {.name = name_row(m, r), .is_time = m->is_time}, *found;

	if (!new.name)
		return NULL;
	found = TEXT_ITEM(w->page.maps.items, w->page.maps.n, name, new.name);
	if (!found && !vec_push(&w->page.maps, new))
		return &w->page.maps.items[w->page.maps.n - 1];
	free((char *)new.name);
	return found;
}

static int add_row(struct out_heatmap *w, const struct view_map *m, const struct view_row *r)
{
	const struct view *v = &r->value;
	struct heat_map *to = map_of(w, m, r);
	int err = to ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < v->histogram.n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		if (b->count)
			err = vec_push(&to->cells,
				       (struct heat_cell){.column = (uint32_t)w->page.times.n - 1,
							  .bucket = (uint32_t)b->index,
							  .count = b->count});
	}
	if (err)
		return err;
	to->type = v->type;
	to->total += v->histogram.total;
	return 0;
}

static int heatmap_map(struct out *o, const struct view_map *m)
{
	struct out_heatmap *w = (struct out_heatmap *)o;
	int err;

	if (!is_shown(w, m->name))
		return out_other_map(o, m);
	err = begin_column(w, m);
	for (uint32_t i = 0; i < m->n_rows && !err; i++)
		if (m->rows[i].value.histogram.total)
			err = add_row(w, m, &m->rows[i]);
	out_file_note(&w->file, err);
	return out_file_done(&w->file);
}

static int heatmap_finish(struct out *o)
{
	struct out_heatmap *w = (struct out_heatmap *)o;

	return heat_page_write(&w->page, &w->file.text);
}

/* What a run shows begins here, not when it was started. */
static int heatmap_attached(struct out *o, uint32_t n_probes)
{
	struct out_heatmap *w = (struct out_heatmap *)o;

	if (w->is_live) {
		w->page.began = clock_ns(CLOCK_REALTIME);
		w->monotonic = monotonic_ns();
	}
	return w->file.other->attached(w->file.other, n_probes);
}

static void heatmap_release(struct out *o)
{
	struct out_heatmap *w = (struct out_heatmap *)o;

	heat_page_free(&w->page);
	vec_free(&w->shown);
}

struct out *out_heatmap_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = heatmap_begin,
		.attached = heatmap_attached,
		.map = heatmap_map,
		.finish = heatmap_finish,
		.release = heatmap_release,
	};
	struct out_heatmap *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->plan = plan;
	return &w->file.out;
}
