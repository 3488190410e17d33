/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Escapes, and the UTF-8 decoder that they and JSON share. Nearly all text is clean: escape_clean()
 * tests eight bytes at a time as long as they are printable ASCII without a backslash.
 */
#include "parser/base/escape.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- UTF-8 --------------------------------------------------------------------------------- */

static bool continues(const unsigned char *p, size_t n, size_t i)
{
	return i < n && (p[i] & 0xc0) == 0x80;
}

size_t utf8_length(const char *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;

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

bool utf8_is_valid(const char *bytes, size_t n)
{
	size_t len = 1;

	for (; n && len; bytes += len, n -= len)
		len = utf8_length(bytes, n);
	return len > 0;
}

/* ---- what is escaped ----------------------------------------------------------------------- */

/* Bytes of the character at p that has to be escaped; 0 when it is shown as it is. */
static size_t unsafe_bytes(enum escape_set set, const char *p, size_t n)
{
	unsigned char c = (unsigned char)*p;
	size_t len;

	if (c < 0x80) {
		if (set == ESCAPE_TERMINAL)
			return c == 0x1b;
		if (set == ESCAPE_LINES && (c == '\n' || c == '\t'))
			return 0;
		return c < 0x20 || c == 0x7f;
	}
	len = utf8_length(p, n);
	if (len == 3 && set != ESCAPE_TERMINAL)
		return memcmp(p, "\xef\xbf", 2) == 0 && (p[2] & 0x3e) == 0x3e ? len : 0;
	if (len)
		return utf8_is_c1(p, len) ? len : 0;
	return set != ESCAPE_TERMINAL || c < 0xa0;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True when p, behind a backslash, reads like an escape that put_escape() could have written. */
static bool reads_like_escape(const char *p, size_t n)
{
	int high, low, c;

	if (n >= 1 && (p[0] == 'n' || p[0] == 't' || p[0] == 'r'))
		return true;
	if (n < 3 || p[0] != 'x')
		return false;
	high = hex_digit(p[1]);
	low = hex_digit(p[2]);
	c = high * 16 + low;
	return high >= 0 && low >= 0 && (c < 0x20 || c >= 0x7f);
}

/* The length of a run of backslashes at p. */
static size_t backslashes(const char *p, size_t n)
{
	size_t run = 0;

	while (run < n && p[run] == '\\')
		run++;
	return run;
}

/* True when a run of backslashes up to `p` has to be doubled. */
static bool is_run_doubled(const char *p, size_t n)
{
	return n && (reads_like_escape(p, n) || unsafe_bytes(ESCAPE_NAME, p, n));
}

/* True when all bytes of a word are printable ASCII other than a backslash. The tests may only err
 * on the other side. */
static bool is_plain_word(const char *p)
{
	const uint64_t ones = ~0ull / 255, highs = ones << 7;
	uint64_t w, slash, del;

	memcpy(&w, p, sizeof(w));
	slash = w ^ ones * '\\';
	del = w ^ ones * 0x7f;
	return !((w | (w - ones * 0x20) | (slash - ones) | (del - ones)) & highs);
}

/* True when all `n` bytes are such, tested with overlapping words. */
static bool is_plain(const char *p, size_t n)
{
	char word[sizeof(uint64_t)];

	if (n < sizeof(word)) {
		if (n < 4) {
			memset(word, ' ', sizeof(word));
			for (size_t i = 0; i < n; i++)
				word[i] = p[i];
		} else {
			memcpy(word, p, 4);
			memcpy(word + 4, p + n - 4, 4);
		}
		return is_plain_word(word);
	}
	for (size_t i = 0; i + sizeof(word) <= n; i += sizeof(word))
		if (!is_plain_word(p + i))
			return false;
	return is_plain_word(p + n - sizeof(word));
}

size_t escape_clean(enum escape_set set, const char *bytes, size_t n)
{
	size_t i = 0, run;

	if (is_plain(bytes, n))
		return n;
	while (i < n) {
		unsigned char c = (unsigned char)bytes[i];

		if (n - i >= sizeof(uint64_t) && is_plain_word(bytes + i)) {
			i += sizeof(uint64_t);
		} else if (c == '\\' && set == ESCAPE_NAME) {
			run = backslashes(bytes + i, n - i);
			if (is_run_doubled(bytes + i + run, n - i - run))
				return i;
			i += run;
		} else if (c >= 0x20 && c < 0x7f) {
			i++;
		} else if (unsafe_bytes(set, bytes + i, n - i)) {
			return i;
		} else {
			i += c < 0x80 || !utf8_length(bytes + i, n - i)
				     ? 1
				     : utf8_length(bytes + i, n - i);
		}
	}
	return n;
}

/* ---- escaping ------------------------------------------------------------------------------ */

static void put_escape(const char *bytes, size_t n, escape_put_fn *put, void *ctx)
{
	static const char hex[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		char code[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};

		switch (c) {
		case '\n': put(ctx, "\\n", 2); break;
		case '\r': put(ctx, "\\r", 2); break;
		case '\t': put(ctx, "\\t", 2); break;
		default: put(ctx, code, sizeof(code));
		}
	}
}

void escape_text(enum escape_set set, const char *bytes, size_t n, escape_put_fn *put, void *ctx)
{
	size_t i = 0, len;

	while (i < n) {
		len = escape_clean(set, bytes + i, n - i);
		if (len)
			put(ctx, bytes + i, len);
		i += len;
		if (i == n)
			return;
		if (bytes[i] == '\\') {
			len = backslashes(bytes + i, n - i);
			for (size_t k = 0; k < len; k++)
				put(ctx, "\\\\", 2);
			if (reads_like_escape(bytes + i + len, n - i - len)) {
				put(ctx, bytes + i + len, 1);
				len++;
			}
		} else {
			len = unsafe_bytes(set, bytes + i, n - i);
			put_escape(bytes + i, len, put, ctx);
		}
		i += len;
	}
}

static void put_file(void *ctx, const char *bytes, size_t n)
{
	fwrite(bytes, 1, n, ctx);
}

void escape_write_bytes(enum escape_set set, const char *bytes, size_t n, FILE *out)
{
	escape_text(set, bytes, n, put_file, out);
}

void escape_write(enum escape_set set, const char *s, FILE *out)
{
	escape_write_bytes(set, s, strlen(s), out);
}

char *escape_copy(enum escape_set set, const char *bytes, size_t n, size_t *len)
{
	char *copy = NULL;
	FILE *f = open_memstream(&copy, len);

	if (!f)
		return NULL;
	escape_write_bytes(set, bytes, n, f);
	if (fclose(f) == 0)
		return copy;
	free(copy);
	return NULL;
}

/* ---- XML ----------------------------------------------------------------------------------- */

struct xml {
	escape_put_fn *put;
	void *ctx;
};

static const char *entity_of(char c)
{
	return c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&quot;";
}

static void put_xml(void *ctx, const char *bytes, size_t n)
{
	const struct xml *x = ctx;
	size_t plain;

	for (size_t i = 0; i < n; i += plain + 1) {
		for (plain = 0; i + plain < n && !strchr("&<>\"", bytes[i + plain]);)
			plain++;
		if (plain)
			x->put(x->ctx, bytes + i, plain);
		if (i + plain < n)
			x->put(x->ctx, entity_of(bytes[i + plain]),
			       strlen(entity_of(bytes[i + plain])));
	}
}

void escape_xml(const char *bytes, size_t n, escape_put_fn *put, void *ctx)
{
	struct xml x = {put, ctx};

	escape_text(ESCAPE_LINES, bytes, n, put_xml, &x);
}

void escape_xml_write(const char *bytes, size_t n, FILE *out)
{
	escape_xml(bytes, n, put_file, out);
}
