/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of --info: sections of rows, as text or as one JSON object. Private to info*.c.
 */
#pragma once
#include "parser/lang/capability.h"
#include "runtime/base/json.h"

struct info_out {
	FILE *f;
	bool as_json;
	bool has_section;
	struct text_file file; /* of JSON */
	struct json json;
};

void info_begin(struct info_out *o, FILE *f, bool as_json);
/* `key` is for programs, `title` for people. */
void info_section(struct info_out *o, const char *key, const char *title);
void info_text(struct info_out *o, const char *key, const char *value);
void info_number(struct info_out *o, const char *key, int64_t value);
/* `why` explains the state, or is NULL. */
void info_state(struct info_out *o, const char *key, const char *title, enum capability_state state,
		const char *why);
void info_end(struct info_out *o);
