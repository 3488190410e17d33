/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values in a recording: views as JSON, and back.
 */
#pragma once
#include "runtime/base/json.h"
#include "runtime/view/view.h"
#include "runtime/base/json_read.h"

/* The number of a stack in the recording. 0: none. */
struct stack_numbers {
	uint32_t (*number)(struct stack_numbers *n, const struct view_stack *s);
};

/* Append the value. */
void value_json_put(struct json *j, const char *key, const struct view *v,
		    struct stack_numbers *stacks);
/* Is the value one integer: an integer, a pointer, a count or a sum? */
bool value_is_integer(const struct view *v);

/* Finds a stack by its number. */
struct stack_lookup {
	bool (*find)(struct stack_lookup *l, uint64_t number, struct view_stack *out);
};

/* The bytes of a string or buffer that was written so. False if they are not valid. */
bool value_json_read_string(struct arena *a, const json_t *j, struct view *out);
/* The view of a value of `type` that was written so, or by -f jsonl, which has frames of stacks:
 * then `stacks` may be NULL. False if it is not valid. */
bool value_json_read(struct arena *a, const struct type *type, const json_t *j,
		     struct stack_lookup *stacks, struct view *out);
