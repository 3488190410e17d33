/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of aggregations.
 */
#pragma once
#include "runtime/base/json.h"
#include "runtime/view/view.h"

/* The type of the line for a map with values of this type: "map", "stats" or "hist". */
const char *json_agg_line(const struct type *t);
/* Write the value of one entry. */
void json_agg_value(struct json *j, const char *key, const struct view *v);
