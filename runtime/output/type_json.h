/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in recordings and in lines of -f jsonl, as JSON: what is needed to show and to add values.
 */
#pragma once
#include "parser/lang/type.h"
#include "runtime/base/json.h"
#include "runtime/base/json_read.h"

/* Write the type. */
void type_json_put(struct json *j, const char *key, const struct type *type);
/* The type that was written so; NULL if it is not valid. */
const struct type *type_json_read(struct arena *a, const json_t *j);
/* A copy in the arena, as if it had been written and read. */
const struct type *type_json_copy(struct arena *a, const struct type *t);
