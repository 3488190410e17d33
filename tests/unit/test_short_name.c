/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short_name(): demangled names without parameters and template arguments.
 */
#include "runtime/elf/demangle.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *full, *plain, *brief;
} names[] = {
	{"main", "main", "main"},
	{"ns::f(int, char const*)", "ns::f", "ns::f"},
	{"std::map<int, std::string>::find(int const&) const", "std::map<int, std::string>::find",
	 "std::map::find"},
	{"twice<double>(double)", "twice<double>", "twice"},
	{"(anonymous namespace)::hidden(int)", "(anonymous namespace)::hidden",
	 "(anonymous namespace)::hidden"},
	{"ns::(anonymous namespace)::box<int>::get() const &",
	 "ns::(anonymous namespace)::box<int>::get", "ns::(anonymous namespace)::box::get"},
	{"run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}::operator()",
	 "run::{lambda#1}::operator()"},
	{"run<long>(long)::{lambda()#2}::operator()() const", "run<long>::{lambda#2}::operator()",
	 "run::{lambda#2}::operator()"},
	{"ns::operator<(ns::box const&, ns::box const&)", "ns::operator<", "ns::operator<"},
	{"ns::operator<< <int>(ns::out&, int)", "ns::operator<< <int>", "ns::operator<<"},
	{"operator< <int>(int)", "operator< <int>", "operator<"},
	{"box::operator->() const", "box::operator->", "box::operator->"},
	{"box::operator->*(int)", "box::operator->*", "box::operator->*"},
	{"box::operator()(int)", "box::operator()", "box::operator()"},
	{"box::operator[](unsigned long)", "box::operator[]", "box::operator[]"},
	{"box::operator==(box const&) const", "box::operator==", "box::operator=="},
	{"box::operator<=>(box const&) const", "box::operator<=>", "box::operator<=>"},
	{"box::operator,(int)", "box::operator,", "box::operator,"},
	{"operator new[](unsigned long)", "operator new[]", "operator new[]"},
	{"operator\"\" _km(long double)", "operator\"\" _km", "operator\"\" _km"},
	{"box::operator bool() const", "box::operator bool", "box::operator bool"},
	{"box::operator std::vector<int>() const", "box::operator std::vector<int>",
	 "box::operator std::vector"},
	{"cooperator(int)", "cooperator", "cooperator"},
	{"f<&(operator<(int, int))>(int)", "f<&(operator<(int, int))>", "f"},
	{"f<(3 > 2)>()", "f<(3 > 2)>", "f"},
	{"call<int (*)(char)>(int (*)(char))", "call<int (*)(char)>", "call"},
	{"f(int) [clone .cold]", "f [clone .cold]", "f [clone .cold]"},
	{"std::string::c_str[abi:cxx11](int)", "std::string::c_str[abi:cxx11]",
	 "std::string::c_str[abi:cxx11]"},
	{"std::function<void (int)>::operator()(int) const",
	 "std::function<void (int)>::operator()", "std::function::operator()"},
	{"core::ptr::drop_in_place::<alloc::vec::Vec<u8>>",
	 "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "core::ptr::drop_in_place"},
	{"<alloc::vec::Vec<T> as core::ops::Drop>::drop",
	 "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
	 "<alloc::vec::Vec as core::ops::Drop>::drop"},
	{"app::main::{{closure}}", "app::main::{{closure}}", "app::main::{{closure}}"},
	{"f(int", "f(int", "f(int"},
	{"f<int", "f<int", "f<int"},
};

static void shortens(void **state)
{
	char plain[128], brief[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(plain, sizeof(plain), "%s", names[i].full);
		snprintf(brief, sizeof(brief), "%s", names[i].full);
		short_name(plain, true);
		short_name(brief, false);
		assert_string_equal(plain, names[i].plain);
		assert_string_equal(brief, names[i].brief);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(shortens)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
