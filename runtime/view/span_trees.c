/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans as trees of calls: see span_trees.h.
 */
#include "runtime/view/span_trees.h"
#include "runtime/base/log.h"
#include "runtime/view/format.h"

enum { VALUES_BYTES = 2048 }; /* longer ones are cut */

/* ---- threads ----------------------------------------------------------------------------- */

HASH_INTEGER_FUNCTIONS(span_threads, struct span_thread *, uint32_t, hash_u64, (*e)->tid, *e)

static struct span_thread *thread_of(struct span_trees *t, uint32_t tid)
{
	struct span_thread **found = span_threads_find(&t->threads, tid), *new;

	if (found)
		return *found;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->tid = tid;
	if (span_threads_insert(&t->threads, new)) {
		free(new);
		return NULL;
	}
	return new;
}

/* ---- arranging --------------------------------------------------------------------------- */

static uint64_t end_of(const struct span_item *s)
{
	return s->start + s->whole;
}

static uint64_t busy_of(const struct span_item *s)
{
	return s->is_shown ? s->busy : s->length;
}

/* Of two that begin together the longer one is the outer one; of two equal ones, that which
 * arrived later. */
static int by_start(const void *x, const void *y)
{
	const struct span_item *a = x, *b = y;

	return ORDER(a->start, b->start) ?: ORDER(b->whole, a->whole) ?: ORDER(b->order, a->order);
}

/* Take the time of a span from the one that it is part of; one whose time is not known has none, so
 * it is part of the one around that. */
static void take_time(struct span_item *all, const uint32_t *path, size_t n, uint64_t busy)
{
	while (n && all[path[n - 1]].is_left)
		n--;
	if (n)
		all[path[n - 1]].self -=
			busy < all[path[n - 1]].self ? busy : all[path[n - 1]].self;
}

/* Set levels and times of their own. A span that begins in another one and ends behind it is no
 * part of it. */
static int arrange(struct span_trees *t, struct span_thread *thread)
{
	struct span_item *all = thread->spans.items;

	qsort(all, thread->spans.n, sizeof(*all), by_start);
	t->path.n = 0;
	for (size_t i = 0; i < thread->spans.n; i++) {
		struct span_item *s = &all[i];
		uint64_t busy = busy_of(s);

		while (t->path.n && end_of(&all[t->path.items[t->path.n - 1]]) < end_of(s))
			t->path.n--;
		s->level = (uint32_t)t->path.n;
		take_time(all, t->path.items, t->path.n, busy);
		s->self = busy;
		if (vec_push(&t->path, (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}

/* ---- showing ----------------------------------------------------------------------------- */

static void free_spans(struct span_thread *thread)
{
	for (size_t i = 0; i < thread->spans.n; i++)
		free(thread->spans.items[i].values);
	vec_free(&thread->spans);
}

static int show(struct span_trees *t, struct span_thread *thread)
{
	int err = arrange(t, thread) ?: t->show(t, thread);

	t->n_kept -= thread->spans.n;
	free_spans(thread);
	return err;
}

/* What is shown now may be part of spans that are still to come: leave a mark for them, with the
 * time of all that was outermost. */
static int show_early(struct span_trees *t, struct span_thread *thread)
{
	struct span_item mark = {.is_shown = true, .start = UINT64_MAX};
	uint64_t end = 0;
	int err = arrange(t, thread) ?: t->show(t, thread);

	for (size_t i = 0; i < thread->spans.n; i++) {
		const struct span_item *s = &thread->spans.items[i];

		mark.start = s->start < mark.start ? s->start : mark.start;
		end = end_of(s) > end ? end_of(s) : end;
		mark.busy += s->level ? 0 : busy_of(s);
		t->n_early += !s->is_shown;
	}
	mark.whole = end - mark.start;
	t->n_kept -= thread->spans.n;
	free_spans(thread);
	err = err ?: vec_push(&thread->spans, mark);
	t->n_kept += thread->spans.n;
	return err;
}

static struct span_thread *largest(const struct span_trees *t)
{
	struct span_thread *found = NULL;

	for (struct span_thread **e = span_threads_next(&t->threads, NULL); e;
	     e = span_threads_next(&t->threads, e))
		if (!found || (*e)->spans.n > found->spans.n)
			found = *e;
	return found;
}

static char *values_of(const struct view_span *s)
{
	const char *result = s->result ? s->result : "";
	char bytes[VALUES_BYTES];
	struct text t = text_in_array(bytes, sizeof(bytes));
	size_t n_result = strlen(result) + 1, n;
	char *values;

	text_string(&t, s->arguments ? s->arguments : "");
	text_string(&t, s->arguments && *s->arguments && s->n_values ? ", " : "");
	t.is_quoted = true; /* it is escaped where it is shown */
	format_span_values(&t, s, 1);
	text_terminate(&t);
	n = strlen(bytes) + 1;
	values = malloc(n + n_result);
	if (values)
		memcpy((char *)memcpy(values, bytes, n) + n, result, n_result);
	return values;
}

int span_trees_add(struct span_trees *t, const struct view_span *s)
{
	struct span_thread *thread = thread_of(t, s->tid);
	const char *name = thread ? string_set_intern(&t->names, s->name) : NULL;
	char *values =
		name && t->shows_values && (s->arguments || s->n_values) ? values_of(s) : NULL;
	uint64_t without_tracer = s->length > s->tracer && !s->is_left ? s->length - s->tracer : 0;

	if (!name || vec_push(&thread->spans, (struct span_item){.name = name,
								 .values = values,
								 .start = s->start,
								 .whole = s->length,
								 .length = without_tracer,
								 .order = thread->spans.n,
								 .kind = (uint8_t)s->kind,
								 .is_call = s->is_call,
								 .is_open = s->is_open,
								 .is_cut = s->is_cut,
								 .is_left = s->is_left})) {
		free(values);
		return -ENOMEM;
	}
	t->n_kept++;
	thread->pid = s->pid;
	snprintf(thread->comm, sizeof(thread->comm), "%s", s->comm);
	if (s->is_outermost && !s->is_open)
		return show(t, thread);
	return t->n_kept < SPAN_TREES_KEPT ? 0 : show_early(t, largest(t));
}

static int by_first_start(const void *x, const void *y)
{
	const struct span_thread *a = *(struct span_thread *const *)x,
				 *b = *(struct span_thread *const *)y;
	return ORDER(a->spans.items->start, b->spans.items->start);
}

int span_trees_finish(struct span_trees *t)
{
	VEC(struct span_thread *) left = {0};
	int err = 0;

	for (struct span_thread **e = span_threads_next(&t->threads, NULL); e && !err;
	     e = span_threads_next(&t->threads, e))
		if ((*e)->spans.n)
			err = arrange(t, *e) ?: vec_push(&left, *e);
	if (left.n)
		qsort(left.items, left.n, sizeof(*left.items), by_first_start);
	for (size_t i = 0; i < left.n && !err; i++) {
		err = t->show(t, left.items[i]);
		free_spans(left.items[i]);
	}
	vec_free(&left);
	t->n_kept = 0;
	if (t->n_early)
		log_warning(
			"%llu spans were shown before the span that they are part of had ended: at most %d are kept",
			(unsigned long long)t->n_early, SPAN_TREES_KEPT);
	t->n_early = 0;
	return err;
}

void span_trees_free(struct span_trees *t)
{
	for (struct span_thread **e = span_threads_next(&t->threads, NULL); e;
	     e = span_threads_next(&t->threads, e)) {
		free_spans(*e);
		free(*e);
	}
	hash_free(&t->threads);
	vec_free(&t->path);
	string_set_free(&t->names);
}
