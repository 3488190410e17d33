/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pattern language of attach points, listings and exclusions: '*' matches any characters, '?'
 * one character, and {a,b} either alternative, which may be patterns themselves. All else is
 * literal, also '[', which paths and C++ names contain, and braces without a comma at their top
 * level, such as those of "{lambda(int, long)#1}".
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct arena;

/* True when the text has '*', '?' or alternatives, so that it can match more than itself. */
bool pattern_is(const char *text);
/* Does the whole of `s` match the pattern? */
bool pattern_matches(const char *pattern, const char *s);
/* The pattern without '*' and '?', and with the first of alternatives: the letters with which near
 * names are compared. */
char *pattern_letters(struct arena *a, const char *pattern);
/* True when the pattern has alternatives. */
bool pattern_has_alternatives(const char *pattern);
