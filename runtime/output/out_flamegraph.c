/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of flame graphs (flame_page.h). Each map with stacks is a graph, as it was printed
 * last, and so are all spans together.
 */
#include "runtime/output/flame_page.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/output/out_file.h"
#include "runtime/output/out_format.h"
#include "runtime/output/run_title.h"
#include <errno.h>

struct out_flamegraph {
	struct out_file file; /* first */
	struct flame_page page;
	const char *counted; /* what counts are the number of; NULL: as the aggregation says */
	bool is_named;	     /* several maps may have stacks: their names are shown */
	size_t of_spans;     /* number of the graph of spans, from 1; 0: there is none */
};

static int flamegraph_begin(struct out *o, const struct view_run *run)
{
	struct flame_page *p = &((struct out_flamegraph *)o)->page;

	((struct out_flamegraph *)o)->counted = run->counted;
	p->subject = run_subject(run);
	p->script = run_script(run);
	return 0;
}

static int flamegraph_finish(struct out *o)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;

	return flame_page_write(&w->page, &w->file.text);
}

/* What the map's values are; NULL: a time, or only a number. */
static const char *unit_of(const struct out_flamegraph *w, const struct view_map *m)
{
	const struct type *t = m->rows[0].value.type;
	const char *unit = t->kind == TY_AGG && !m->is_time ? agg_rows[t->agg].counted : NULL;

	return unit ? w->counted ?: unit : NULL;
}

static struct flame_graph *graph_of(struct out_flamegraph *w, const struct view_map *m)
{
	struct flame_graph *found =
		TEXT_ITEM(w->page.graphs.items, w->page.graphs.n, name, m->name);

	if (found || vec_push(&w->page.graphs, (struct flame_graph){.name = m->name,
								    .is_time = m->is_time,
								    .unit = unit_of(w, m)}))
		return found;
	return &w->page.graphs.items[w->page.graphs.n - 1];
}

static int add_map(struct out_flamegraph *w, const struct view_map *m)
{
	struct flame_graph *g = graph_of(w, m);

	if (!g)
		return -ENOMEM;
	call_tree_free(&g->tree);
	return call_tree_init(&g->tree, w->is_named ? m->name : "all")
		       ?: call_tree_add(&g->tree, 0, m) ?: call_tree_finish(&g->tree);
}

static int flamegraph_map(struct out *o, const struct view_map *m)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;

	if (!stack_key_takes(m))
		return out_other_map(o, m);
	out_file_note(&w->file, add_map(w, m));
	return out_file_done(&w->file);
}

/* ---- spans ------------------------------------------------------------------------------- */

static int add_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_flamegraph *w = out_of_spans(trees);

	return call_tree_add_spans(&w->page.graphs.items[w->of_spans - 1].tree, 0, trees, thread);
}

static int flamegraph_span(struct out *o, const struct view_span *s)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;
	int err;

	if (!w->of_spans) {
		err = vec_push(&w->page.graphs,
			       (struct flame_graph){.name = "span()", .is_time = true});
		err = err
			      ?: call_tree_init(&w->page.graphs.items[w->page.graphs.n - 1].tree,
						w->is_named ? "span()" : "all");
		if (err)
			return err;
		w->of_spans = w->page.graphs.n;
	}
	return span_trees_add(&w->file.spans, s);
}

/* All spans are known. */
static int flamegraph_end(struct out *o)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;

	if (!w->of_spans)
		return 0;
	return span_trees_finish(&w->file.spans)
		       ?: call_tree_finish(&w->page.graphs.items[w->of_spans - 1].tree);
}

static void flamegraph_release(struct out *o)
{
	flame_page_free(&((struct out_flamegraph *)o)->page);
}

struct out *out_flamegraph_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.begin = flamegraph_begin,
		.map = flamegraph_map,
		.span = flamegraph_span,
		.end = flamegraph_end,
		.finish = flamegraph_finish,
		.release = flamegraph_release,
	};
	struct out_flamegraph *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->is_named = out_format_n_trees(plan) > 1;
	w->file.spans.show = add_spans;
	return &w->file.out;
}
