/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of spans as text: see format_spans.h.
 */
#include "runtime/output/format_spans.h"
#include "runtime/view/call_tree.h"

enum { LENGTH_WIDTH = 11, TID_WIDTH = 8 };

void format_length(struct text *t, uint64_t ns)
{
	const char *unit = "us";
	uint64_t n = ns; /* thousandths of the unit */

	if (n > 999999) {
		n = (ns + 500) / 1000;
		unit = "ms";
	}
	if (n > 999999) {
		n = (ns + 500000) / 1000000;
		unit = "s ";
	}
	text_printf(t, "%*llu.%03u %s", LENGTH_WIDTH - 7, (unsigned long long)(n / 1000),
		    (unsigned int)(n % 1000), unit);
}

void format_length_of(struct text *t, uint64_t ns, uint64_t n_calls)
{
	if (n_calls)
		format_length(t, ns);
	else
		text_string(t, "          -");
}

static void put_columns(struct text *t, const struct span_text *state, const struct span_item *s)
{
	if (s && !s->is_left)
		format_length(t, s->length);
	else
		text_fill(t, ' ', LENGTH_WIDTH);
	text_string(t, " | ");
	if (!state->has_tid)
		return;
	text_printf(t, "%*u | ", TID_WIDTH, state->tid);
}

/* The names of the columns; when another thread comes, its name. */
static void put_head(struct text *t, struct span_text *state, const struct span_trees *trees,
		     const struct span_thread *thread)
{
	bool is_other = !state->has_head || state->tid != thread->tid;

	if (!state->has_head || (!state->has_tid && trees->threads.n > 1)) {
		state->has_tid = trees->threads.n > 1;
		text_string(t, "   DURATION | ");
		text_string(t, state->has_tid ? "     TID | " : "");
		text_string(t, "FUNCTION CALLS\n");
		is_other = true;
	}
	state->has_head = true;
	state->tid = thread->tid;
	if (!is_other || !state->has_tid)
		return;
	put_columns(t, state, NULL);
	text_string(t, "/* ");
	text_name(t, thread->comm);
	text_string(t, ", process ");
	text_unsigned(t, thread->pid);
	text_string(t, " */\n");
}

static void put_name(struct text *t, const struct span_item *s)
{
	text_fill(t, ' ', 2 * (size_t)s->level);
	(s->values && s->is_call ? format_function : text_name)(t, s->name);
	if (!s->is_call && !(s->values && *s->values))
		return;
	text_char(t, '(');
	text_name(t, s->values ? s->values : "");
	text_char(t, ')');
}

/* = -5 */
static void put_result(struct text *t, const struct span_item *s)
{
	const char *result = s->values ? s->values + strlen(s->values) + 1 : "";

	if (!*result)
		return;
	text_string(t, " = ");
	text_name(t, result);
}

static void put_close(struct text *t, const struct span_text *state, const struct span_item *s)
{
	put_columns(t, state, s);
	text_fill(t, ' ', 2 * (size_t)s->level);
	text_char(t, '}');
	put_result(t, s);
	text_string(t, " /* ");
	text_name(t, s->name);
	text_string(t, s->is_cut ? ", began before tracing" : "");
	text_string(t, s->is_open   ? ", not ended */\n"
		       : s->is_left ? ", left by an exception or longjmp */\n"
				    : " */\n");
}

static void put_span(struct text *t, const struct span_text *state, const struct span_item *s,
		     bool is_leaf)
{
	put_columns(t, state, is_leaf && !s->is_shown ? s : NULL);
	if (s->is_shown) {
		text_fill(t, ' ', 2 * (size_t)s->level);
		text_string(t, "/* spans that are shown above */\n");
		return;
	}
	put_name(t, s);
	if (is_leaf)
		put_result(t, s);
	if (!is_leaf)
		text_string(t, " {\n");
	else
		text_string(t, s->is_open && s->is_cut ? "; /* began before tracing, not ended */\n"
			       : s->is_open	       ? "; /* not ended */\n"
			       : s->is_cut	       ? "; /* began before tracing */\n"
			       : s->is_left	       ? "; /* left by an exception or longjmp */\n"
						       : ";\n");
}

/* Spans that are deeper than what is shown. */
static void put_hidden(struct text *t, const struct span_text *state, size_t n)
{
	put_columns(t, state, NULL);
	text_fill(t, ' ', 2 * (size_t)CALL_DEPTH_MOST);
	text_string(t, "/* deeper calls are not shown: ");
	text_unsigned(t, n);
	text_string(t, " */\n");
}

int format_span_tree(struct text *t, struct span_text *state, struct span_trees *trees,
		     const struct span_thread *thread)
{
	const struct span_item *all = thread->spans.items;
	size_t n = thread->spans.n, n_hidden = 0;

	put_head(t, state, trees, thread);
	trees->path.n = 0; /* spans that are not closed yet */
	for (size_t i = 0; i <= n; i++) {
		bool is_leaf = i + 1 >= n || all[i + 1].level <= all[i].level;

		if (i < n && all[i].level >= CALL_DEPTH_MOST) {
			n_hidden++;
			continue;
		}
		if (n_hidden)
			put_hidden(t, state, n_hidden);
		n_hidden = 0;
		while (trees->path.n > (i < n ? all[i].level : 0))
			put_close(t, state, &all[trees->path.items[--trees->path.n]]);
		if (i == n)
			break;
		put_span(t, state, &all[i], is_leaf);
		if (!is_leaf && vec_push(&trees->path, (uint32_t)i))
			return -ENOMEM;
	}
	return 0;
}
