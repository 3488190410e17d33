/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers of folded stacks and flame graphs: paths, merged rows, marks, names that would break
 * the format, widths.
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
#include "runtime/output/run_title.h"
#include <zlib.h>

static const struct type t_count = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_COUNT};
static const struct type t_average = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_AVG};
static const struct type t_signed = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = true};
static const struct type t_string = {.kind = TY_STRING, .size = 64, .align = 1};
static const struct type t_user = {.kind = TY_USTACK, .size = 8, .align = 8};
static const struct type t_kernel = {.kind = TY_KSTACK, .size = 8, .align = 8};

static struct plan_field fields[] = {{.type = &t_kernel}, {.type = &t_user}};
static struct plan_map one_map[] = {{.name = "@", .keys = fields, .n_keys = 2}};
static struct plan_map two_maps[] = {{.name = "@a", .keys = fields, .n_keys = 2},
				     {.name = "@b", .keys = fields, .n_keys = 2}};
static const struct plan plan_of_one = {.maps = one_map, .n_maps = 1},
			 plan_of_two = {.maps = two_maps, .n_maps = 2};

static struct view_frame in_program[] = {{.name = "work", .module = "/usr/bin/x"},
					 {.name = "main", .module = "/usr/bin/x"}},
			 in_library[] = {{.name = "read", .module = "/lib/libc.so.6"},
					 {.name = "work", .module = "/usr/bin/x"},
					 {.name = "main", .module = "/usr/bin/x"}},
			 nameless[] = {{.ip = 1, .module = "/opt/libx.so"}, {.ip = 2}},
			 hostile[] = {{.name = "a;b<c>&\"d", .module = "/usr/bin/x"}},
			 in_kernel[] = {{.name = "schedule"}, {.name = "do_read"}};

#define STACK(type_, frames_, ...)                          \
	{                                                   \
		.type = &(type_), .stack =                  \
		{.frames = (frames_),                       \
		 .n = sizeof(frames_) / sizeof(*(frames_)), \
		 .is_user = (type_).kind == TY_USTACK,      \
		 __VA_ARGS__ }                              \
	}

static char text[1 << 18];

static const char *written_of_run(const struct view_run *run, enum out_format format,
				  const struct plan *plan, struct view_map *maps, uint32_t n)
{
	FILE *f = tmpfile();
	struct out *out = out_format_new(format, f, plan, NULL);
	size_t bytes;

	assert_non_null(out);
	if (run)
		assert_int_equal(out->begin(out, run), 0);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(out->map(out, &maps[i]), 0);
	assert_int_equal(out_finish(out), 0);
	out->close(out);
	rewind(f);
	bytes = fread(text, 1, sizeof(text) - 1, f);
	text[bytes] = '\0';
	fclose(f);
	return text;
}

static const char *written(enum out_format format, const struct plan *plan, struct view_map *maps,
			   uint32_t n)
{
	return written_of_run(NULL, format, plan, maps, n);
}

static struct view_map map_of(const char *name, struct view_row *rows, uint32_t n, uint32_t n_keys)
{
	return (struct view_map){.name = name, .n_keys = n_keys, .rows = rows, .n_rows = n};
}

static void a_path_goes_from_the_outside_in(void **state)
{
	struct view keys[] = {STACK(t_kernel, in_kernel),
			      STACK(t_user, in_library),
			      {.type = &t_string, .string = {.text = "nginx", .len = 5}}};
	struct view_row rows[] = {{keys, {.type = &t_count, .integer = 7}}};
	struct view_map m = map_of("@", rows, 1, 3);

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_one, &m, 1),
			    "nginx;main;work;read;do_read;schedule 7\n");
}

static void rows_of_one_path_are_one_line(void **state)
{
	struct view a[] = {STACK(t_user, in_program)}, b[] = {STACK(t_user, in_library)},
		    c[] = {STACK(t_user, in_program)};
	struct view_row rows[] = {{a, {.type = &t_count, .integer = 1}},
				  {b, {.type = &t_count, .integer = 20}},
				  {c, {.type = &t_count, .integer = 300}}};
	struct view_map m = map_of("@", rows, 3, 1);

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_one, &m, 1),
			    "main;work 301\nmain;work;read 20\n");
}

