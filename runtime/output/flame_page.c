/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws flame graphs: see flame_page.h.
 */
#include "runtime/output/flame_page.h"
#include <math.h>

/* Units of the drawing. */
enum { WIDTH = 1200, ROW = 18, HEAD = 104, FOOT = 12, SHADES = 3 };
/* Of opacity, from one shade of a colour to the next. */
#define SHADE_STEP 0.10
/* What is narrower than so many units is not drawn, even by zooming. */
#define NARROWEST 0.05
/* Of a letter, for labels where scripts do not run; as in flamegraph.js. */
#define LETTER 7.23
/* The width of the search and its button; letters of what was traced, in the title. */
enum { CONTROLS = 350, SUBJECT_LETTERS = 80 };

extern const char sonde_flamegraph_css[], sonde_flamegraph_js[];

static const struct {
	const char *colour, *name;
} kinds[] = {
#define CALL_KIND(id, ...) [CALL_##id] = {__VA_ARGS__},
#include "runtime/view/call_kinds.def"
};
_Static_assert(sizeof(kinds) / sizeof(*kinds) == CALL_KIND_COUNT, "one for each kind");

enum flame_change {
#define FLAME_CHANGE(id, ...) CHANGE_##id,
#include "runtime/output/flame_changes.def"
	CHANGE_COUNT,
};

static const struct {
	const char *colour, *name;
	double most;
} changes[] = {
#define FLAME_CHANGE(id, ...) [CHANGE_##id] = {__VA_ARGS__},
#include "runtime/output/flame_changes.def"
};
_Static_assert(sizeof(changes) / sizeof(*changes) == CHANGE_COUNT, "one for each change");

/* ---- text -------------------------------------------------------------------------------- */

static void put_value(struct text *t, const struct flame_graph *g, uint64_t x)
{
	if (!g->is_time)
		text_thousands(t, x);
	else if (x < 1000)
		text_printf(t, "%u ns", (unsigned)x);
	else if (x < 1000000)
		text_printf(t, "%.3f us", (double)x / 1e3);
	else if (x < 1000000000)
		text_printf(t, "%.3f ms", (double)x / 1e6);
	else
		text_printf(t, "%.3f s", (double)x / 1e9);
}

/* At most so many letters of a name, none of them cut. */
static void put_letters(struct text *t, const char *name, int most)
{
	size_t n = strlen(name), at = 0;
	int letters = 0;

	for (size_t i = 0; i < n; i += utf8_length(name + i, n - i) ?: 1) {
		if (++letters == most)
			at = i;
	}
	if (letters <= most) {
		text_xml(t, name, n);
	} else if (most >= 3) {
		text_xml(t, name, at);
		text_string(t, "…");
	}
}

/* As much of a name as fits. */
static void put_label(struct text *t, const char *name, double width)
{
	put_letters(t, name, (int)((width - 6) / LETTER));
}

/* ---- frames ------------------------------------------------------------------------------ */

struct drawing {
	struct text *text;
	const struct flame_graph *graph;
	double *x;	   /* of each node */
	uint32_t *number;  /* of each node that is drawn: its frame's */
	uint32_t n_frames; /* drawn so far, of all graphs */
	uint32_t height;   /* of the whole drawing */
	bool is_difference;
	bool has_kind[CALL_KIND_COUNT];
};

/* What a node's width is for: itself, and what it had before. */
static double weight_of(const struct call_node *n)
{
	return (double)n->total + (double)n->total_before;
}

static double width_of(const struct flame_graph *g, const struct call_node *n)
{
	const struct call_node *root = g->tree.nodes.items;

	return weight_of(root) > 0 ? g->width * weight_of(n) / weight_of(root) : 0;
}

