/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON strings. Invalid UTF-8 is replaced by U+FFFD, so that the output is always valid JSON.
 */
#include "runtime/output/json_text.h"
#include <stdbool.h>

static bool continues(const unsigned char *p, size_t n, size_t i)
{
	return i < n && (p[i] & 0xc0) == 0x80;
}

/* Length of the UTF-8 character at p, or 0 if it is malformed: an overlong form, a surrogate, or
 * above U+10FFFF. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		return continues(p, n, 1) ? 2 : 0;
	if (p[0] >= 0xe0 && p[0] <= 0xef) {
		if (!continues(p, n, 1) || !continues(p, n, 2) || (p[0] == 0xe0 && p[1] < 0xa0) ||
		    (p[0] == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (p[0] < 0xf0 || p[0] > 0xf4 || !continues(p, n, 1) || !continues(p, n, 2) ||
	    !continues(p, n, 3) || (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return 4;
}

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

void json_put_escaped(struct text *t, const char *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t i = 0;

	while (i < n) {
		size_t len = utf8_length(p + i, n - i);

		if (p[i] == '"' || p[i] == '\\') {
			text_char(t, '\\');
			text_char(t, bytes[i]);
		} else if (p[i] < 0x20 || p[i] == 0x7f) {
			put_control(t, p[i]);
		} else if (len == 0) {
			text_string(t, "\\ufffd");
		} else {
			text_put(t, bytes + i, len);
		}
		i += len ? len : 1;
	}
}

void json_put_string(struct text *t, const char *s)
{
	text_char(t, '"');
	json_put_escaped(t, s, strlen(s));
	text_char(t, '"');
}
