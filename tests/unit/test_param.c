/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `param` items: what words of the command line become, which probes are left out without them, and
 * the tags "parameter-word" and "parameter-extra", which a script file alone cannot cause.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/sema/param.h"
#include "parser/sema/sema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static const char script[] =
	"param $n: int64 = 7 \"a number\"; param $s: uint64 = none \"seconds\";\n"
	"BEGIN { @ = $n; @s = $s } interval:s:$s { exit(); }";

/* Errors of `text` with these words; the world stays open. */
static uint32_t check(struct world *w, const char *text, const char *const *words, uint32_t n)
{
	world_init(w);
	w->diags.source = source_from_text(w->arena, "x.bt", text, strlen(text));
	w->program = parse(w->arena, w->diags.source, &w->diags);
	assert_non_null(w->program);
	w->program->params = words;
	w->program->n_params = n;
	sema_run(w->arena, w->program, &w->kernel.k, &w->diags);
	return w->diags.n_errors;
}

static const struct expr *value_of(const struct world *w, uint32_t i)
{
	return w->program->probes[0]->body.items[i]->assign.value;
}

static void test_words(void **state)
{
	static const char *const words[] = {"-3", "0x10"};
	struct world w;

	(void)state;
	assert_int_equal(check(&w, script, words, 2), 0);
	assert_int_equal(value_of(&w, 0)->kind, EX_UNARY);
	assert_int_equal(value_of(&w, 1)->integer.value, 16);
	assert_int_equal(w.program->n_probes, 2);
	assert_string_equal(w.program->probes[1]->points[0].name, "interval:s:16");
	assert_string_equal(param_usage(w.arena, w.program),
			    "usage: sonde x.bt [N] [S] [SECONDS] [options]");
	world_free(&w);
}

static void test_left_out(void **state)
{
	struct world w;

	(void)state;
	assert_int_equal(check(&w, script, NULL, 0), 0);
	assert_int_equal(value_of(&w, 0)->integer.value, 7);
	assert_int_equal(value_of(&w, 1)->integer.value, 0);
	assert_int_equal(w.program->n_probes, 1);
	world_free(&w);
}

/* One error, of this tag. */
static void check_wrong(const char *text, const char *word, uint32_t n, const char *tag)
{
	const char *const words[] = {word, "2", "three"};
	struct world w;

	print_message("%s: %s\n", word, text);
	assert_int_equal(check(&w, text, words, n), 1);
	assert_string_equal(w.diags.items[0].tag, tag);
	world_free(&w);
}

static void test_wrong(void **state)
{
	static const char *const no_numbers[] = {"",   "ten", "99999999999999999999", "5 ",
						 "+1", "--1", "9223372036854775808"};

	(void)state;
	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(*no_numbers); i++)
		check_wrong(script, no_numbers[i], 1, "parameter-word");
	check_wrong("param $s: uint64 \"\"; BEGIN { @ = $s }", "-1", 1, "parameter-word");
	check_wrong(script, "1", 3, "parameter-extra");
	check_wrong("param $s: string \"\"; BEGIN { @ = str($s) }", "", 0, "parameter-missing");
	check_wrong("param $s: uint64 = none \"\"; interval:s:$s { @ = 1 }", "", 0,
		    "parameter-missing");
}

static void check_value(const char *items, const char *const *words, uint32_t n, uint64_t value)
{
	char text[256];
	struct world w;

	snprintf(text, sizeof(text), "%s BEGIN { @ = $x_us; @n = $n }", items);
	assert_int_equal(check(&w, text, words, n), 0);
	assert_int_equal(value_of(&w, 0)->integer.value, value);
	assert_int_equal(value_of(&w, 1)->integer.value, 7);
	world_free(&w);
}

/* A time in the unit that the name says; by name, at any place. */
static void test_names(void **state)
{
	static const char items[] = "param $x_us: uint64 \"\"; param $n: uint64 = 7 \"\";";

	(void)state;
	check_value(items, (const char *const[]){"50"}, 1, 50);
	check_value(items, (const char *const[]){"50us"}, 1, 50);
	check_value(items, (const char *const[]){"1s", "7"}, 2, 1000000);
	check_value(items, (const char *const[]){"5000ns", "7ns"}, 2, 5);
	check_value(items, (const char *const[]){"x_us=50"}, 1, 50);
	check_value(items, (const char *const[]){"--x-us=50"}, 1, 50);
	check_value(items, (const char *const[]){"--x-us", "50ms"}, 2, 50000);
	check_value(items, (const char *const[]){"n=7", "50"}, 2, 50);
	check_value(items, (const char *const[]){"50", "--n", "7"}, 3, 50);
	check_wrong("param $x_us: uint64 \"\"; BEGIN { @ = $x_us }", "50ns", 1, "parameter-word");
	check_wrong("param $x_us: uint64 \"\"; BEGIN { @ = $x_us }", "y=50", 1, "parameter-word");
	check_wrong("BEGIN { @ = $1 }", "1", 2, "parameter-extra");
	check_wrong("BEGIN { @ = 1 }", "one", 1, "parameter-extra");
	check_wrong("interval:s:$1 { @ = 1 }", "1", 2, "parameter-extra");
}