static void marks_stand_where_frames_are_missing(void **state)
{
	struct view a[] = {STACK(t_user, in_program, .cut = "no table")},
		    b[] = {{.type = &t_user, .stack = {.is_user = true, .is_lost = true}}},
		    c[] = {STACK(t_user, nameless)};
	struct view_row rows[] = {{a, {.type = &t_count, .integer = 1}},
				  {b, {.type = &t_count, .integer = 2}},
				  {c, {.type = &t_count, .integer = 3}}};
	struct view_map m = map_of("@", rows, 3, 1);

	(void)state;
	assert_string_equal(
		written(OUT_FOLDED, &plan_of_one, &m, 1),
		"[stack lost] 2\n[truncated: no table];main;work 1\n[unknown];[libx.so] 3\n");
}

static void names_do_not_break_the_format(void **state)
{
	struct view keys[] = {STACK(t_user, hostile)};
	struct view_row rows[] = {{keys, {.type = &t_count, .integer = 5}}};
	struct view_map m = map_of("@", rows, 1, 1);

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_one, &m, 1), "a:b<c>&\"d 5\n");
	assert_non_null(strstr(written(OUT_FLAMEGRAPH, &plan_of_one, &m, 1),
			       "<title>a;b&lt;c&gt;&amp;&quot;d: 5, 100.00 %</title>"));
}

static void values_below_0_are_left_out(void **state)
{
	struct view keys[] = {STACK(t_user, in_program)};
	struct view_row rows[] = {{keys, {.type = &t_signed, .integer = (uint64_t)-5}}};
	struct view_map m = map_of("@", rows, 1, 1);

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_one, &m, 1), "");
}

/* Averages of two places cannot be added up: such a map is text, on standard error. */
static void averages_are_not_added(void **state)
{
	struct view keys[] = {STACK(t_user, in_program)};
	struct view_row rows[] = {{keys, {.type = &t_average, .integer = 5}}};
	struct view_map m = map_of("@", rows, 1, 1);

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_one, &m, 1), "");
}

static void several_maps_have_names(void **state)
{
	struct view keys[] = {STACK(t_user, in_program)};
	struct view_row rows[] = {{keys, {.type = &t_count, .integer = 4}}};
	struct view_map maps[] = {map_of("@a", rows, 1, 1), map_of("@b", rows, 1, 1)};

	(void)state;
	assert_string_equal(written(OUT_FOLDED, &plan_of_two, maps, 2),
			    "@a;main;work 4\n@b;main;work 4\n");
	assert_non_null(strstr(written(OUT_FLAMEGRAPH, &plan_of_two, maps, 2),
			       ">@a: 4 events, @b: 4 events</text>"));
}

/* Of a map that is printed again, the flame graph shows the last state. */
static void a_graph_shows_the_last_print(void **state)
{
	struct view keys[] = {STACK(t_user, in_program)};
	struct view_row first[] = {{keys, {.type = &t_count, .integer = 4}}},
			last[] = {{keys, {.type = &t_count, .integer = 9}}};
	struct view_map maps[] = {map_of("@", first, 1, 1), map_of("@", last, 1, 1)};

	(void)state;
	assert_non_null(
		strstr(written(OUT_FLAMEGRAPH, &plan_of_one, maps, 2), ">@: 9 events</text>"));
}

static void times_have_units(void **state)
{
	struct view a[] = {STACK(t_user, in_program)}, b[] = {STACK(t_user, in_library)};
	struct view_row rows[] = {{a, {.type = &t_count, .integer = 1500000}},
				  {b, {.type = &t_count, .integer = 500000}}};
	struct view_map m = map_of("@", rows, 2, 1);

	(void)state;
	m.is_time = true;
	assert_non_null(strstr(written(OUT_FLAMEGRAPH, &plan_of_one, &m, 1),
			       "<title>work: 2.000 ms, 100.00 %; itself 1.500 ms</title>"));
	assert_non_null(strstr(text, "<title>read: 500.000 us, 25.00 %</title><rect x=\"0.00\""));
	assert_non_null(strstr(text, "width=\"300.00\""));
}

/* The page's title and its line with the script. */
static void assert_head(const struct plan *plan, const struct view_run *run, const char *title,
			const char *script)
{
	struct view keys[] = {STACK(t_user, in_program)};
	struct view_row rows[] = {{keys, {.type = &t_count, .integer = 4}}};
	struct view_map m = map_of("@", rows, 1, 1);

	struct view_run of_plan = *run;

	run_units(&of_plan, plan);
	assert_non_null(strstr(written_of_run(&of_plan, OUT_FLAMEGRAPH, plan, &m, 1), title));
	assert_non_null(strstr(text, script));
}

