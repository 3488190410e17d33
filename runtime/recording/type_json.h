/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in a recording: what is needed to show their values, as JSON.
 */
#pragma once
#include "parser/lang/type.h"
#include "runtime/base/json.h"
#include "runtime/base/json_read.h"

/* Write the type. */
void type_json_put(struct json *j, const char *key, const struct type *type);
/* The type that was written so; NULL if it is not valid. */
const struct type *type_json_read(struct arena *a, const json_t *j);
