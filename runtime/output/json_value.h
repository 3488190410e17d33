/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as JSON, for the writers of JSON.
 */
#pragma once
#include "runtime/view/format.h"

/* A buffer that grows. */
struct json_scratch {
	struct text text;
	int *error; /* gets -ENOMEM */
};

struct json_writer {
	struct text *text; /* of the output */
	struct json_scratch *scratch;
	bool stacks_are_arrays; /* of frames; else a stack is a string */
};

/* 0 or -ENOMEM. */
int json_scratch_init(struct json_scratch *s, bool is_quoted, int *error);
void json_scratch_free(struct json_scratch *s);
/* Integers that a double cannot hold are strings; tuples and arrays are arrays, records objects. */
void json_put_value(const struct json_writer *w, const struct view *v);