static void a_page_says_what_was_traced(void **state)
{
	struct trace_scope process = {.pid = 7}, all = {0};
	struct plan_prog progs[] = {{.kind = PP_PROFILE, .n_probes = 1},
				    {.kind = PP_END, .n_probes = 1}};
	struct plan plan = plan_of_one;
	char script[400] = "";

	(void)state;
	plan.progs = progs;
	plan.n_progs = 2;
	assert_head(&plan,
		    &(struct view_run){.command = "a <b>",
				       .scope = &all,
				       .script = "\n x  {\n\ty }\n"},
		    ">a &lt;b&gt; · @: 4 samples</text>", ">x { y }</text>");
	progs[1].kind = PP_UPROBE;
	assert_head(&plan, &(struct view_run){.scope = &process, .script = ""},
		    ">process 7 · @: 4 events</text>", "id=\"script\"");
	memset(script, 'x', sizeof(script) - 1);
	assert_head(&plan, &(struct view_run){.scope = &all, .script = script},
		    ">the whole system · @: 4 events</text>", "xxx…</text>");
	script[0] = '/';
	assert_head(&plan,
		    &(struct view_run){.scope = &all, .script = script, .script_name = "waits.bt"},
		    ">the whole system · @: 4 events</text>", ">waits.bt</text>");
}

static void nothing_is_a_page_too(void **state)
{
	(void)state;
	assert_non_null(
		strstr(written(OUT_FLAMEGRAPH, &plan_of_one, NULL, 0), ">no stacks</text>"));
}

/* The bytes of a profile, which has NULs. */
static size_t inflated(char *out, size_t size)
{
	z_stream z = {.next_in = (Bytef *)text,
		      .avail_in = sizeof(text),
		      .next_out = (Bytef *)out,
		      .avail_out = (uInt)size};

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	return z.total_out;
}

static void a_profile_has_names_lines_and_files(void **state)
{
	static struct view_frame frames[] = {
		{.name = "esc\033[1m\n", .file = "a\nb.c", .line = 7, .is_inlined = true, .ip = 9},
		{.name = "bad\xff", .module = "/x\t", .build_id = "abcd", .linked = 300, .ip = 9}};
	static const char *const names[] = {"comm", "k"};
	static const char *const wanted[] = {"esc\\x1b[1m\\n", "a\\nb.c", "bad\\xff",
					     "/x\\t",	       "abcd",	  "comm",
					     "a\\nbc",	       "events",  "count"};
	struct plan_map maps[] = {{.name = "@", .keys = fields, .n_keys = 2, .value = &t_count}};
	struct plan plan = {.maps = maps, .n_maps = 1};
	struct view keys[] = {{.type = &t_string, .string = {.text = "a\nbc", .len = 4}},
			      STACK(t_user, frames)};
	struct view_row rows[] = {{keys, {.type = &t_count, .integer = 300}}};
	struct view_map m = map_of("@", rows, 1, 2);
	char bytes[4096];
	size_t n;

	(void)state;
	m.key_names = names;
	written_of_run(&(struct view_run){.start = 5, .ended = 9}, OUT_PPROF, &plan, &m, 1);
	n = inflated(bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_non_null(memmem(bytes, n, wanted[i], strlen(wanted[i])));
	assert_null(memchr(bytes, '\033', n));
	/* one sample of one location, with the value 300 and a label */
	assert_non_null(memmem(bytes, n, "\x08\x01\x10\xac\x02\x1a", 6));
	/* the address as linked: 300 */
	assert_non_null(memmem(bytes, n, "\x10\x01\x18\xac\x02", 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_goes_from_the_outside_in),
		cmocka_unit_test(rows_of_one_path_are_one_line),
		cmocka_unit_test(marks_stand_where_frames_are_missing),
		cmocka_unit_test(names_do_not_break_the_format),
		cmocka_unit_test(values_below_0_are_left_out),
		cmocka_unit_test(averages_are_not_added),
		cmocka_unit_test(several_maps_have_names),
		cmocka_unit_test(a_graph_shows_the_last_print),
		cmocka_unit_test(times_have_units),
		cmocka_unit_test(a_page_says_what_was_traced),
		cmocka_unit_test(nothing_is_a_page_too),
		cmocka_unit_test(a_profile_has_names_lines_and_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
