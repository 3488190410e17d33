/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON, with Jansson: it keeps integers of 64 bits as they are, as recordings need it.
 */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct arena;

/* The value in the `len` bytes, which lives as long as the arena; NULL if they are no JSON, or have
 * more than 4,000,000 values. */
const json_t *json_read(struct arena *a, const char *text, size_t len);
/* An integer that lives as long as the arena. */
const json_t *json_of_integer(struct arena *a, int64_t x);
/* An integer, or a string that is one. False if it is neither. `j` may be NULL. */
bool json_number(const json_t *j, uint64_t *out);
/* The same of all items of a list, to `out`. */
bool json_numbers(const json_t *list, uint64_t *out);
