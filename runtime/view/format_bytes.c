/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a buffer as text: printable ASCII as it is and others as \x0a (%r), all so (%rx),
 * or as 0a 0b (%rh).
 */
#include "runtime/view/format.h"

static size_t byte_length(uint8_t c, char form)
{
	return form == 'h' ? 3 : !form && c >= ' ' && c < 0x7f ? 1 : 4;
}

static void put_bytes(struct text *t, const struct view *v, char form)
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < v->string.len; i++) {
		uint8_t c = (uint8_t)v->string.text[i];
		char hex[] = {'\\', 'x', digits[c >> 4], digits[c & 15]};

		if (form == 'h' && i)
			text_char(t, ' ');
		if (byte_length(c, form) == 1)
			text_char(t, (char)c);
		else if (form == 'h')
			text_put(t, hex + 2, 2);
		else
			text_put(t, hex, 4);
	}
}

void format_bytes(struct text *t, const struct view *v, char form, int32_t width, bool left)
{
	size_t len = 0, pad;

	for (uint32_t i = 0; i < v->string.len; i++)
		len += byte_length((uint8_t)v->string.text[i], form);
	len -= form == 'h' && len; /* no blank behind the last one */
	pad = width > 0 && (size_t)width > len ? (size_t)width - len : 0;
	if (!left)
		text_fill(t, ' ', pad);
	put_bytes(t, v, form);
	if (left)
		text_fill(t, ' ', pad);
}