static bool is_drawn(const struct flame_graph *g, const struct call_node *n)
{
	return width_of(g, n) * WIDTH >= NARROWEST;
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static enum flame_change change_of(const struct call_node *n)
{
	double ratio = n->total_before ? (double)n->total / (double)n->total_before : HUGE_VAL;
	enum flame_change c = CHANGE_GONE;

	if (!n->total_before)
		return n->total ? CHANGE_NEW : CHANGE_SAME;
	while (ratio > changes[c].most)
		c++;
	return c;
}

static void put_share(struct drawing *d, uint64_t part, uint64_t whole, bool is_root)
{
	put_value(d->text, d->graph, part);
	if (!is_root)
		text_printf(d->text, " (%.2f %%)", percent(part, whole));
}

/* "before 12.000 ms (4.00 %), after 20.000 ms (6.10 %): +8.000 ms" */
static void put_difference(struct drawing *d, const struct call_node *n,
			   const struct call_node *root)
{
	struct text *t = d->text;
	bool is_less = n->total < n->total_before;

	text_string(t, "before ");
	put_share(d, n->total_before, root->total_before, n == root);
	text_string(t, ", after ");
	put_share(d, n->total, root->total, n == root);
	text_string(t, is_less ? ": -" : ": +");
	put_value(t, d->graph, is_less ? n->total_before - n->total : n->total - n->total_before);
}

static void put_size(struct drawing *d, const struct call_node *n, const struct call_node *root)
{
	struct text *t = d->text;

	put_value(t, d->graph, n->total);
	text_printf(t, ", %.2f %%", percent(n->total, root->total));
	if (n->self && n->child) {
		text_string(t, "; itself ");
		put_value(t, d->graph, n->self);
	}
}

static void put_class(struct drawing *d, const struct call_node *n)
{
	if (d->is_difference)
		text_printf(d->text, "f c%d", (int)change_of(n));
	else
		text_printf(d->text, "f k%d s%d", (int)n->kind,
			    (int)(hash_string(n->name) % SHADES));
}

static void put_frame(struct drawing *d, uint32_t at, uint32_t depth)
{
	const struct call_node *n = &d->graph->tree.nodes.items[at],
			       *root = d->graph->tree.nodes.items;
	double width = width_of(d->graph, n), x = d->x[at] * WIDTH;
	uint32_t y = d->height - FOOT - (depth + 1) * ROW;
	struct text *t = d->text;

	text_string(t, "<g class=\"");
	put_class(d, n);
	text_printf(t, "\" data-p=\"%d\" data-x=\"%.8g\" data-w=\"%.8g\" data-n=\"",
		    at ? (int)d->number[n->parent] : -1, d->x[at], width);
	text_xml(t, n->name, strlen(n->name));
	text_string(t, "\"><title>");
	text_xml(t, n->name, strlen(n->name));
	text_string(t, ": ");
	(d->is_difference ? put_difference : put_size)(d, n, root);
	text_printf(
		t,
		"</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/><text x=\"%.2f\" y=\"%u\">",
		x, y, width * WIDTH, ROW - 1, x + 3, y + 13);
	put_label(t, n->name, width * WIDTH);
	text_string(t, "</text></g>\n");
	d->number[at] = d->n_frames++;
}

/* Call fn for each node that is drawn, parents first. */
static void walk(struct drawing *d, void (*fn)(struct drawing *d, uint32_t at, uint32_t depth))
{
	const struct call_tree *t = &d->graph->tree;
	const struct call_node *nodes = t->nodes.items;
	uint32_t at = 0, depth = 0;

	d->x[0] = d->graph->x;
	do {
		const struct call_node *n = &nodes[at];

		if (n->child)
			d->x[n->child] = d->x[at];
		if (n->next)
			d->x[n->next] = d->x[at] + width_of(d->graph, n);
		if (is_drawn(d->graph, n))
			fn(d, at, depth);
		at = call_tree_next(t, at, is_drawn(d->graph, n), &depth);
	} while (at);
}

static void note_height(struct drawing *d, uint32_t at, uint32_t depth)
{
	uint32_t height = HEAD + (depth + 1) * ROW + FOOT;

	d->height = height > d->height ? height : d->height;
	d->has_kind[d->graph->tree.nodes.items[at].kind] = true;
}

static int each_graph(struct flame_page *p, struct drawing *d,
		      void (*fn)(struct drawing *d, uint32_t at, uint32_t depth))
{
	for (size_t i = 0; i < p->graphs.n; i++) {
		size_t n = p->graphs.items[i].tree.nodes.n;
		bool is_ready;

		d->graph = &p->graphs.items[i];
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
static void share_width(struct flame_page *p)
{
	bool is_same = true;
	double sum = 0, x = 0;

	for (size_t i = 0; i < p->graphs.n; i++) {
		is_same &= p->graphs.items[i].is_time == p->graphs.items[0].is_time;
		sum += weight_of(&p->graphs.items[i].tree.nodes.items[0]);
	}
	for (size_t i = 0; i < p->graphs.n; i++) {
		struct flame_graph *g = &p->graphs.items[i];
		double total = weight_of(&g->tree.nodes.items[0]);

		g->x = x;
		g->width = !is_same ? 1.0 / (double)p->graphs.n : sum > 0 ? total / sum : 0;
		x += g->width;
	}
}

static void put_style(struct drawing *d)
{
	struct text *t = d->text;

	text_string(t, "<style>\n");
	text_string(t, sonde_flamegraph_css);
	for (int i = 0; i < CHANGE_COUNT && d->is_difference; i++)
		text_printf(t, ".c%d rect { fill: %s; }\n", i, changes[i].colour);
	for (int i = 0; i < CALL_KIND_COUNT && !d->is_difference; i++)
		text_printf(t, ".k%d rect { fill: %s; }\n", i, kinds[i].colour);
	for (int i = 0; i < SHADES && !d->is_difference; i++)
		text_printf(t, ".s%d rect { fill-opacity: %.2f; }\n", i, 1 - SHADE_STEP * i);
	text_string(t, "</style>\n");
}

/* "COMMAND · @: 5.105 s", and below it the script. */
static void put_title(struct drawing *d, const struct flame_page *p)
{
	struct text *t = d->text;

	text_string(t, "<text id=\"title\" x=\"8\" y=\"22\">");
	if (p->subject) {
		put_letters(t, p->subject, SUBJECT_LETTERS);
		text_string(t, " · ");
	}
	for (size_t i = 0; i < p->graphs.n; i++) {
		const struct flame_graph *g = &p->graphs.items[i];

		text_string(t, i ? ", " : "");
		text_xml(t, g->name, strlen(g->name));
		text_string(t, ": ");
		d->graph = g;
		if (d->is_difference)
			put_difference(d, g->tree.nodes.items, g->tree.nodes.items);
		else
			put_value(t, g, g->tree.nodes.items[0].total);
		text_printf(t, "%s%s", g->unit ? " " : "", g->unit ?: "");
	}
	text_string(t, p->graphs.n ? "</text>\n" : "no stacks</text>\n");
	if (p->script) {
		text_string(t, "<text id=\"script\" x=\"8\" y=\"43\">");
		put_label(t, p->script, WIDTH - 8);
		text_string(t, "</text>\n");
	}
}

/* An entry of the legend; the x of the next. */
static uint32_t put_entry(struct text *t, uint32_t x, char letter, int i, const char *name)
{
	text_printf(
		t,
		"<g class=\"%c%d\"><rect x=\"%u\" y=\"54\" width=\"12\" height=\"12\" stroke=\"#888\"/><text "
		"x=\"%u\" y=\"64\">%s</text></g>\n",
		letter, i, x, x + 17, name);
	return x + 17 + (uint32_t)(strlen(name) * LETTER) + 20;
}

static void put_legend(struct drawing *d)
{
	uint32_t x = 8;

	for (int i = 0; i < CHANGE_COUNT && d->is_difference; i++)
		x = put_entry(d->text, x, 'c', i, changes[i].name);
	for (int i = 0; i < CALL_KIND_COUNT && !d->is_difference; i++)
		if (d->has_kind[i] && kinds[i].name)
			x = put_entry(d->text, x, 'k', i, kinds[i].name);
}

static void put_start(struct drawing *d)
{
	text_printf(
		d->text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%u\" viewBox=\"0 0 %d %u\" data-width=\"%d\" role=\"application\" "
		"aria-labelledby=\"title\">\n",
		WIDTH, d->height, WIDTH, d->height, WIDTH);
	put_style(d);
	text_string(d->text, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

/* Behind the frames in the file, so that it is in front of them when it moves. */
static void put_head(struct drawing *d, const struct flame_page *p)
{
	struct text *t = d->text;

	text_printf(t, "<g id=\"head\"><rect width=\"100%%\" height=\"%d\" fill=\"#fff\"/>\n",
		    HEAD - ROW / 2);
	put_title(d, p);
	put_legend(d);
	text_printf(
		t,
		"<foreignObject id=\"controls\" x=\"%d\" y=\"46\" width=\"344\" height=\"24\"><div "
		"xmlns=\"http://www.w3.org/1999/xhtml\"><input id=\"search\" type=\"search\" "
		"placeholder=\"search (regex): key /\"/> <button id=\"reset\">reset "
		"(Esc)</button></div></foreignObject>\n",
		WIDTH - CONTROLS);
	text_printf(t,
		    "<text id=\"found\" x=\"%d\" y=\"86\" text-anchor=\"end\"></text>\n"
		    "<text id=\"details\" x=\"8\" y=\"86\"></text></g>\n",
		    WIDTH - 8);
}

int flame_page_write(struct flame_page *p, struct text *t)
{
	struct drawing d = {.text = t, .height = HEAD + FOOT, .is_difference = p->is_difference};
	int err;

	share_width(p);
	err = each_graph(p, &d, note_height);
	if (err)
		return err;
	put_start(&d);
	err = each_graph(p, &d, put_frame);
	put_head(&d, p);
	text_string(t, "<script><![CDATA[\n");
	text_string(t, sonde_flamegraph_js);
	text_string(t, "]]></script>\n</svg>\n");
	return err;
}

void flame_page_free(struct flame_page *p)
{
	for (size_t i = 0; i < p->graphs.n; i++)
		call_tree_free(&p->graphs.items[i].tree);
	vec_free(&p->graphs);
	free(p->subject);
	free(p->script);
}
