/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of flame graphs: one SVG file that needs no other. Each map with stacks is a
 * graph, as it was printed last; several are side by side. The drawing is complete without
 * scripts; page/flamegraph.js adds zoom, search and keys.
 */
#include "runtime/output/call_tree.h"
#include "runtime/output/out_stacks.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

/* Units of the drawing. */
enum { WIDTH = 1200, ROW = 18, HEAD = 84, FOOT = 12, SHADES = 3 };
/* What is narrower than so many units is not drawn, even by zooming. */
#define NARROWEST 0.05
/* Of a letter, for labels where scripts do not run; as in flamegraph.js. */
#define LETTER 7.23

extern const char sonde_flamegraph_css[], sonde_flamegraph_js[];

struct graph {
	const char *name;
	bool is_time;
	struct call_tree tree;
	double x, width; /* of the whole drawing's width, 0 to 1 */
};

struct out_flamegraph {
	struct out_stacks stacks; /* first */
	VEC(struct graph) graphs;
	struct span_trees spans;
	size_t of_spans; /* number of the graph of spans, from 1; 0: there is none */
};

static const struct {
	const char *colour, *name;
} kinds[] = {
#define CALL_KIND(id, ...) [CALL_##id] = {__VA_ARGS__},
#include "runtime/output/call_kinds.def"
#undef CALL_KIND
};
_Static_assert(sizeof(kinds) / sizeof(*kinds) == CALL_KIND_COUNT, "one for each kind");

/* ---- text -------------------------------------------------------------------------------- */

static void put_xml(struct text *t, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (s[i]) {
		case '&': text_string(t, "&amp;"); break;
		case '<': text_string(t, "&lt;"); break;
		case '>': text_string(t, "&gt;"); break;
		case '"': text_string(t, "&quot;"); break;
		default: text_char(t, s[i]);
		}
	}
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	char bytes[512];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(bytes, sizeof(bytes), format, args);
	va_end(args);
	text_put(t, bytes, n < (int)sizeof(bytes) ? (size_t)n : sizeof(bytes) - 1);
}

static void put_number(struct text *t, uint64_t x)
{
	if (x >= 1000) {
		put_number(t, x / 1000);
		put(t, ",%03u", (unsigned)(x % 1000));
	} else {
		text_unsigned(t, x);
	}
}

static void put_value(struct text *t, const struct graph *g, uint64_t x)
{
	if (!g->is_time)
		put_number(t, x);
	else if (x < 1000)
		put(t, "%u ns", (unsigned)x);
	else if (x < 1000000)
		put(t, "%.3f us", (double)x / 1e3);
	else if (x < 1000000000)
		put(t, "%.3f ms", (double)x / 1e6);
	else
		put(t, "%.3f s", (double)x / 1e9);
}

/* As much of a name as fits; letters are not cut. */
static void put_label(struct text *t, const char *name, double width)
{
	int most = (int)((width - 6) / LETTER);
	size_t n = strlen(name), at = 0;
	int letters = 0;

	for (size_t i = 0; i < n; i += utf8_length(name + i, n - i) ?: 1) {
		if (++letters == most)
			at = i;
	}
	if (letters <= most) {
		put_xml(t, name, n);
	} else if (most >= 3) {
		put_xml(t, name, at);
		text_string(t, "…");
	}
}

/* ---- frames ------------------------------------------------------------------------------ */

struct drawing {
	struct text *text;
	const struct graph *graph;
	double *x;	   /* of each node */
	uint32_t *number;  /* of each node that is drawn: its frame's */
	uint32_t n_frames; /* drawn so far, of all graphs */
	uint32_t height;   /* of the whole drawing */
	bool has_kind[CALL_KIND_COUNT];
};

static double width_of(const struct graph *g, const struct call_node *n)
{
	const struct call_node *root = g->tree.nodes.items;

	return root->total ? g->width * (double)n->total / (double)root->total : 0;
}

static bool is_drawn(const struct graph *g, const struct call_node *n)
{
	return width_of(g, n) * WIDTH >= NARROWEST;
}

