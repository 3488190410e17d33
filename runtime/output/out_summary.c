/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of a table of spans, a row for each name: total time, time of its own, calls, average,
 * maximum. Everything else that the script prints is text on standard error.
 */
#include "runtime/output/format_spans.h"
#include "runtime/output/out_file.h"
#include <errno.h>
#include <stdlib.h>

struct span_row {
	const char *name;			     /* interned */
	uint64_t total, self, calls, left, sum, max; /* left: of the calls; these have no time */
	uint32_t n_open; /* spans of that name on the path: a recursion counts once in the total */
};

/* Where the row of a name is. */
struct span_index {
	const char *name;
	uint32_t row;
};

HASH_TABLE(span_rows, struct span_index);

struct out_summary {
	struct out_file file; /* first */
	VEC(struct span_row) rows;
	struct span_rows table; /* by name */
	VEC(uint32_t) path;	/* rows of the spans around the current one */
};

HASH_INTEGER_FUNCTIONS(span_rows, struct span_index, uintptr_t, hash_u64, (uintptr_t)e->name,
		       e->name)

/* The row of a name; NULL without memory. */
static struct span_row *row_of(struct out_summary *w, const char *name)
{
	const struct span_index *found = span_rows_find(&w->table, (uintptr_t)name);
	struct span_index new = {name, (uint32_t)w->rows.n};

	if (found)
		return &w->rows.items[found->row];
	if (vec_push(&w->rows, (struct span_row){.name = name}))
		return NULL;
	return span_rows_insert(&w->table, new) ? NULL : &w->rows.items[new.row];
}

static void leave(struct out_summary *w, uint32_t level)
{
	while (w->path.n > level)
		w->rows.items[w->path.items[--w->path.n]].n_open--;
}

static int add_tree(struct span_trees *trees, const struct span_thread *thread)
{
	struct out_summary *w = out_of_spans(trees);

	for (size_t i = 0; i < thread->spans.n; i++) {
		const struct span_item *s = &thread->spans.items[i];
		struct span_row *r = s->is_shown ? NULL : row_of(w, s->name);

		if (s->is_shown) /* nothing is part of it */
			continue;
		leave(w, s->level);
		if (!r || vec_push(&w->path, (uint32_t)(r - w->rows.items)))
			return -ENOMEM;
		r->total += r->n_open ? 0 : s->length;
		r->n_open++;
		r->self += s->self;
		r->sum += s->length;
		r->calls++;
		r->left += s->is_left;
		r->max = s->length > r->max ? s->length : r->max;
	}
	leave(w, 0);
	return 0;
}

static int by_total(const void *x, const void *y)
{
	const struct span_row *a = x, *b = y;

	return ORDER(b->total, a->total) ?: strcmp(a->name, b->name);
}

static void put_row(struct text *t, const struct span_row *r)
{
	uint64_t n = r->calls - r->left;

	format_length_of(t, r->total, n);
	text_string(t, "  ");
	format_length_of(t, r->self, n);
	text_printf(t, "  %10llu  ", (unsigned long long)r->calls);
	format_length_of(t, n ? r->sum / n : 0, n);
	text_string(t, "  ");
	format_length_of(t, r->max, n);
	text_string(t, "  ");
	text_name(t, r->name);
	if (r->left)
		text_printf(t, " (%llu left by an exception or longjmp)",
			    (unsigned long long)r->left);
	text_char(t, '\n');
}

static int summary_finish(struct out *o)
{
	struct out_summary *w = (struct out_summary *)o;
	struct text *t = &w->file.text;
	int err = span_trees_finish(&w->file.spans);

	if (err)
		return err;
	text_string(t,
		    "      TOTAL         SELF       CALLS      AVERAGE      MAXIMUM  FUNCTION\n");
	if (w->rows.n)
		qsort(w->rows.items, w->rows.n, sizeof(*w->rows.items), by_total);
	for (size_t i = 0; i < w->rows.n; i++)
		put_row(t, &w->rows.items[i]);
	return 0;
}

static void summary_release(struct out *o)
{
	struct out_summary *w = (struct out_summary *)o;

	vec_free(&w->rows);
	hash_free(&w->table);
	vec_free(&w->path);
}

struct out *out_summary_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {.finish = summary_finish, .release = summary_release};
	struct out_summary *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	w->file.spans.show = add_tree;
	return &w->file.out;
}
