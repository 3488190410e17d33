/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of allocation flags (gfp_flags.h). The format of kmem:kmalloc has them as C expressions:
 * __print_flags(REC->gfp_flags, "|", {(unsigned long)((gfp_t)(1UL << 6) | …), "GFP_NOFS"}, …).
 */
#include "runtime/kernel/gfp_flags.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/tracefs.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_NAMES = 128, MOST_DEPTH = 100, NAME_BYTES = 40 };

struct gfp_flags {
	uint32_t n;
	struct gfp_flag {
		uint64_t bits;
		char name[NAME_BYTES];
	} names[MOST_NAMES];
};

/* ---- expressions --------------------------------------------------------------------------- */

/* What is left of the text; NULL after an error. */
struct reader {
	const char *at;
	uint32_t depth;
};

/* The operators, from the one that binds least. */
enum { OR, AND, SHIFT };

static uint64_t read_operation(struct reader *r, int level);

static char peek(struct reader *r)
{
	while (r->at && *r->at == ' ')
		r->at++;
	return r->at ? *r->at : '\0';
}

static bool accept(struct reader *r, const char *token)
{
	if (!peek(r) || strncmp(r->at, token, strlen(token)) != 0)
		return false;
	r->at += strlen(token);
	return true;
}

/* "( unsigned long)" before a value */
static bool accept_cast(struct reader *r)
{
	const char *end;

	if (peek(r) != '(')
		return false;
	end = r->at + 1 + strspn(r->at + 1, " ");
	if (!isalpha((unsigned char)*end))
		return false;
	end = strchr(end, ')');
	r->at = end ? end + 1 : NULL;
	return true;
}

static uint64_t read_value(struct reader *r)
{
	uint64_t v = 0;
	char *end;

	if (++r->depth > MOST_DEPTH)
		r->at = NULL;
	if (accept_cast(r)) {
		v = read_value(r);
	} else if (accept(r, "~")) {
		v = ~read_value(r);
	} else if (accept(r, "(")) {
		v = read_operation(r, OR);
		if (!accept(r, ")"))
			r->at = NULL;
	} else if (isdigit((unsigned char)peek(r))) {
		v = strtoull(r->at, &end, 0);
		r->at = end + strspn(end, "uUlL");
	} else {
		r->at = NULL;
	}
	r->depth--;
	return v;
}

static uint64_t read_operation(struct reader *r, int level)
{
	static const char *const operators[] = {"|", "&", "<<"};
	uint64_t v, w;

	if (level > SHIFT)
		return read_value(r);
	v = read_operation(r, level + 1);
	while (accept(r, operators[level])) {
		w = read_operation(r, level + 1);
		v = level == OR ? v | w : level == AND ? v & w : v << (w & 63);
	}
	return v;
}

/* ---- names --------------------------------------------------------------------------------- */

/* {EXPRESSION, "NAME"}; false at the end of the list. */
static bool read_name(struct reader *r, struct gfp_flags *f)
{
	struct gfp_flag *flag = &f->names[f->n];
	const char *end;

	if (!accept(r, "{") || f->n == MOST_NAMES)
		return false;
	flag->bits = read_operation(r, OR);
	if (!accept(r, ",") || !accept(r, "\""))
		return false;
	end = strchr(r->at, '"');
	if (!end || end - r->at >= NAME_BYTES)
		return false;
	memcpy(flag->name, r->at, (size_t)(end - r->at));
	flag->name[end - r->at] = '\0';
	r->at = end + 1;
	if (!accept(r, "}"))
		return false;
	f->n += flag->bits != 0;
	return accept(r, ",");
}

struct gfp_flags *gfp_flags_parse(const char *format)
{
	struct gfp_flags *f = calloc(1, sizeof(*f));
	const char *list = strstr(format, "__print_flags(REC->gfp_flags, \"|\",");
	struct reader r = {.at = list ? strchr(list, '{') : NULL};

	while (f && r.at && read_name(&r, f))
		;
	return f;
}

struct gfp_flags *gfp_flags_read(struct kernel *k)
{
	int tracefs = kernel_tracefs(k);
	char *text = NULL;
	struct gfp_flags *f;

	if (tracefs >= 0)
		tracefs_format_text(tracefs, "kmem", "kmalloc", &text);
	f = gfp_flags_parse(text ?: "");
	free(text);
	return f;
}

void gfp_flags_text(const struct gfp_flags *f, uint64_t flags, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; f && i < f->n; i++) {
		uint64_t bits = f->names[i].bits;

		if ((flags & bits) != bits || n + NAME_BYTES + 24 > size)
			continue;
		flags &= ~bits;
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "|" : "", f->names[i].name);
	}
	if (flags)
		snprintf(text + n, size - n, "%s0x%" PRIx64, n ? "|" : "", flags);
	else if (!n)
		snprintf(text, size, "0");
}
