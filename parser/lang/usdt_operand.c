/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the operands of USDT notes (usdt_operand.h). An argument is [-]SIZE@OPERAND, with a minus
 * if it is signed; OPERAND is assembler text from the compiler. The register offsets are those of
 * struct pt_regs (arch/.../include/uapi/asm/ptrace.h), which codegen reads.
 */
#include "parser/lang/usdt_operand.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include <errno.h>
#include <stdlib.h>

/* ---- registers --------------------------------------------------------------------------- */

struct reg {
	uint16_t offset;
	uint8_t size, skip;
};

/* In the order of struct pt_regs; names of 8, 4, 2 and 1 bytes, and of the second byte. */
static const struct {
	const char *names[5];
	uint16_t offset;
} x86_regs[] = {
	{{"r15", "r15d", "r15w", "r15b"}, 0},	{{"r14", "r14d", "r14w", "r14b"}, 8},
	{{"r13", "r13d", "r13w", "r13b"}, 16},	{{"r12", "r12d", "r12w", "r12b"}, 24},
	{{"rbp", "ebp", "bp", "bpl"}, 32},	{{"rbx", "ebx", "bx", "bl", "bh"}, 40},
	{{"r11", "r11d", "r11w", "r11b"}, 48},	{{"r10", "r10d", "r10w", "r10b"}, 56},
	{{"r9", "r9d", "r9w", "r9b"}, 64},	{{"r8", "r8d", "r8w", "r8b"}, 72},
	{{"rax", "eax", "ax", "al", "ah"}, 80}, {{"rcx", "ecx", "cx", "cl", "ch"}, 88},
	{{"rdx", "edx", "dx", "dl", "dh"}, 96}, {{"rsi", "esi", "si", "sil"}, 104},
	{{"rdi", "edi", "di", "dil"}, 112},	{{"rip", "eip"}, 128},
	{{"rsp", "esp", "sp", "spl"}, 152},
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool find_x86(const char *s, size_t len, struct reg *out)
{
	for (size_t i = 0; i < sizeof(x86_regs) / sizeof(*x86_regs); i++)
		for (unsigned k = 0; k < 5 && x86_regs[i].names[k]; k++)
			if (text_is(s, len, x86_regs[i].names[k])) {
				*out = (struct reg){x86_regs[i].offset, 8 >> k ?: 1, k == 4};
				return true;
			}
	return false;
}

/* x0 … x30, w0 … w30, sp, and the names of x29 and x30. */
static bool find_arm64(const char *s, size_t len, struct reg *out)
{
	unsigned n = 0;
	char *end;

	*out = (struct reg){.size = *s == 'w' ? 4 : 8};
	if (text_is(s, len, "sp"))
		n = 31;
	else if (text_is(s, len, "fp") || text_is(s, len, "lr"))
		n = *s == 'f' ? 29 : 30;
	else if (len < 2 || len > 3 || (*s != 'x' && *s != 'w') || !is_digit(s[1]) ||
		 (n = (unsigned)strtoul(s + 1, &end, 10)) > 30 || end != s + len)
		return false;
	out->offset = (uint16_t)(8 * n);
	return true;
}

uint16_t usdt_place_register(enum usdt_machine m)
{
	return m == USDT_X86 ? 128 : 256;
}

/* ---- parts of operands ------------------------------------------------------------------- */

/* The position in the text of an operand. */
struct scan {
	struct arena *arena;
	const char *at;
};

static bool skip(struct scan *s, char c)
{
	s->at += strspn(s->at, " ");
	if (*s->at != c)
		return false;
	s->at++;
	return true;
}

static bool is_done(struct scan *s)
{
	s->at += strspn(s->at, " ");
	return !*s->at;
}

/* A number, decimal or 0x…, with or without a sign, as 64 bits. */
static bool read_number(struct scan *s, int64_t *out)
{
	const char *from = s->at;
	char *end;

	errno = 0;
	*out = (int64_t)strtoull(from, &end, 0);
	s->at = end;
	return !errno && end != from && !is_letter(*end);
}

/* The name of a symbol, in assembler syntax. */
static bool read_symbol(struct scan *s, const char **out)
{
	const char *from = s->at;

	while (is_letter(*s->at) || is_digit(*s->at) || (s->at > from && *s->at == '$'))
		s->at++;
	if (s->at == from || *s->at == '@') /* @GOTPCREL and the like: not the symbol itself */
		return false;
	*out = arena_strndup(s->arena, from, (size_t)(s->at - from));
	return true;
}

/* A sum of numbers and at most one symbol: "16", "counter", "counter+8", "8+counter-4". */
static bool read_sum(struct scan *s, struct usdt_operand *o)
{
	int64_t n;

	for (bool first = true;; first = false) {
		if (!first && *s->at != '+' && *s->at != '-')
			return true;
		s->at += *s->at == '+' && is_letter(s->at[1]);
		if (is_letter(*s->at)) {
			if (o->symbol || !read_symbol(s, &o->symbol))
				return false;
			continue;
		}
		if (!read_number(s, &n))
			return false;
		o->disp = (int64_t)((uint64_t)o->disp + (uint64_t)n);
	}
}

/* "%rax": a register of a full or, in 32-bit programs, half a word. */
static bool read_register(struct scan *s, enum usdt_machine m, struct reg *out)
{
	const char *from;

	if (m == USDT_X86 && !skip(s, '%'))
		return false;
	s->at += strspn(s->at, " ");
	from = s->at;
	while (is_letter(*s->at) || is_digit(*s->at))
		s->at++;
	return m == USDT_X86 ? find_x86(from, (size_t)(s->at - from), out)
			     : find_arm64(from, (size_t)(s->at - from), out);
}

static bool read_address_register(struct scan *s, enum usdt_machine m, uint16_t *out)
{
	struct reg r;

	if (!read_register(s, m, &r) || r.size < 4)
		return false;
	*out = r.offset;
	return true;
}

static bool set_register(struct usdt_operand *o, const struct reg *r)
{
	o->kind = USDT_SUM;
	o->base = r->offset;
	o->skip = r->skip;
	if (!o->size)
		o->size = r->size;
	return true;
}

/* ---- operands ---------------------------------------------------------------------------- */

/* Behind a displacement: (base), (base,index), (base,index,scale), (,index,scale). */
static bool read_x86_parens(struct scan *s, struct usdt_operand *o)
{
	int64_t scale = 1;

	if (!skip(s, '('))
		return true; /* an address alone */
	if (*s->at != ',' && !read_address_register(s, USDT_X86, &o->base))
		return false;
	if (skip(s, ',')) {
		if (!read_address_register(s, USDT_X86, &o->index))
			return false;
		if (skip(s, ',') && !read_number(s, &scale))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	o->scale = (uint8_t)scale;
	return skip(s, ')');
}

/* An operand relative to %rip is a symbol; the caller adds its distance. */
static bool read_x86(struct scan *s, struct usdt_operand *o)
{
	struct reg r;

	if (skip(s, '$')) {
		o->kind = USDT_CONSTANT;
		return read_sum(s, o);
	}
	if (*s->at == '%')
		return read_register(s, USDT_X86, &r) && set_register(o, &r);
	o->kind = USDT_MEMORY;
	if (!*s->at || (*s->at != '(' && !read_sum(s, o)) || !read_x86_parens(s, o))
		return false;
	if (o->symbol && o->base == usdt_place_register(USDT_X86))
		o->base = USDT_NO_REG; /* of the symbol's own address */
	return true;
}

/* [x0], [x0, 8], [x0, x1], [x0, x1, lsl 3]; numbers may have a '#'. */
static bool read_arm64_brackets(struct scan *s, struct usdt_operand *o)
{
	int64_t shift = 0;

	o->kind = USDT_MEMORY;
	if (!read_address_register(s, USDT_ARM64, &o->base))
		return false;
	if (skip(s, ']'))
		return true;
	if (!skip(s, ','))
		return false;
	if (skip(s, '#') || (!is_done(s) && (is_digit(*s->at) || *s->at == '-')))
		return read_number(s, &o->disp) && skip(s, ']');
	if (!read_address_register(s, USDT_ARM64, &o->index))
		return false;
	if (skip(s, ',')) {
		if (!skip(s, 'l') || !skip(s, 's') || !skip(s, 'l'))
			return false;
		skip(s, ' ');
		skip(s, '#');
		if (!read_number(s, &shift) || shift < 0 || shift > 3)
			return false;
	}
	o->scale = (uint8_t)(1 << shift);
	return skip(s, ']');
}

static bool read_arm64(struct scan *s, struct usdt_operand *o)
{
	struct reg r;

	if (skip(s, '['))
		return read_arm64_brackets(s, o);
	if (skip(s, '#') || (!is_done(s) && (is_digit(*s->at) || *s->at == '-'))) {
		o->kind = USDT_CONSTANT;
		return read_number(s, &o->disp);
	}
	if (!is_done(s) && strcmp(s->at + 1, "zr") == 0) {
		o->kind = USDT_CONSTANT;
		s->at += 3;
		return true;
	}
	return read_register(s, USDT_ARM64, &r) && set_register(o, &r);
}

/* "-4@". Also true if it is missing, as in old notes. */
static bool read_size(struct scan *s, struct usdt_operand *o)
{
	const char *at = strchr(s->at, '@');
	int64_t size;

	if (!at || at - s->at > 3)
		return true;
	o->is_signed = *s->at == '-';
	if (!read_number(s, &size) || s->at != at)
		return false; /* also 8f@: a floating-point number */
	s->at++;
	size = size < 0 ? -size : size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	o->size = (uint8_t)size;
	return true;
}

/* "=3": a word of the context, of a recorded probe on any machine. */
static bool read_word(struct scan *s, struct usdt_operand *o)
{
	int64_t word;

	if (!read_number(s, &word) || word < 0 || word >= USDT_ARGS)
		return false;
	o->kind = USDT_SUM;
	o->base = (uint16_t)(8 * word);
	return true;
}

static bool read_place(struct scan *s, enum usdt_machine m, struct usdt_operand *o)
{
	if (skip(s, '='))
		return read_word(s, o);
	return m == USDT_X86 ? read_x86(s, o) : read_arm64(s, o);
}

static void read_operand(struct scan s, enum usdt_machine m, struct usdt_operand *o)
{
	*o = (struct usdt_operand){.scale = 1, .base = USDT_NO_REG, .index = USDT_NO_REG};
	o->text = s.at;
	if (!read_size(&s, o) || !read_place(&s, m, o) || !is_done(&s))
		o->kind = USDT_UNREADABLE;
	if (!o->size)
		o->size = 8;
}

/* Skip to the blank that ends an operand; blanks in brackets do not. */
static const char *operand_end(const char *s)
{
	int depth = 0;

	for (; *s && (*s != ' ' || depth > 0); s++)
		depth += *s == '[' ? 1 : *s == ']' ? -1 : 0;
	return s;
}

void usdt_format_parse(struct arena *a, const char *text, enum usdt_machine m,
		       struct usdt_format *out)
{
	*out = (struct usdt_format){0};
	for (;;) {
		const char *end;

		text += strspn(text, " ");
		if (!*text)
			return;
		end = operand_end(text);
		if (out->n < USDT_ARGS)
			read_operand((struct scan){a, arena_strndup(a, text, (size_t)(end - text))},
				     m, &out->args[out->n++]);
		out->n_noted++;
		text = end;
	}
}

bool usdt_operand_same(const struct usdt_operand *x, const struct usdt_operand *y)
{
	return x->kind == y->kind && x->size == y->size && x->is_signed == y->is_signed &&
	       x->skip == y->skip && x->scale == y->scale && x->base == y->base &&
	       x->index == y->index && x->disp == y->disp;
}

bool usdt_format_same(const struct usdt_format *x, const struct usdt_format *y)
{
	for (uint32_t i = 0; i < x->n && i < y->n; i++)
		if (!usdt_operand_same(&x->args[i], &y->args[i]))
			return false;
	return x->n == y->n && x->n_noted == y->n_noted;
}
