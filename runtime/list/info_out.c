/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two writers of --info, text and JSON. Keys are literals; values may be any text.
 */
#include "runtime/list/info_out.h"
#include <inttypes.h>

/* ---- text ---------------------------------------------------------------------------------- */

static void text_nothing(struct info_out *o)
{
	(void)o;
}

static void text_section(struct info_out *o, const char *key, const char *title)
{
	(void)key;
	fprintf(o->f, "%s%s\n", o->has_section ? "\n" : "", title);
	o->has_section = true;
}

static void text_text(struct info_out *o, const char *key, const char *value)
{
	fprintf(o->f, "  %-28s %s\n", key, value);
}

static void text_number(struct info_out *o, const char *key, int64_t value)
{
	fprintf(o->f, "  %-28s %" PRId64 "\n", key, value);
}

static void text_state(struct info_out *o, const char *key, const char *title,
		       enum capability_state state, const char *why)
{
	static const char *const words[] = {[CAPABILITY_NO] = "no",
					    [CAPABILITY_YES] = "yes",
					    [CAPABILITY_UNKNOWN] = "unknown to this user"};

	(void)key;
	fprintf(o->f, "  %-28s %s%s%s\n", title, words[state], why ? ": " : "", why ? why : "");
}

const struct info_writer info_text = {
	.begin = text_nothing,
	.section = text_section,
	.text = text_text,
	.number = text_number,
	.state = text_state,
	.end = text_nothing,
};

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_begin(struct info_out *o)
{
	text_file_init(&o->file, o->f);
	o->json = (struct json){.text = &o->file.text};
	text_char(o->json.text, '{');
}

/* What goes before a row or a section, on a line of its own. */
static void new_line(struct info_out *o, bool has_item, const char *indent)
{
	text_string(o->json.text, has_item ? ",\n" : "\n");
	text_string(o->json.text, indent);
	o->json.has_item = false;
}

static void json_section(struct info_out *o, const char *key, const char *title)
{
	(void)title;
	text_string(o->json.text, o->has_section ? "\n  }" : "");
	new_line(o, o->has_section, "  ");
	json_open(&o->json, key, '{');
	o->has_section = true;
}

static struct json *new_row(struct info_out *o)
{
	new_line(o, o->json.has_item, "    ");
	return &o->json;
}

static void json_text(struct info_out *o, const char *key, const char *value)
{
	json_put_string(new_row(o), key, value);
}

static void json_number(struct info_out *o, const char *key, int64_t value)
{
	json_put_signed(new_row(o), key, value);
}

static void json_state(struct info_out *o, const char *key, const char *title,
		       enum capability_state state, const char *why)
{
	static const char *const words[] = {[CAPABILITY_NO] = "false",
					    [CAPABILITY_YES] = "true",
					    [CAPABILITY_UNKNOWN] = "null"};
	struct json *j = new_row(o);

	(void)title;
	json_open(j, key, '{');
	json_put_format(j, "has", "%s", words[state]);
	json_put_string(j, "why", why);
	json_close(j, '}');
}

static void json_end(struct info_out *o)
{
	text_string(o->json.text, o->has_section ? "\n  }\n}\n" : "\n}\n");
	text_file_flush(&o->file);
}

const struct info_writer info_json = {
	.begin = json_begin,
	.section = json_section,
	.text = json_text,
	.number = json_number,
	.state = json_state,
	.end = json_end,
};