static void put_frame(struct drawing *d, uint32_t at, uint32_t depth)
{
	const struct call_node *n = &d->graph->tree.nodes.items[at],
			       *root = d->graph->tree.nodes.items;
	double width = width_of(d->graph, n), x = d->x[at] * WIDTH;
	uint32_t y = d->height - FOOT - (depth + 1) * ROW;
	struct text *t = d->text;

	put(t, "<g class=\"f k%d s%d\" data-p=\"%d\" data-x=\"%.8g\" data-w=\"%.8g\" data-n=\"",
	    (int)n->kind, (int)(hash_string(n->name) % SHADES), at ? (int)d->number[n->parent] : -1,
	    d->x[at], width);
	put_xml(t, n->name, strlen(n->name));
	text_string(t, "\"><title>");
	put_xml(t, n->name, strlen(n->name));
	text_string(t, ": ");
	put_value(t, d->graph, n->total);
	put(t, ", %.2f %%", 100 * (double)n->total / (double)root->total);
	if (n->self && n->child) {
		text_string(t, "; itself ");
		put_value(t, d->graph, n->self);
	}
	put(t,
	    "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/><text x=\"%.2f\" y=\"%u\">",
	    x, y, width * WIDTH, ROW - 1, x + 3, y + 13);
	put_label(t, n->name, width * WIDTH);
	text_string(t, "</text></g>\n");
	d->number[at] = d->n_frames++;
	d->has_kind[n->kind] = true;
}

/* Call fn for each node that is drawn, parents first. */
static void walk(struct drawing *d, void (*fn)(struct drawing *d, uint32_t at, uint32_t depth))
{
	const struct call_node *nodes = d->graph->tree.nodes.items;
	uint32_t at = 0, depth = 0;

	d->x[0] = d->graph->x;
	if (!is_drawn(d->graph, &nodes[0]))
		return;
	fn(d, 0, 0);
	for (;;) {
		uint32_t next = nodes[at].child;

		if (next && is_drawn(d->graph, &nodes[at])) {
			d->x[next] = d->x[at];
			depth++;
		} else {
			while (at && !nodes[at].next) {
				at = nodes[at].parent;
				depth--;
			}
			if (!at)
				return;
			next = nodes[at].next;
			d->x[next] = d->x[at] + width_of(d->graph, &nodes[at]);
		}
		at = next;
		if (is_drawn(d->graph, &nodes[at]))
			fn(d, at, depth);
	}
}

static void note_height(struct drawing *d, uint32_t at, uint32_t depth)
{
	uint32_t height = HEAD + (depth + 1) * ROW + FOOT;

	d->height = height > d->height ? height : d->height;
	d->has_kind[d->graph->tree.nodes.items[at].kind] = true;
}

static int each_graph(struct out_flamegraph *w, struct drawing *d,
		      void (*fn)(struct drawing *d, uint32_t at, uint32_t depth))
{
	for (size_t i = 0; i < w->graphs.n; i++) {
		size_t n = w->graphs.items[i].tree.nodes.n;
		bool is_ready;

		d->graph = &w->graphs.items[i];
		d->x = calloc(n, sizeof(*d->x));
		d->number = calloc(n, sizeof(*d->number));
		is_ready = d->x && d->number;
		if (is_ready)
			walk(d, fn);
		free(d->x);
		free(d->number);
		if (!is_ready)
			return -ENOMEM;
	}
	return 0;
}

/* ---- the drawing ------------------------------------------------------------------------- */

/* Graphs with the same unit are as wide as their totals. */
static void share_width(struct out_flamegraph *w)
{
	bool is_same = true;
	double sum = 0, x = 0;

	for (size_t i = 0; i < w->graphs.n; i++) {
		is_same &= w->graphs.items[i].is_time == w->graphs.items[0].is_time;
		sum += (double)w->graphs.items[i].tree.nodes.items[0].total;
	}
	for (size_t i = 0; i < w->graphs.n; i++) {
		struct graph *g = &w->graphs.items[i];
		double total = (double)g->tree.nodes.items[0].total;

		g->x = x;
		g->width = !is_same ? 1.0 / (double)w->graphs.n : sum > 0 ? total / sum : 0;
		x += g->width;
	}
}

