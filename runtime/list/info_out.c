/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What --info prints, as text or JSON. Keys are literals; values may be any text.
 */
#include "runtime/list/info_out.h"
#include <inttypes.h>

/* What goes before a row or a section of JSON, on a line of its own. */
static void new_line(struct info_out *o, bool has_item, const char *indent)
{
	text_string(o->json.text, has_item ? ",\n" : "\n");
	text_string(o->json.text, indent);
	o->json.has_item = false;
}

static struct json *new_row(struct info_out *o)
{
	new_line(o, o->json.has_item, "    ");
	return &o->json;
}

void info_begin(struct info_out *o, FILE *f, bool as_json)
{
	*o = (struct info_out){.f = f, .as_json = as_json, .json.text = &o->file.text};
	text_file_init(&o->file, f);
	if (as_json)
		text_char(o->json.text, '{');
}

void info_section(struct info_out *o, const char *key, const char *title)
{
	if (o->as_json) {
		text_string(o->json.text, o->has_section ? "\n  }" : "");
		new_line(o, o->has_section, "  ");
		json_open(&o->json, key, '{');
	} else {
		fprintf(o->f, "%s%s\n", o->has_section ? "\n" : "", title);
	}
	o->has_section = true;
}

void info_text(struct info_out *o, const char *key, const char *value)
{
	if (o->as_json)
		json_put_string(new_row(o), key, value);
	else
		fprintf(o->f, "  %-28s %s\n", key, value);
}

void info_number(struct info_out *o, const char *key, int64_t value)
{
	if (o->as_json)
		json_put_signed(new_row(o), key, value);
	else
		fprintf(o->f, "  %-28s %" PRId64 "\n", key, value);
}

void info_state(struct info_out *o, const char *key, const char *title, enum capability_state state,
		const char *why)
{
	static const struct {
		const char *text, *json;
	} words[] = {[CAPABILITY_NO] = {"no", "false"},
		     [CAPABILITY_YES] = {"yes", "true"},
		     [CAPABILITY_UNKNOWN] = {"unknown to this user", "null"}};

	if (o->as_json) {
		json_open(new_row(o), key, '{');
		json_put_format(&o->json, "has", "%s", words[state].json);
		json_put_string(&o->json, "why", why);
		json_close(&o->json, '}');
	} else {
		fprintf(o->f, "  %-28s %s%s%s\n", title, words[state].text, why ? ": " : "",
			why ? why : "");
	}
}

void info_end(struct info_out *o)
{
	if (o->as_json)
		text_string(o->json.text, o->has_section ? "\n  }\n}\n" : "\n}\n");
	text_file_flush(&o->file);
}
