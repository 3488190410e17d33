/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of --info: sections of rows, by one of two writers. Private to info*.c.
 */
#pragma once
#include "parser/lang/capability.h"
#include "runtime/base/json.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct info_out;

struct info_writer {
	void (*begin)(struct info_out *o);
	void (*section)(struct info_out *o, const char *key, const char *title);
	void (*text)(struct info_out *o, const char *key, const char *value);
	void (*number)(struct info_out *o, const char *key, int64_t value);
	/* `key` is for programs, `title` for people; `why` explains the state, or is NULL. */
	void (*state)(struct info_out *o, const char *key, const char *title,
		      enum capability_state state, const char *why);
	void (*end)(struct info_out *o);
};

struct info_out {
	const struct info_writer *w;
	FILE *f;
	struct text_file file; /* of JSON */
	struct json json;
	bool has_section;
};

extern const struct info_writer info_text, info_json;
