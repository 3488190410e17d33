/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of folded stacks, the input of flame graph tools: for each path of calls a line with
 * its names from the outermost on, separated by semicolons, a blank, and the value. Maps with
 * stacks are written; everything else that the script prints is text on standard error, so that the
 * output can be piped.
 */
#include "runtime/view/call_tree.h"
#include "runtime/output/out.h"
#include "runtime/output/out_stacks.h"
#include <errno.h>
#include <stdlib.h>

struct out_folded {
	struct out_stacks stacks; /* first */
	VEC(const char *) path;
	struct span_trees spans;
	struct call_tree tree; /* of the spans */
	uint32_t top;	       /* in it: below which they are */
};

/* Semicolons separate names. */
static void put_name(struct text *t, const char *name)
{
	for (; *name; name++)
		text_char(t, *name == ';' ? ':' : *name);
}

static int put_line(struct out_folded *w, struct text *t, const struct call_tree *tree, uint32_t at)
{
	uint64_t self = tree->nodes.items[at].self;

	w->path.n = 0;
	for (uint32_t i = at; i; i = tree->nodes.items[i].parent)
		if (vec_push(&w->path, tree->nodes.items[i].name))
			return -ENOMEM;
	for (size_t i = w->path.n; i-- > 0;) {
		put_name(t, w->path.items[i]);
		text_char(t, i ? ';' : ' ');
	}
	text_unsigned(t, self);
	text_char(t, '\n');
	return 0;
}

static int put_tree(struct out_folded *w, const struct call_tree *tree)
{
	const struct call_node *nodes = tree->nodes.items;
	uint32_t at = 0;
	int err = 0;

	/* depth first */
	while (!err) {
		if (nodes[at].child) {
			at = nodes[at].child;
		} else {
			while (at && !nodes[at].next)
				at = nodes[at].parent;
			if (!at)
				break;
			at = nodes[at].next;
		}
		if (nodes[at].self)
			err = put_line(w, &w->stacks.file.text, tree, at);
	}
	return err;
}

static int folded_map(struct out_stacks *s, const struct view_map *m)
{
	struct out_folded *w = (struct out_folded *)s;
	struct call_tree tree;
	uint32_t top = 0;
	int err = call_tree_init(&tree, "all");

	if (!err && s->is_named) {
		top = call_tree_child(&tree, 0, CALL_LABEL, ESCAPE_NAME, m->name);
		err = top ? 0 : -ENOMEM;
	}
	err = err ?: call_tree_add(&tree, top, m) ?: call_tree_finish(&tree) ?: put_tree(w, &tree);
	call_tree_free(&tree);
	return err;
}

static int add_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_folded *w =
		(struct out_folded *)((char *)trees - offsetof(struct out_folded, spans));

	return call_tree_add_spans(&w->tree, w->top, trees, thread);
}

static int folded_span(struct out *o, const struct view_span *s)
{
	struct out_folded *w = (struct out_folded *)o;
	int err = w->tree.nodes.n ? 0 : call_tree_init(&w->tree, "all");

	if (!err && w->stacks.is_named && !w->top)
		w->top = call_tree_child(&w->tree, 0, CALL_LABEL, ESCAPE_NAME, "span()");
	return err ?: span_trees_add(&w->spans, s);
}

static int folded_finish(struct out *o)
{
	struct out_folded *w = (struct out_folded *)o;

	if (!w->tree.nodes.n)
		return 0;
	return span_trees_finish(&w->spans) ?: call_tree_finish(&w->tree) ?: put_tree(w, &w->tree);
}

static void folded_close(struct out *o)
{
	struct out_folded *w = (struct out_folded *)o;

	out_stacks_close(&w->stacks);
	vec_free(&w->path);
	span_trees_free(&w->spans);
	call_tree_free(&w->tree);
	free(w);
}

struct out *out_folded_new(FILE *f, const struct plan *plan, const char *word)
{
	struct out_folded *w = calloc(1, sizeof(*w));

	(void)word;
	if (!w)
		return NULL;
	if (out_stacks_init(&w->stacks, f, plan, folded_map)) {
		free(w);
		return NULL;
	}
	w->spans.show = add_spans;
	w->stacks.file.out.span = folded_span;
	w->stacks.file.out.finish = folded_finish;
	w->stacks.file.out.close = folded_close;
	return &w->stacks.file.out;
}
