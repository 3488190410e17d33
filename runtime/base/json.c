/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON: see json.h.
 */
#include "runtime/base/json.h"
#include <stdarg.h>

static void put_control(struct text *t, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	switch (c) {
	case '\n': text_string(t, "\\n"); return;
	case '\r': text_string(t, "\\r"); return;
	case '\t': text_string(t, "\\t"); return;
	}
	text_string(t, "\\u00");
	text_char(t, hex[c >> 4]);
	text_char(t, hex[c & 15]);
}

void json_escape(struct text *t, const char *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t i = 0;

	while (i < n) {
		size_t plain = i, len;

		while (plain < n && p[plain] >= 0x20 && p[plain] < 0x7f && p[plain] != '"' &&
		       p[plain] != '\\')
			plain++;
		text_put(t, bytes + i, plain - i);
		i = plain;
		if (i == n)
			break;
		len = utf8_length(bytes + i, n - i);

		if (p[i] == '"' || p[i] == '\\') {
			text_char(t, '\\');
			text_char(t, bytes[i]);
		} else if (p[i] < 0x20 || p[i] == 0x7f) {
			put_control(t, p[i]);
		} else if (len == 0) {
			text_string(t, "\\ufffd");
		} else if (utf8_is_c1(bytes + i, len)) {
			put_control(t, p[i + 1]);
		} else {
			text_put(t, bytes + i, len);
		}
		i += len ? len : 1;
	}
}

static void put_quoted(struct text *t, const char *bytes, size_t n)
{
	text_char(t, '"');
	json_escape(t, bytes, n);
	text_char(t, '"');
}

/* What comes before a value. */
static void put_key(struct json *j, const char *key)
{
	if (j->has_item)
		text_string(j->text, j->is_compact ? "," : ", ");
	j->has_item = true;
	if (!key)
		return;
	put_quoted(j->text, key, strlen(key));
	text_string(j->text, j->is_compact ? ":" : ": ");
}

void json_put_escaped_key(struct json *j, const char *bytes, size_t n)
{
	put_key(j, NULL);
	text_char(j->text, '"');
	text_put(j->text, bytes, n);
	text_string(j->text, "\": ");
	j->has_item = false;
}

void json_open(struct json *j, const char *key, char bracket)
{
	put_key(j, key);
	text_char(j->text, bracket);
	j->has_item = false;
}

void json_close(struct json *j, char bracket)
{
	text_char(j->text, bracket);
	j->has_item = true;
}

void json_end_line(struct json *j)
{
	text_string(j->text, "}\n");
	j->has_item = false;
}

void json_put_bytes(struct json *j, const char *key, const char *bytes, size_t n)
{
	put_key(j, key);
	put_quoted(j->text, bytes, n);
}

void json_put_string(struct json *j, const char *key, const char *s)
{
	if (s)
		json_put_bytes(j, key, s, strlen(s));
}

void json_put_unsigned(struct json *j, const char *key, uint64_t x)
{
	put_key(j, key);
	text_unsigned(j->text, x);
}

void json_put_signed(struct json *j, const char *key, int64_t x)
{
	put_key(j, key);
	text_signed(j->text, x);
}

void json_put_format(struct json *j, const char *key, const char *format, ...)
{
	char number[64];
	va_list ap;

	va_start(ap, format);
	vsnprintf(number, sizeof(number), format, ap);
	va_end(ap);
	put_key(j, key);
	text_string(j->text, number);
}
