/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON strings. Control characters, also DEL and C1, are escaped; invalid UTF-8 is replaced by
 * U+FFFD, so that the output is always valid JSON.
 */
#include "runtime/output/json_text.h"
#include "parser/base/escape.h"

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
		size_t len = utf8_length(bytes + i, n - i);

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

void json_put_string(struct text *t, const char *s)
{
	text_char(t, '"');
	json_put_escaped(t, s, strlen(s));
	text_char(t, '"');
}
