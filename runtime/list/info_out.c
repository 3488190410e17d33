/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two writers of --info, text and JSON. Keys are literals; values may be any text.
 */
#include "runtime/list/info_out.h"
#include "runtime/output/json_text.h"
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

struct file_text {
	struct text text; /* first */
	FILE *f;
	char bytes[256];
};

static void write_text(struct text *t)
{
	fwrite(t->bytes, 1, t->n, ((struct file_text *)t)->f);
	t->n = 0;
}

static void put_string(FILE *f, const char *s)
{
	struct file_text t = {.f = f};

	t.text = (struct text){t.bytes, 0, sizeof(t.bytes), write_text};
	json_put_string(&t.text, s);
	write_text(&t.text);
}

static void json_begin(struct info_out *o)
{
	fputc('{', o->f);
}

static void json_section(struct info_out *o, const char *key, const char *title)
{
	(void)title;
	fprintf(o->f, "%s\n  ", o->has_section ? "\n  }," : "");
	put_string(o->f, key);
	fputs(": {", o->f);
	o->has_section = true;
	o->has_row = false;
}

static void json_key(struct info_out *o, const char *key)
{
	fprintf(o->f, "%s\n    ", o->has_row ? "," : "");
	put_string(o->f, key);
	fputs(": ", o->f);
	o->has_row = true;
}

static void json_text(struct info_out *o, const char *key, const char *value)
{
	json_key(o, key);
	put_string(o->f, value);
}

static void json_number(struct info_out *o, const char *key, int64_t value)
{
	json_key(o, key);
	fprintf(o->f, "%" PRId64, value);
}

static void json_state(struct info_out *o, const char *key, const char *title,
		       enum capability_state state, const char *why)
{
	static const char *const words[] = {[CAPABILITY_NO] = "false",
					    [CAPABILITY_YES] = "true",
					    [CAPABILITY_UNKNOWN] = "null"};

	(void)title;
	json_key(o, key);
	fprintf(o->f, "{\"has\": %s", words[state]);
	if (why) {
		fputs(", \"why\": ", o->f);
		put_string(o->f, why);
	}
	fputc('}', o->f);
}

static void json_end(struct info_out *o)
{
	fprintf(o->f, "%s\n}\n", o->has_section ? "\n  }" : "");
}

const struct info_writer info_json = {
	.begin = json_begin,
	.section = json_section,
	.text = json_text,
	.number = json_number,
	.state = json_state,
	.end = json_end,
};
