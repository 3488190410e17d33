/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of folded stacks, the input of flame graph tools: for each path of calls a line with
 * its names from the outermost on, separated by semicolons, a blank, and the value. Maps with
 * stacks are written; everything else that the script prints is text on standard error, so that the
 * output can be piped.
 */
#include "runtime/view/call_tree.h"
#include "runtime/output/out_file.h"
#include "runtime/output/out_format.h"

struct out_folded {
	struct out_file file; /* first */
	bool is_named;	      /* several maps may have stacks: their names are shown */
	VEC(const char *) path;
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
	uint32_t at = 0, level = 0;
	int err = 0;

	while (!err && (at = call_tree_next(tree, at, true, &level)))
		if (tree->nodes.items[at].self)
			err = put_line(w, &w->file.text, tree, at);
	return err;
}

static int folded_map(struct out *o, const struct view_map *m)
{
	struct out_folded *w = (struct out_folded *)o;
	struct call_tree tree;
	uint32_t top = 0;
	int err;

	if (!stack_key_takes(m))
		return out_other_map(o, m);
	err = call_tree_init(&tree, "all");
	if (!err && w->is_named) {
		top = call_tree_child(&tree, 0, CALL_LABEL, ESCAPE_NAME, m->name);
		err = top ? 0 : -ENOMEM;
	}
	err = err ?: call_tree_add(&tree, top, m) ?: call_tree_finish(&tree) ?: put_tree(w, &tree);
	call_tree_free(&tree);
	out_file_note(&w->file, err);
	return out_file_done(&w->file);
}

static int add_spans(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_folded *w = out_of_spans(trees);

	return call_tree_add_spans(&w->tree, w->top, trees, thread);
}

static int folded_span(struct out *o, const struct view_span *s)
{
	struct out_folded *w = (struct out_folded *)o;
	int err = w->tree.nodes.n ? 0 : call_tree_init(&w->tree, "all");

	if (!err && w->is_named && !w->top)
		w->top = call_tree_child(&w->tree, 0, CALL_LABEL, ESCAPE_NAME, "span()");
	return err ?: span_trees_add(&w->file.spans, s);
}

static int folded_finish(struct out *o)
{
	struct out_folded *w = (struct out_folded *)o;

	if (!w->tree.nodes.n)
		return 0;
	return span_trees_finish(&w->file.spans) ?: call_tree_finish(&w->tree)
						       ?: put_tree(w, &w->tree);
}

static void folded_release(struct out *o)
{
	struct out_folded *w = (struct out_folded *)o;

	vec_free(&w->path);
	call_tree_free(&w->tree);
}

struct out *out_folded_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.map = folded_map,
		.span = folded_span,
		.finish = folded_finish,
		.release = folded_release,
	};
	struct out_folded *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->is_named = out_format_n_trees(plan) > 1;
	w->file.spans.show = add_spans;
	return &w->file.out;
}
