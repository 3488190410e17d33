/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON strings.
 */
#pragma once
#include "runtime/view/format.h"

/* Append the bytes escaped, without quotes. */
void json_put_escaped(struct text *t, const char *bytes, size_t n);
/* Likewise with quotes. */
void json_put_string(struct text *t, const char *s);
