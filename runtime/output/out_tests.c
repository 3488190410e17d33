/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of tests and benchmarks as text: for tests a line at the start and the end of each, and
 * totals; for benchmarks a table. Colours as for messages: colour.h.
 */
#include "runtime/output/out_file.h"
#include "runtime/base/colour.h"

enum { NAME_WIDTH = 41, TIME_WIDTH = 15 };

static void put_tag(struct out_file *w, const char *tag, bool is_good)
{
	bool colours = colour_is_wanted(w->fd);

	text_string(&w->text, colours ? is_good ? "\033[32m" : "\033[31m" : "");
	text_string(&w->text, tag);
	text_string(&w->text, colours ? "\033[0m " : " ");
}

static void put_count(struct text *t, uint64_t n)
{
	text_unsigned(t, n);
	text_string(t, n == 1 ? " test" : " tests");
}

static void put_time(struct text *t, uint64_t ns)
{
	uint64_t divisor = ns < 10000 ? 1 : ns < 10000000 ? 1000 : 1000000;

	text_unsigned(t, ns / divisor);
	text_string(t, divisor == 1 ? " ns" : divisor == 1000 ? " us" : " ms");
}

/* Pad to `width` columns. */
static void put_cell(struct text *t, const char *s, size_t width)
{
	text_name(t, s);
	for (size_t n = strlen(s); n < width; n++)
		text_char(t, ' ');
}

static void put_result(struct out_file *w, const struct view_test *v)
{
	struct text *t = &w->text;
	size_t len = strlen(v->output);

	if (!v->passed) {
		text_escaped(t, ESCAPE_LINES, v->output, len);
		text_string(t, len && v->output[len - 1] != '\n' ? "\n" : "");
	}
	put_tag(w, v->passed ? "[       OK ]" : "[  FAILED  ]", v->passed);
	text_name(t, v->name);
	text_string(t, " (");
	put_time(t, v->ns);
	text_string(t, ")\n");
}

static void put_totals(struct out_file *w, const struct view_test *v)
{
	struct text *t = &w->text;

	put_tag(w, "[==========]", true);
	put_count(t, v->n);
	text_string(t, " ran.\n");
	put_tag(w, "[  PASSED  ]", true);
	put_count(t, v->n - v->n_failed);
	text_string(t, ".\n");
	if (!v->n_failed)
		return;
	put_tag(w, "[  FAILED  ]", false);
	put_count(t, v->n_failed);
	text_string(t, ", listed below:\n");
	for (uint32_t i = 0; i < v->n_failed; i++) {
		put_tag(w, "[  FAILED  ]", false);
		text_name(t, v->failed[i]);
		text_char(t, '\n');
	}
}

static void put_bench(struct out_file *w, const struct view_test *v)
{
	struct text *t = &w->text;

	if (v->stage == VIEW_TEST_BEGIN) {
		w->name_width = v->name_width < NAME_WIDTH ? NAME_WIDTH : v->name_width + 1;
		put_cell(t, "Benchmark", w->name_width);
		put_cell(t, "Time(ns)", TIME_WIDTH);
		text_string(t, "Iterations\n");
		text_fill(t, '-', w->name_width + TIME_WIDTH + strlen("Iterations"));
		text_char(t, '\n');
	} else if (v->stage == VIEW_TEST_RESULT) {
		put_cell(t, v->name, w->name_width);
		if (v->skipped || !v->passed)
			put_cell(t, v->skipped ? "skipped" : "failed", TIME_WIDTH);
		else
			text_printf(t, "%-*llu", TIME_WIDTH, (unsigned long long)v->ns);
		if (v->passed && !v->skipped)
			text_unsigned(t, v->runs);
		text_char(t, '\n');
	}
}

int out_text_test(struct out *o, const struct view_test *v)
{
	struct out_file *w = (struct out_file *)o;

	if (v->is_bench) {
		put_bench(w, v);
		return out_file_done(w);
	}
	switch (v->stage) {
	case VIEW_TEST_BEGIN:
		put_tag(w, "[==========]", true);
		text_string(&w->text, "Running ");
		put_count(&w->text, v->n);
		text_string(&w->text, ".\n");
		break;
	case VIEW_TEST_RUN:
		put_tag(w, "[ RUN      ]", true);
		text_name(&w->text, v->name);
		text_char(&w->text, '\n');
		break;
	case VIEW_TEST_RESULT: put_result(w, v); break;
	case VIEW_TEST_END: put_totals(w, v); break;
	}
	return out_file_done(w);
}
