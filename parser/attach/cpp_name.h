/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a name of C++ or Rust as people write it: "ns::F::operator()<int>(int, long) const"
 * is the name "ns::F::operator()<int>", plainly "ns::F::operator()", with its parameters.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct cpp_name {
	size_t name;  /* bytes of the name: what follows are its parameters, if anything does */
	size_t plain; /* of the name without the template's arguments at its end */
};

/* Split a name, or a pattern of names, in which '*' is a letter. */
struct cpp_name cpp_name_split(const char *text);
/* Does the letter `at` of the name belong to an operator, as both of "operator++" do? */
bool cpp_name_in_operator(const char *text, const char *at);
/* The first "operator" of the text that is a word of its own, or NULL. */
const char *cpp_name_operator(const char *text);
