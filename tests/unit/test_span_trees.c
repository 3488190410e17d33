/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of spans: nesting by start and length, order of arrival, recursion, spans that overlap or
 * are shown too early, and what the formats make of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/output/out_format.h"
#include "runtime/output/out.h"
#include "runtime/view/span_trees.h"

static struct plan_event events[] = {{.kind = PE_SPAN}};
static const struct plan plan = {.events = events, .n_events = 1};

static char text[1 << 16];

static struct view_span span_of(const char *name, uint64_t start, uint64_t length)
{
	return (struct view_span){.name = name,
				  .is_call = true,
				  .pid = 7,
				  .tid = 7,
				  .comm = "it",
				  .start = start,
				  .length = length};
}

static const char *written(enum out_format format, const struct view_span *spans, size_t n)
{
	FILE *f = tmpfile();
	struct out *out = out_format_new(format, f, &plan, NULL);
	size_t bytes;

	assert_non_null(out);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(out->span(out, &spans[i]), 0);
	assert_int_equal(out->end(out), 0);
	assert_int_equal(out_finish(out), 0);
	out->close(out);
	rewind(f);
	bytes = fread(text, 1, sizeof(text) - 1, f);
	text[bytes] = '\0';
	fclose(f);
	return text;
}

#define WRITTEN(format, spans) written(format, spans, sizeof(spans) / sizeof(*(spans)))

static void spans_arrive_at_their_ends(void **state)
{
	struct view_span spans[] = {span_of("c", 2000, 1000), span_of("d", 4000, 500),
				    span_of("b", 1500, 3500), span_of("a", 1000, 5000)};

	(void)state;
	spans[3].is_outermost = true;
	assert_string_equal(WRITTEN(OUT_TEXT, spans), "   DURATION | FUNCTION CALLS\n"
						      "            | a() {\n"
						      "            |   b() {\n"
						      "   1.000 us |     c();\n"
						      "   0.500 us |     d();\n"
						      "   3.500 us |   } /* b */\n"
						      "   5.000 us | } /* a */\n\n\n");
	assert_string_equal(WRITTEN(OUT_FOLDED, spans),
			    "a 1500\na;b 2000\na;b;c 1000\na;b;d 500\n");
}

/* The tracer's own time is in the place of a span, but in no duration. */
static void calibrated_spans(void **state)
{
	struct view_span spans[] = {span_of("b", 2000, 1000), span_of("c", 3500, 300),
				    span_of("a", 1000, 5000)};

	(void)state;
	spans[0].tracer = 400;
	spans[1].tracer = 500; /* more than it took */
	spans[2].tracer = 2000;
	spans[2].is_outermost = true;
	assert_string_equal(WRITTEN(OUT_TEXT, spans), "   DURATION | FUNCTION CALLS\n"
						      "            | a() {\n"
						      "   0.600 us |   b();\n"
						      "   0.000 us |   c();\n"
						      "   3.000 us | } /* a */\n\n\n");
	assert_string_equal(WRITTEN(OUT_FOLDED, spans), "a 2400\na;b 600\n");
}

/* Of equal spans the later one is the outer one, and one that ends where the outer one ends is
 * inside. */
static void ties(void **state)
{
	struct view_span spans[] = {span_of("inner", 10, 5), span_of("outer", 10, 5),
				    span_of("last", 14, 1), span_of("next", 15, 2)};

	(void)state;
	assert_string_equal(WRITTEN(OUT_FOLDED, spans),
			    "next 2\nouter;inner 4\nouter;inner;last 1\n");
}

/* A span that begins in another one and ends behind it is no part of it. */
static void spans_that_overlap(void **state)
{
	struct view_span spans[] = {span_of("a", 10, 10), span_of("b", 15, 10),
				    span_of("all", 5, 30)};

	(void)state;
	assert_string_equal(WRITTEN(OUT_FOLDED, spans), "all 10\nall;a 10\nall;b 10\n");
}

static void threads_have_columns(void **state)
{
	struct view_span spans[] = {span_of("a", 3000000000, 2500000000),
				    span_of("b", 10, 1234567)};

	(void)state;
	spans[1].tid = 8;
	spans[1].comm = "o\033ther";
	assert_string_equal(WRITTEN(OUT_TEXT, spans),
			    "   DURATION |      TID | FUNCTION CALLS\n"
			    "            |        8 | /* o\\x1bther, process 7 */\n"
			    "   1.235 ms |        8 | b();\n"
			    "            |        7 | /* it, process 7 */\n"
			    "   2.500 s  |        7 | a();\n\n\n");
}

