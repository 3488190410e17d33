/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tokens of C from a script: see c_token.h. Comments and continued lines are white space. A
 * literal that is not terminated ends with its line.
 */
#include "parser/csection/c_token.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

struct cursor {
	const char *text;
	uint32_t at, end;
	bool begins_line;
};

static char peek(const struct cursor *c, uint32_t ahead)
{
	return c->at + ahead < c->end ? c->text[c->at + ahead] : '\0';
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of a '\' and the end of the line after it, or 0. */
static uint32_t continuation(const struct cursor *c)
{
	if (peek(c, 0) != '\\')
		return 0;
	if (peek(c, 1) == '\n')
		return 2;
	return peek(c, 1) == '\r' && peek(c, 2) == '\n' ? 3 : 0;
}

static bool skip_comment(struct cursor *c)
{
	if (peek(c, 0) != '/')
		return false;
	if (peek(c, 1) == '/') {
		while (c->at < c->end && c->text[c->at] != '\n')
			c->at += continuation(c) ? continuation(c) : 1;
		return true;
	}
	if (peek(c, 1) != '*')
		return false;
	c->at += 2;
	while (c->at < c->end && !(peek(c, 0) == '*' && peek(c, 1) == '/'))
		c->at++;
	c->at += c->at < c->end ? 2 : 0;
	return true;
}

static void skip_space(struct cursor *c)
{
	for (;;) {
		char byte = peek(c, 0);

		if (byte == '\n' && c->at < c->end)
			c->begins_line = true;
		if (c->at < c->end && (byte == ' ' || (byte >= '\t' && byte <= '\r')))
			c->at++;
		else if (continuation(c))
			c->at += continuation(c);
		else if (!skip_comment(c))
			return;
	}
}

/* ---- numbers and literals ---- */

/* u, l, ul, ll, …; false for anything else. */
static bool read_suffix(const char *text, uint32_t len, struct c_token *t)
{
	uint32_t n_long = 0, n_unsigned = 0;

	for (uint32_t i = 0; i < len; i++) {
		n_long += (text[i] | 0x20) == 'l';
		n_unsigned += (text[i] | 0x20) == 'u';
	}
	t->is_unsigned = n_unsigned > 0 || t->value > INT64_MAX;
	return n_long + n_unsigned == len && n_long <= 2 && n_unsigned <= 1;
}

static void read_number(struct cursor *c, struct c_token *t)
{
	bool is_binary;
	char *end;

	while (is_word_byte(peek(c, 0)) || peek(c, 0) == '.' ||
	       ((peek(c, 0) == '+' || peek(c, 0) == '-') && (c->text[c->at - 1] | 0x20) == 'e' &&
		(t->text[0] != '0' || (t->text[1] | 0x20) != 'x')))
		c->at++;
	t->len = (uint32_t)(c->text + c->at - t->text);
	is_binary = t->len > 2 && t->text[0] == '0' && (t->text[1] | 0x20) == 'b';
	errno = 0;
	t->value = strtoull(t->text + (is_binary ? 2 : 0), &end, is_binary ? 2 : 0);
	t->kind = !errno && end <= t->text + t->len &&
				  read_suffix(end, (uint32_t)(t->text + t->len - end), t)
			  ? CT_NUMBER
			  : CT_OTHER;
}

static uint64_t escaped(struct cursor *c)
{
	static const char letters[] = "ntrabfve", bytes[] = "\n\t\r\a\b\f\v\033";
	char byte = peek(c, 0);
	const char *known = byte ? strchr(letters, byte) : NULL;
	uint64_t v = 0;
	int digit, most = byte == 'x' ? INT_MAX : 3, base = byte == 'x' ? 16 : 8;

	if (byte != 'x' && (byte < '0' || byte > '7')) {
		c->at++;
		return (uint64_t)(known ? bytes[known - letters] : byte);
	}
	c->at += byte == 'x';
	for (; most-- && (digit = text_hex_digit(peek(c, 0))) >= 0 && digit < base; c->at++)
		v = v * (uint64_t)base + (uint64_t)digit;
	return v & 0xff;
}

/* 'x' is a number, "text" is not. */
static void read_literal(struct cursor *c, struct c_token *t)
{
	char quote = c->text[c->at++];
	uint32_t n = 0;

	for (; c->at < c->end && peek(c, 0) != quote && peek(c, 0) != '\n'; n++) {
		t->value = (unsigned char)c->text[c->at++];
		if (t->value == '\\')
			t->value = escaped(c);
	}
	if (c->at > c->end)
		c->at = c->end;
	if (peek(c, 0) != quote || (quote == '\'' && n != 1)) {
		t->kind = CT_OTHER;
	} else {
		t->kind = quote == '"' ? CT_STRING : CT_NUMBER;
		t->value = (uint64_t)(int64_t)(signed char)t->value;
	}
	c->at += peek(c, 0) == quote;
}

/* ---- operators ---- */

static const struct {
	const char text[4];
	int punct;
} puncts[] = {
	{"...", CP_ELLIPSIS}, {"<<", CP_SHL}, {">>", CP_SHR}, {"<=", CP_LE}, {">=", CP_GE},
	{"==", CP_EQ},	      {"!=", CP_NE},  {"&&", CP_AND}, {"||", CP_OR}, {"##", CP_PASTE},
};

static void read_punct(struct cursor *c, struct c_token *t)
{
	t->kind = CT_PUNCT;
	for (size_t i = 0; i < sizeof(puncts) / sizeof(puncts[0]); i++) {
		size_t len = strlen(puncts[i].text);

		if (c->end - c->at >= len && memcmp(c->text + c->at, puncts[i].text, len) == 0) {
			t->punct = puncts[i].punct;
			c->at += (uint32_t)len;
			return;
		}
	}
	t->punct = (unsigned char)c->text[c->at++];
}

struct c_token c_token_read(const struct source *s, uint32_t *at, uint32_t end)
{
	struct cursor c = {.text = s->text, .at = *at - s->base, .end = end - s->base};
	struct c_token t = {0};
	char byte;

	skip_space(&c);
	t.begins_line = c.begins_line;
	t.has_space = s->base + c.at != *at;
	t.text = s->text + c.at;
	t.span.start = s->base + c.at;
	byte = peek(&c, 0);
	if (c.at >= c.end) {
		t.kind = CT_END;
	} else if (is_digit(byte) || (byte == '.' && is_digit(peek(&c, 1)))) {
		c.at++;
		read_number(&c, &t);
	} else if (is_word_byte(byte) ||
		   ((byte == '$' || byte == '@') && is_word_byte(peek(&c, 1)))) {
		t.kind = CT_NAME;
		c.at++;
		while (is_word_byte(peek(&c, 0)))
			c.at++;
	} else if (byte == '"' || byte == '\'') {
		read_literal(&c, &t);
	} else {
		read_punct(&c, &t);
	}
	*at = s->base + c.at;
	t.len = *at - t.span.start;
	t.span.end = *at;
	return t;
}

bool c_token_is_word(const struct c_token *t, const char *word)
{
	return t->kind == CT_NAME && text_is(t->text, t->len, word);
}

bool c_token_is(const struct c_token *t, int punct)
{
	return t->kind == CT_PUNCT && t->punct == punct;
}

const char *c_token_name(struct arena *a, const struct c_token *t)
{
	return arena_strndup(a, t->text, t->len);
}
