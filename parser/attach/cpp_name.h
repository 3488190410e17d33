/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a C++ or Rust name as people write it: "ns::F::operator()<int>(int, long) const"
 * consists of the name "ns::F::operator()<int>" ("ns::F::operator()" without template arguments)
 * and the parameters.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct cpp_name {
	size_t name;  /* length of the name; the rest is parameters */
	size_t plain; /* length of the name without template arguments at its end */
};

/* Split a name, or a pattern, in which '*' counts as a letter. */
struct cpp_name cpp_name_split(const char *text);
/* True if the character at `at` is part of an operator's name, as both '+' of "operator++" are. */
bool cpp_name_in_operator(const char *text, const char *at);
/* The first "operator" in the text that is a whole word, or NULL. */
const char *cpp_name_operator(const char *text);