/* When a second thread comes, the names of the columns are written again. */
static void a_second_thread(void **state)
{
	struct view_span spans[] = {span_of("a", 1, 2), span_of("b", 3, 4)};

	(void)state;
	spans[0].is_outermost = spans[1].is_outermost = true;
	spans[1].tid = 8;
	assert_string_equal(WRITTEN(OUT_TEXT, spans),
			    "   DURATION | FUNCTION CALLS\n"
			    "   0.002 us | a();\n"
			    "   DURATION |      TID | FUNCTION CALLS\n"
			    "            |        8 | /* it, process 7 */\n"
			    "   0.004 us |        8 | b();\n\n\n");
}

static void a_recursion_counts_once(void **state)
{
	struct view_span spans[] = {span_of("r", 30, 10), span_of("r", 20, 30), span_of("s", 60, 5),
				    span_of("r", 10, 60)};

	(void)state;
	assert_string_equal(
		WRITTEN(OUT_SUMMARY, spans),
		"      TOTAL         SELF       CALLS      AVERAGE      MAXIMUM  FUNCTION\n"
		"   0.060 us     0.055 us           3     0.033 us     0.060 us  r\n"
		"   0.005 us     0.005 us           1     0.005 us     0.005 us  s\n");
}

static void open_spans_are_marked(void **state)
{
	struct view_span spans[] = {span_of("a", 10, 90), span_of("b", 50, 50)};

	(void)state;
	spans[0].is_open = spans[1].is_open = spans[0].is_outermost = true;
	assert_string_equal(WRITTEN(OUT_TEXT, spans), "   DURATION | FUNCTION CALLS\n"
						      "            | a() {\n"
						      "   0.050 us |   b(); /* not ended */\n"
						      "   0.090 us | } /* a, not ended */\n\n\n");
}

/* More than are kept: what is shown first is told, and the outer span's own time is right. */
static void too_many_spans(void **state)
{
	FILE *f = tmpfile();
	struct out *out = out_format_new(OUT_SUMMARY, f, &plan, NULL);
	struct view_span s;
	size_t bytes;

	(void)state;
	for (uint64_t i = 0; i < SPAN_TREES_KEPT + 10; i++) {
		s = span_of("inner", 100 + 10 * i, 5);
		assert_int_equal(out->span(out, &s), 0);
	}
	s = span_of("outer", 0, 20000000);
	assert_int_equal(out->span(out, &s), 0);
	assert_int_equal(out_finish(out), 0);
	out->close(out);
	rewind(f);
	bytes = fread(text, 1, sizeof(text) - 1, f);
	text[bytes] = '\0';
	fclose(f);
	/* 20,000,000 - 5 * 1,048,586 */
	assert_non_null(strstr(text, "  20.000 ms    14.757 ms           1 "));
	assert_non_null(
		strstr(text,
		       "   5.243 ms     5.243 ms     1048586     0.005 us     0.005 us  inner"));
}

static void names_in_json(void **state)
{
	struct view_span spans[] = {span_of("a\"\\\n\x1b", 10, 90)};

	(void)state;
	assert_non_null(strstr(WRITTEN(OUT_CHROME, spans), "\"name\": \"a\\\"\\\\\\n\\u001b\", "
							   "\"cat\": \"function\", "));
	assert_non_null(strstr(text, "\"dur\": 0.090}\n]}\n"));
	assert_non_null(strstr(WRITTEN(OUT_JSON, spans), "\"start\": 10, \"duration\": 90, "));
}

/* No name ends the element of the page that holds the rows, or begins a comment in it. */
static void names_in_a_page(void **state)
{
	struct view_span spans[] = {span_of("a\"\\\n\x1b</script><!--", 10, 90)};

	(void)state;
	spans[0].comm = "<b>";
	spans[0].is_open = spans[0].is_cut = true;
	assert_non_null(
		strstr(WRITTEN(OUT_TIMELINE, spans),
		       "\n[\"t\",7,7,\"\\u003cb>\"],\n[7,0,0,90,5,0,"
		       "\"a\\\"\\\\\\n\\u001b\\u003c/script>\\u003c!--\"]\n]}\n</script>\n"));
	assert_null(strstr(text, "<b>"));
	assert_non_null(strstr(written(OUT_TIMELINE, NULL, 0), "\"rows\": [\n]}\n</script>\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_arrive_at_their_ends),
		cmocka_unit_test(calibrated_spans),
		cmocka_unit_test(ties),
		cmocka_unit_test(spans_that_overlap),
		cmocka_unit_test(threads_have_columns),
		cmocka_unit_test(a_second_thread),
		cmocka_unit_test(a_recursion_counts_once),
		cmocka_unit_test(open_spans_are_marked),
		cmocka_unit_test(too_many_spans),
		cmocka_unit_test(names_in_json),
		cmocka_unit_test(names_in_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