static const char options[] =
	"BEGIN { @a = getopt(\"n\", 5); @b = getopt(\"m\", -5); @c = getopt(\"flag\"); @d = $#; }";

static void check_option(const char *word, uint64_t n, uint64_t m, uint64_t flag, uint64_t rest)
{
	const char *const words[] = {word};
	struct world w;

	print_message("%s\n", word);
	assert_int_equal(check(&w, options, words, 1), 0);
	assert_int_equal(value_of(&w, 0)->integer.value, n);
	if (value_of(&w, 1)->kind == EX_UNARY)
		assert_int_equal(-value_of(&w, 1)->unary.operand->integer.value, m);
	else
		assert_int_equal(value_of(&w, 1)->integer.value, m);
	assert_int_equal(value_of(&w, 2)->integer.value, flag);
	assert_int_equal(value_of(&w, 3)->integer.value, rest);
	world_free(&w);
}

static void test_options(void **state)
{
	static const char *const wrong[] = {"--n=-1",  "--n=",	   "--n=x",
					    "--m=--1", "--flag=2", "--m=9223372036854775808"};
	static const char *const unknown[] = {"--help", "--N", "--nn=1"};
	static const char *const yes[] = {"--flag", "--flag=1", "--flag=true", "--flag=ON",
					  "--flag=Yes"};
	static const char *const no[] = {"--flag=0", "--flag=false", "--flag=off", "--flag=NO"};
	uint64_t m = (uint64_t)-5;

	(void)state;
	check_option("word", 5, m, false, 1);
	check_option("--", 5, m, false, 1);
	check_option("--n=0x10", 16, m, false, 0);
	check_option("--m=-7", 5, (uint64_t)-7, false, 0);
	check_option("--m=7", 5, 7, false, 0);
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		check_option(yes[i], 5, m, true, 0);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		check_option(no[i], 5, m, false, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		check_wrong(options, wrong[i], 1, "parameter-word");
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		check_wrong(options, unknown[i], 1, "parameter-extra");
}

/* An attach point that its parameter spoils: reported once, at the parameter. */
static void test_blame(void **state)
{
	static const char *const words[] = {"1"};
	struct world w;

	(void)state;
	assert_int_equal(check(&w,
			       "param $function: string \"PROGRAM:FUNCTION\";\n"
			       "uprobe:$function { @ = 1; } uretprobe:$function { @ = 2; }",
			       words, 1),
			 1);
	assert_string_equal(w.diags.items[0].tag, "parameter-word");
	assert_string_equal(w.diags.items[0].msg, "'1' has no program: write PROGRAM:FUNCTION");
	assert_non_null(strstr(w.diags.items[0].hint, "usage: sonde x.bt FUNCTION"));
	world_free(&w);
	assert_int_equal(check(&w, "uprobe:$1 { @ = 1; }", words, 1), 1);
	assert_string_equal(w.diags.items[0].tag, "attach-form");
	world_free(&w);
}

/* Texts stay texts, also where they read as numbers; names are whole words. */
static void test_texts(void **state)
{
	static const char *const words[] = {"5"};
	struct world w;

	(void)state;
	assert_int_equal(check(&w,
			       "param $s: string \"\"; param $sx: string = none \"\";"
			       "BEGIN { @a = $s; @b = $sx; } interval:s:$s { }",
			       words, 1),
			 0);
	assert_int_equal(value_of(&w, 0)->kind, EX_STRING);
	assert_string_equal(value_of(&w, 1)->string.text, "");
	assert_int_equal(w.program->n_probes, 2);
	world_free(&w);
	assert_int_equal(check(&w,
			       "param $sx: uint64 = none \"\"; BEGIN { @ = 1; } interval:s:$s { }",
			       NULL, 0),
			 1); /* $s is none of them */
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),	cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_wrong),	cmocka_unit_test(test_names),
		cmocka_unit_test(test_options), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_blame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
