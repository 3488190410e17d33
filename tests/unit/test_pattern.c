/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern language of attach points, listings and exclusions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "parser/base/arena.h"
#include "parser/base/pattern.h"

static void test_matches(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool matches;
	} rows[] = {
		{"", "", true},
		{"", "a", false},
		{"vfs_read", "vfs_read", true},
		{"vfs_read", "vfs_reads", false},
		{"*", "", true},
		{"*", "anything", true},
		{"vfs_*", "vfs_", true},
		{"*_read", "vfs_read_read", true},
		{"*a*b*c", "xaxbxcxc", true},
		{"*a*b*c", "xaxcxb", false},
		{"?", "", false},
		{"?", "a", true},
		{"sched_switc?", "sched_switch", true},
		{"sched_switc?", "sched_switc", false},
		{"sched_switc?", "sched_switched", false},
		{"*c?", "abcd", true},
		{"?*?", "a", false},
		{"?*?", "ab", true},
		/* literal: brackets, braces without alternatives */
		{"[ab]", "a", false},
		{"[ab]", "[ab]", true},
		{"operator[]", "operator[]", true},
		{"{lambda(int, long)#1}", "{lambda(int, long)#1}", true},
		{"f()::{lambda(int)#1}::*", "f()::{lambda(int)#1}::operator()", true},
		{"{}", "{}", true},
		{"{a", "{a", true},
		{"a}", "a}", true},
		{"{a}", "a", false},
		{"{,", "{,", true},
		{"{g<int, long>}", "{g<int, long>}", true},
		/* alternatives */
		{"{a,b}", "a", true},
		{"{a,b}", "b", true},
		{"{a,b}", "c", false},
		{"{a,b}", "{a,b}", false},
		{"sched_{switch,wakeup}", "sched_switch", true},
		{"sched_{switch,wakeup}", "sched_wakeup_new", false},
		{"sched_{switch,wake*}", "sched_wakeup_new", true},
		{"sched_{switch,wakeup{,_new}}", "sched_wakeup", true},
		{"sched_{switch,wakeup{,_new}}", "sched_wakeup_new", true},
		{"{,x}y", "y", true},
		{"{,}", "", true},
		{"{f(int, int),g}", "f(int, int)", true},
		{"{f(int, int),g}", "g", true},
		{"{a,ab}{c,bc}", "abc", true},
		{"*{a,b}?", "xxbz", true},
		{"{a,b}{", "a{", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("%s %s\n", rows[i].pattern, rows[i].name);
		assert_int_equal(pattern_matches(rows[i].pattern, rows[i].name), rows[i].matches);
	}
}

/* Neither stars nor alternatives take time that grows with more than the product of the lengths. */
static void test_cost(void **state)
{
	char name[9000], pattern[2048];
	size_t n = 0;

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_false(pattern_matches("*a*a*a*a*a*a*b", name));
	assert_false(pattern_matches("*{a,b}", name)); /* too long for alternatives */
	name[2000] = '\0';
	while (n < 1000)
		n += (size_t)snprintf(pattern + n, sizeof(pattern) - n, "*{a,aa,*a}");
	assert_true(pattern_matches(pattern, name));
	snprintf(pattern + n, sizeof(pattern) - n, "b");
	assert_false(pattern_matches(pattern, name));
	memset(pattern, '{', 1000);
	snprintf(pattern + 1000, sizeof(pattern) - 1000, "a,b");
	memset(pattern + 1003, '}', 1000);
	pattern[2003] = '\0';
	assert_false(pattern_matches(pattern, name));
}

static void test_is(void **state)
{
	(void)state;
	assert_true(pattern_is("vfs_*"));
	assert_true(pattern_is("vfs_rea?"));
	assert_true(pattern_is("vfs_{read,write}"));
	assert_false(pattern_is("vfs_read"));
	assert_false(pattern_is("[ab]"));
	assert_false(pattern_is("f()::{lambda(int, long)#1}"));
	assert_false(pattern_has_alternatives("vfs_*"));
}

static void test_letters(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(pattern_letters(a, "vfs_re*d?"), "vfs_red");
	assert_string_equal(pattern_letters(a, "vfs_{re*d,write}v"), "vfs_redv");
	assert_string_equal(pattern_letters(a, "{ab,{c,d}}e"), "abe");
	assert_string_equal(pattern_letters(a, "{lambda()#1}"), "{lambda()#1}");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_is),
		cmocka_unit_test(test_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
