/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a recording as bytes: see row.h.
 */
#include "runtime/recording/row.h"

void row_init(struct row *r)
{
	text_grown_init(&r->grown);
	r->json = (struct json){.text = &r->grown.text};
}

void row_begin(struct row *r, enum recording_table table)
{
	struct row_head head = {.table = (uint32_t)table};

	r->grown.text.n = 0;
	text_put(&r->grown.text, (const char *)&head, sizeof(head));
}

void row_add_columns(struct row *r, const struct row_column *columns, size_t n)
{
	struct text *t = &r->grown.text;

	for (const struct row_column *c = columns; c < columns + n; c++) {
		text_char(t, (char)c->tag);
		if (c->tag == ROW_INTEGER) {
			text_put(t, (const char *)&c->integer, sizeof(c->integer));
		} else if (c->tag == ROW_TEXT) {
			text_put(t, (const char *)&c->len, sizeof(c->len));
			text_put(t, c->text, c->len);
		}
	}
}

void row_open_text(struct row *r)
{
	ROW_ADD(r, row_bytes("", 0));
	r->open = r->grown.text.n;
}

struct json *row_open_json(struct row *r)
{
	row_open_text(r);
	r->json.has_item = false;
	return &r->json;
}

void row_close_text(struct row *r)
{
	uint32_t len = (uint32_t)(r->grown.text.n - r->open);

	if (!r->grown.error)
		memcpy(r->grown.text.bytes + r->open - sizeof(len), &len, sizeof(len));
}

const char *row_end(struct row *r)
{
	uint32_t n = (uint32_t)r->grown.text.n;

	if (!r->grown.error)
		memcpy(r->grown.text.bytes, &n, sizeof(n));
	return r->grown.text.bytes;
}

void row_next(const char **at, struct row_column *out)
{
	out->tag = (enum row_tag) * (*at)++;
	if (out->tag == ROW_INTEGER) {
		memcpy(&out->integer, *at, sizeof(out->integer));
		*at += sizeof(out->integer);
	} else if (out->tag == ROW_TEXT) {
		memcpy(&out->len, *at, sizeof(out->len));
		out->text = *at + sizeof(out->len);
		*at = out->text + out->len;
	}
}