static void put_head(struct drawing *d, const struct out_flamegraph *w)
{
	struct text *t = d->text;
	uint32_t x = 8;

	put(t,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%u\" viewBox=\"0 0 %d %u\" data-width=\"%d\" role=\"application\" "
	    "aria-labelledby=\"title\">\n<style>\n",
	    WIDTH, d->height, WIDTH, d->height, WIDTH);
	text_string(t, sonde_flamegraph_css);
	for (int i = 0; i < CALL_KIND_COUNT; i++)
		put(t, ".k%d rect { fill: %s; }\n", i, kinds[i].colour);
	for (int i = 0; i < SHADES; i++)
		put(t, ".s%d rect { fill-opacity: %.2f; }\n", i, 1 - 0.15 * i);
	put(t, "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
	       "<text id=\"title\" x=\"8\" y=\"22\">");
	for (size_t i = 0; i < w->graphs.n; i++) {
		const struct graph *g = &w->graphs.items[i];

		text_string(t, i ? ", " : "");
		put_xml(t, g->name, strlen(g->name));
		text_string(t, ": ");
		put_value(t, g, g->tree.nodes.items[0].total);
	}
	text_string(t, w->graphs.n ? "</text>\n" : "no stacks</text>\n");
	for (int i = 0; i < CALL_KIND_COUNT; i++) {
		if (!d->has_kind[i] || !kinds[i].name)
			continue;
		put(t,
		    "<g class=\"k%d\"><rect x=\"%u\" y=\"34\" width=\"12\" height=\"12\" stroke=\"#888\"/><text "
		    "x=\"%u\" y=\"44\">%s</text></g>\n",
		    i, x, x + 17, kinds[i].name);
		x += 17 + (uint32_t)(strlen(kinds[i].name) * LETTER) + 20;
	}
	put(t,
	    "<foreignObject x=\"%d\" y=\"6\" width=\"344\" height=\"24\"><div "
	    "xmlns=\"http://www.w3.org/1999/xhtml\"><input id=\"search\" type=\"search\" "
	    "placeholder=\"search (regex): key /\"/> <button id=\"reset\">reset "
	    "(Esc)</button></div></foreignObject>\n",
	    WIDTH - 350);
	put(t,
	    "<text id=\"found\" x=\"%d\" y=\"44\" text-anchor=\"end\"></text>\n"
	    "<text id=\"details\" x=\"8\" y=\"66\"></text>\n",
	    WIDTH - 8);
}

static int flamegraph_finish(struct out *o)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;
	struct text *t = &w->stacks.file.text;
	struct drawing d = {.text = t, .height = HEAD + FOOT};
	int err;

	share_width(w);
	err = each_graph(w, &d, note_height);
	if (err)
		return err;
	put_head(&d, w);
	err = each_graph(w, &d, put_frame);
	text_string(t, "<script><![CDATA[\n");
	text_string(t, sonde_flamegraph_js);
	text_string(t, "]]></script>\n</svg>\n");
	return err;
}

static struct graph *graph_of(struct out_flamegraph *w, const struct view_map *m)
{
	for (size_t i = 0; i < w->graphs.n; i++)
		if (strcmp(w->graphs.items[i].name, m->name) == 0)
			return &w->graphs.items[i];
	if (vec_push(&w->graphs, (struct graph){.name = m->name, .is_time = m->is_time}))
		return NULL;
	return &w->graphs.items[w->graphs.n - 1];
}

static int flamegraph_map(struct out_stacks *s, const struct view_map *m)
{
	struct out_flamegraph *w = (struct out_flamegraph *)s;
	struct graph *g = graph_of(w, m);

	if (!g)
		return -ENOMEM;
	call_tree_free(&g->tree);
	return call_tree_init(&g->tree, s->is_named ? m->name : "all")
		       ?: call_tree_add(&g->tree, 0, m) ?: call_tree_finish(&g->tree);
}

/* ---- spans ------------------------------------------------------------------------------- */

static int add_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_flamegraph *w =
		(struct out_flamegraph *)((char *)trees - offsetof(struct out_flamegraph, spans));

	return call_tree_add_spans(&w->graphs.items[w->of_spans - 1].tree, 0, trees, thread);
}

static int flamegraph_span(struct out *o, const struct view_span *s)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;
	int err;

	if (!w->of_spans) {
		err = vec_push(&w->graphs, (struct graph){.name = "span()", .is_time = true});
		err = err
			      ?: call_tree_init(&w->graphs.items[w->graphs.n - 1].tree,
						w->stacks.is_named ? "span()" : "all");
		if (err)
			return err;
		w->of_spans = w->graphs.n;
	}
	return span_trees_add(&w->spans, s);
}

/* All spans are known. */
static int flamegraph_end(struct out *o)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;

	if (!w->of_spans)
		return 0;
	return span_trees_finish(&w->spans)
		       ?: call_tree_finish(&w->graphs.items[w->of_spans - 1].tree);
}

static void flamegraph_close(struct out *o)
{
	struct out_flamegraph *w = (struct out_flamegraph *)o;

	out_stacks_close(&w->stacks);
	span_trees_free(&w->spans);
	for (size_t i = 0; i < w->graphs.n; i++)
		call_tree_free(&w->graphs.items[i].tree);
	vec_free(&w->graphs);
	free(w);
}

struct out *out_flamegraph_new(FILE *f, const struct plan *plan)
{
	struct out_flamegraph *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	if (out_stacks_init(&w->stacks, f, plan, flamegraph_map)) {
		free(w);
		return NULL;
	}
	w->spans.show = add_spans;
	w->stacks.file.out.span = flamegraph_span;
	w->stacks.file.out.end = flamegraph_end;
	w->stacks.file.out.close = flamegraph_close;
	w->stacks.file.out.finish = flamegraph_finish;
	return &w->stacks.file.out;
}
