/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a JSON object so far, by their hashes. All zeros is an empty set.
 */
#pragma once
#include "runtime/base/hash.h"

HASH_TABLE(json_names, uint64_t);

/* 1 for a new name, 0 for one that the object has, -ENOMEM. Rarely, a new name has a known hash. */
int json_names_add(struct json_names *names, const char *bytes, size_t n);
