/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escapes for text that is shown to people but was chosen by somebody else: names of processes,
 * files and symbols, strings read from memory. Without them a name with a newline could add a line
 * to the output, and one with an escape sequence could control the terminal.
 *
 * Control characters (C0, DEL, C1), U+FFFE and U+FFFF, which XML forbids, and bytes that are not
 * valid UTF-8 become \n, \t, \r or \xNN, a pair of lower-case hex digits for each byte. All other
 * text stays as it is. Backslashes are doubled only where they stand directly before something
 * that is, or reads like, such an escape: `C:\new` becomes `C:\\new`, the `\x2d` in the name of a
 * systemd unit stays. So every name can be recovered, and ordinary ones never change.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum escape_set {
	ESCAPE_NAME,	 /* as above */
	ESCAPE_MESSAGE,	 /* likewise, but backslashes stay: text of ours with names in it */
	ESCAPE_LINES,	 /* likewise, and newlines and tabs stay */
	ESCAPE_TERMINAL, /* only what a terminal obeys: ESC, C1 and the bytes 0x80 to 0x9f */
};

/* The number of bytes at the start of `bytes` that are shown as they are. */
size_t escape_clean(enum escape_set set, const char *bytes, size_t n);

enum { ESCAPE_GROWTH = 4 }; /* an escaped text is at most so many times longer */

/* Receives the bytes of an escaped text, in order. */
typedef void escape_put_fn(void *ctx, const char *bytes, size_t n);
/* Pass `bytes`, escaped, to `put`. */
void escape_text(enum escape_set set, const char *bytes, size_t n, escape_put_fn *put, void *ctx);
/* Write `s`, escaped. */
void escape_write(enum escape_set set, const char *s, FILE *out);
void escape_write_bytes(enum escape_set set, const char *bytes, size_t n, FILE *out);
/* `bytes`, escaped, with a NUL at the end; its length to *len. The caller frees it. NULL without
 * memory. */
char *escape_copy(enum escape_set set, const char *bytes, size_t n, size_t *len);
/* Pass text for XML or HTML to `put`: escaped as ESCAPE_LINES, and & < > " as entities. */
void escape_xml(const char *bytes, size_t n, escape_put_fn *put, void *ctx);
void escape_xml_write(const char *bytes, size_t n, FILE *out);

/* Bytes of the well-formed UTF-8 character at the start of `bytes`; 0 when there is none. `n` is at
 * least 1. Overlong forms, surrogates and what is beyond U+10FFFF are not well-formed. */
size_t utf8_length(const char *bytes, size_t n);
/* Are all of the bytes well-formed UTF-8? */
bool utf8_is_valid(const char *bytes, size_t n);
/* True for U+0080 to U+009F, encoded. */
static inline bool utf8_is_c1(const char *bytes, size_t len)
{
	return len == 2 && (unsigned char)bytes[0] == 0xc2 && (unsigned char)bytes[1] < 0xa0;
}
