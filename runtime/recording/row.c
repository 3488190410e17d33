/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a recording as bytes: see row.h.
 */
#include "runtime/recording/row.h"
#include "runtime/output/out.h"
#include <errno.h>
#include <stdlib.h>

enum { ROW_FIRST_BYTES = 4096, ROW_MOST_BYTES = 1 << 30 };

/* Without memory the bytes are discarded, and the error is kept. */
static void grow(struct text *t)
{
	struct row *r = (struct row *)((char *)t - offsetof(struct row, text));
	char *grown = t->capacity < ROW_MOST_BYTES ? realloc(t->bytes, 2 * t->capacity) : NULL;

	if (grown) {
		t->bytes = grown;
		t->capacity *= 2;
		return;
	}
	r->error = -ENOMEM;
	t->n = 0;
}

int row_init(struct row *r)
{
	*r = (struct row){.text = {.bytes = malloc(ROW_FIRST_BYTES),
				   .capacity = ROW_FIRST_BYTES,
				   .make_room = grow,
				   .is_quoted = true}};
	return r->text.bytes ? 0 : -ENOMEM;
}

void row_free(struct row *r)
{
	free(r->text.bytes);
	r->text.bytes = NULL;
}

void row_begin(struct row *r, enum recording_table table)
{
	struct row_head head = {.table = (uint32_t)table};

	r->text.n = 0;
	text_put(&r->text, (const char *)&head, sizeof(head));
}

void row_integer(struct row *r, int64_t x)
{
	text_char(&r->text, ROW_INTEGER);
	text_put(&r->text, (const char *)&x, sizeof(x));
}

void row_bytes(struct row *r, const char *bytes, size_t n)
{
	uint32_t len = (uint32_t)n;

	text_char(&r->text, ROW_TEXT);
	text_put(&r->text, (const char *)&len, sizeof(len));
	text_put(&r->text, bytes, len);
}

void row_string(struct row *r, const char *s)
{
	if (s)
		row_bytes(r, s, strlen(s));
	else
		text_char(&r->text, ROW_NULL);
}

void row_open_text(struct row *r)
{
	row_bytes(r, "", 0);
	r->open = r->text.n;
}

void row_close_text(struct row *r)
{
	uint32_t len = (uint32_t)(r->text.n - r->open);

	if (!r->error)
		memcpy(r->text.bytes + r->open - sizeof(len), &len, sizeof(len));
}

const char *row_end(struct row *r)
{
	uint32_t n = (uint32_t)r->text.n;

	if (!r->error)
		memcpy(r->text.bytes, &n, sizeof(n));
	return r->text.bytes;
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
