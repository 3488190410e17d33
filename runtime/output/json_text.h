/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings of JSON.
 */
#pragma once
#include "runtime/output/format.h"

/* The bytes as they stand between the quotes. */
void json_put_escaped(struct text *t, const char *bytes, size_t n);
/* In quotes. */
void json_put_string(struct text *t, const char *s);
