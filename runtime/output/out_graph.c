/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of a graph of spans: all trees of calls as one, with the sums of equal paths. With
 * -f graph:FUNCTION there are two trees: who calls the function, from it outward, and what it
 * calls. Everything else that the script prints is text on standard error.
 */
#include "parser/base/pattern.h"
#include "runtime/view/call_tree.h"
#include "runtime/output/format_spans.h"
#include "runtime/output/out_file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct out_graph {
	struct out_file file; /* first */
	const char *function; /* a name or pattern; NULL: the graph is of all spans */
	struct call_tree callers, calls;
	VEC(uint32_t) path; /* spans around the current one */
};

/* FUNCTION also stands for FUNCTION@LIBRARY. */
static bool is_function(const struct out_graph *w, const struct span_item *s)
{
	const char *at = s->kind == VIEW_SPAN_LIBRARY ? strrchr(s->name, '@') : NULL;
	char name[256];

	if (s->is_shown)
		return false;
	if (pattern_matches(w->function, s->name))
		return true;
	if (!at || at - s->name >= (ptrdiff_t)sizeof(name))
		return false;
	memcpy(name, s->name, (size_t)(at - s->name));
	name[at - s->name] = '\0';
	return pattern_matches(w->function, name);
}

/* The child of node `at`, which counts the span; 0 without memory. */
static uint32_t count_at(struct call_tree *t, uint32_t at, const struct span_item *s)
{
	at = call_tree_child(t, at, call_kind_of_span(s->kind), ESCAPE_NAME, s->name);
	if (at) {
		t->nodes.items[at].calls++;
		t->nodes.items[at].left += s->is_left;
	}
	return at;
}

/* A call of the function: itself, its caller, the caller of that, and so on. The time of a call
 * that is inside another one of the function counts once. */
static int add_callers(struct out_graph *w, const struct span_thread *thread,
		       const struct span_item *s, bool is_inner)
{
	uint32_t at = count_at(&w->callers, 0, s);

	for (size_t i = w->path.n;
	     at && w->callers.nodes.items[at].depth < CALL_DEPTH_MOST && i-- > 0;) {
		const struct span_item *outer = &thread->spans.items[w->path.items[i]];

		at = outer->is_shown ? at : count_at(&w->callers, at, outer);
	}
	if (!at)
		return -ENOMEM;
	w->callers.nodes.items[at].self += is_inner ? 0 : s->length;
	return 0;
}

/* The calls of the function, and all that is inside them. w->path is the spans around, trees->path
 * the node of each level; 0 outside of the function. */
static int add_function(struct out_graph *w, struct span_trees *trees,
			const struct span_thread *thread)
{
	w->path.n = trees->path.n = 0;
	for (size_t i = 0; i < thread->spans.n; i++) {
		const struct span_item *s = &thread->spans.items[i];
		bool is_it = is_function(w, s);
		uint32_t at;
		int err = 0;

		w->path.n = trees->path.n = s->level;
		at = s->level ? trees->path.items[s->level - 1] : 0;
		if (is_it)
			err = add_callers(w, thread, s, at);
		if (!s->is_shown && (is_it || at)) {
			at = count_at(&w->calls, at, s);
			err = at ? err : -ENOMEM;
			if (!err)
				w->calls.nodes.items[at].self += s->self;
		}
		err = err ?: vec_push(&w->path, (uint32_t)i) ?: vec_push(&trees->path, at);
		if (err)
			return -ENOMEM;
	}
	return 0;
}

static int add_tree(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_graph *w = out_of_spans(trees);

	return w->function ? add_function(w, trees, thread)
			   : call_tree_add_spans(&w->calls, 0, trees, thread);
}

/* ---- output -------------------------------------------------------------------------------- */

static int by_total(const void *x, const void *y)
{
	const struct call_node *a = *(struct call_node *const *)x,
			       *b = *(struct call_node *const *)y;

	return ORDER(b->total, a->total) ?: strcmp(a->name, b->name);
}

/* Put the children of a node into the order of their times. */
static int sort_children(struct call_tree *t, uint32_t at)
{
	VEC(struct call_node *) list = {0};
	struct call_node *all = t->nodes.items;
	int err = 0;

	for (uint32_t i = all[at].child; i && !err; i = all[i].next)
		err = vec_push(&list, &all[i]);
	if (list.n > 1 && !err)
		qsort(list.items, list.n, sizeof(*list.items), by_total);
	all[at].child = 0;
	for (size_t i = list.n; i-- > 0;) {
		list.items[i]->next = all[at].child;
		all[at].child = (uint32_t)(list.items[i] - all);
	}
	vec_free(&list);
	return err;
}

static void put_node(struct text *t, const struct call_node *n, uint32_t level, bool has_self)
{
	format_length_of(t, n->total, n->calls - n->left);
	if (has_self) {
		text_string(t, "  ");
		format_length_of(t, n->self, n->calls - n->left);
	}
	text_printf(t, "  %10llu  ", (unsigned long long)n->calls);
	text_fill(t, ' ', 2 * (size_t)level);
	text_string(t, n->name);
	text_char(t, '\n');
}

static int put_tree(struct text *t, struct call_tree *tree, bool has_self)
{
	uint32_t at = 0, level = 0;
	int err = sort_children(tree, 0);

	while (!err && (at = call_tree_next(tree, at, true, &level))) {
		err = sort_children(tree, at);
		put_node(t, &tree->nodes.items[at], level - 1, has_self);
	}
	return err;
}

static int graph_finish(struct out *o)
{
	struct out_graph *w = (struct out_graph *)o;
	struct text *t = &w->file.text;
	int err = span_trees_finish(&w->file.spans) ?: call_tree_finish(&w->calls)
							    ?: call_tree_finish(&w->callers);

	if (err)
		return err;
	if (w->function) {
		text_string(t, "      TOTAL       CALLS  CALLED BY\n");
		err = put_tree(t, &w->callers, false);
		text_char(t, '\n');
	}
	text_string(t, "      TOTAL         SELF       CALLS  FUNCTION CALLS\n");
	return err ?: put_tree(t, &w->calls, true);
}

static void graph_release(struct out *o)
{
	struct out_graph *w = (struct out_graph *)o;

	call_tree_free(&w->callers);
	call_tree_free(&w->calls);
	vec_free(&w->path);
}

struct out *out_graph_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {.finish = graph_finish, .release = graph_release};
	struct out_graph *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->function = word;
	w->file.spans.show = add_tree;
	if (call_tree_init(&w->callers, "all") || call_tree_init(&w->calls, "all")) {
		w->file.out.finish = NULL; /* there is nothing to write */
		w->file.out.close(&w->file.out);
		return NULL;
	}
	return &w->file.out;
}
