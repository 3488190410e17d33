/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of time: ns us ms s m h d, for the lexer, attach points, parameters and options.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Nanoseconds of the unit that the first `len` bytes of `text` spell; 0: they spell none. */
uint64_t time_unit_ns(const char *text, size_t len);
/* Nanoseconds of the unit that the name of a variable says, as "seconds", "ms" or "usec"; 0: none. */
uint64_t time_unit_of_name(const char *name);
/* The unit that a word means, as "sec" and "MS" do; NULL: none. */
const char *time_unit_meant(const char *word);
/* "5m" for "5min", "5 min" and "5minutes"; NULL: it is none such, or "5m". */
const char *time_meant(struct arena *a, const char *text);
/* Read a decimal number, also with a fraction, and its unit: 10s, 1.5ms. A number without unit is
 * multiplied by `alone`. False if it is no such text, or over 2^63 ns. */
bool time_read(const char *text, uint64_t alone, uint64_t *ns);
/* A length of time in the largest unit up to seconds that leaves no fraction: 500ms; 0 is "0". */
const char *time_text(struct arena *a, uint64_t ns);
