/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of C++ and Rust, split into name and parameters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "parser/attach/cpp_name.h"

/* "plain|arguments|the rest": the bars are not of the name. */
static const char *const names[] = {
	"f||",
	"ns::f||(int)",
	"ns::f||()",
	"max_of|<int>|",
	"max_of|<int>|(int, int)",
	"max_of|<std::vector<int, std::allocator<int> > >|(int (*)(int), long) const",
	"ns::Box<int>::get||() const",
	"ns::Box<int>::get|<long>|() const",
	/* operators */
	"ns::F::operator()||",
	"ns::F::operator()||()",
	"ns::F::operator()||() const",
	"ns::F::operator()||(int)",
	"ns::F::operator()|<double>|(double, double)",
	"ns::operator<<||(ns::F&, int)",
	"ns::F::operator<<| <double>|(double)",
	"ns::F::operator<| <ns::F>|(ns::F)",
	"ns::F::operator<||(ns::F const&) const",
	"ns::F::operator<=>||(ns::F const&) const",
	"ns::F::operator>||(ns::F const&) const",
	"ns::F::operator>>||(int)",
	"ns::F::operator->||()",
	"ns::F::operator->*||(int)",
	"ns::F::operator[]||(int)",
	"ns::F::operator,||(int)",
	"ns::F::operator++||(int)",
	"ns::F::operator new||(unsigned long)",
	"ns::F::operator new[]||(unsigned long)",
	"ns::F::operator delete[]||(void*)",
	"ns::F::operator bool||() const",
	"ns::F::operator char const*||() const",
	"ns::F::operator long*|<long>|()",
	"ns::F::operator int (*)(int)||()",
	"ns::operator\"\" _km||(unsigned long long)",
	"ns::operator\"\"_km||(unsigned long long)",
	"operator_of||(int)",
	"my_operator||(int)",
	"ns::new_operator|<int>|(int)",
	/* what has parameters or comparisons within */
	"ns::(anonymous namespace)::f||(int)",
	"(anonymous namespace)::f||",
	"ns::f(int)::{lambda(int)#1}::operator()||",
	"ns::f(int)::{lambda(int)#1}::operator()||(int) const",
	"ns::g<int>(int)::{lambda(auto:1)#1}::operator()|<int>|(int) const",
	"ns::F::s() const::{lambda(int)#1}::operator()||(int) const",
	"ns::F::str[abi:cxx11]||() const",
	"ns::h|<&ns::f>|(int)",
	"ns::h|<&(ns::F::operator>)>|(int)",
	"ns::B<(3>2)>::m||(int (*)(int))",
	"ns::B<(3<2)>::m||(int)",
	"ns::each|<int (*)(long)>|(int)",
	"call|<void (F::*)() const>|(void (F::*)() const)",
	"f|<int () -> int>|()",
	"f|<{unnamed type#1}>|({unnamed type#1})",
	"f||(int) [clone .constprop.0]",
	/* Rust */
	"<demo::Square as demo::Shape>::edges||",
	"demo::twice::|<u32>|",
	"<fn(u32) -> u8 as demo::Call>::call||",
	/* patterns, and what is no name */
	"ns::*||",
	"*||(int)",
	"ns::f||(*",
	"max_of<*||(int)",
	"*operator*||",
	"operator||",
	"operator||(",
	"<int>||",
	"<||",
	">||",
	"->||",
	"||)(",
	"||",
};

static void test_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *bar = names[i] + strcspn(names[i], "|"), *other = strchr(bar + 1, '|');
		size_t plain = (size_t)(bar - names[i]), name = (size_t)(other - names[i]) - 1;
		struct cpp_name n;
		char text[256];

		print_message("%s\n", names[i]);
		snprintf(text, sizeof(text), "%.*s%.*s%s", (int)plain, names[i],
			 (int)(name - plain), bar + 1, other + 1);
		n = cpp_name_split(text);
		if (strcmp(text, ")(") == 0) /* the one whose brackets stand the wrong way round */
			name = plain = 1;
		assert_int_equal(n.name, name);
		assert_int_equal(n.plain, plain);
	}
}

static void test_deep(void **state)
{
	char text[1024];

	(void)state;
	memset(text, '<', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(cpp_name_split(text).name, sizeof(text) - 1);
	memset(text, '(', sizeof(text) - 1);
	assert_int_equal(cpp_name_split(text).name, sizeof(text) - 2);
}

static bool plus_of_operator(const char *text)
{
	return cpp_name_in_operator(text, strrchr(text, '+'));
}

static void test_in_operator(void **state)
{
	(void)state;
	assert_true(plus_of_operator("operator+"));
	assert_true(plus_of_operator("ns::F::operator++"));
	assert_true(plus_of_operator("ns::F::operator+="));
	assert_false(plus_of_operator("ns::F::operator()+16"));
	assert_false(plus_of_operator("ns::F::operator-+16"));
	assert_false(plus_of_operator("operators+16"));
	assert_false(plus_of_operator("my_operator+16"));
	assert_false(plus_of_operator("f+0x10"));
	assert_null(cpp_name_operator("operators, cooperator"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_in_operator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
