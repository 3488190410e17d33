/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the format file of a tracepoint, which describes its record:
 *	name: sched_switch
 *	ID: 372
 *	format:
 *		field:unsigned short common_type;	offset:0;	size:2;	signed:0;
 *		field:char prev_comm[16];	offset:8;	size:16;	signed:0;
 *	print fmt: …
 * The text comes from the kernel or from a facts file and is treated as untrusted input: a bad line
 * is left out.
 */
#define _GNU_SOURCE
#include "runtime/kernel/tracefs.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct text {
	const char *s, *end;
};

/* Builds a tp_format: one block with the struct, the fields and the strings. */
struct builder {
	struct tp_format *format;
	char *strings;
};

static struct text text_trim(struct text t)
{
	while (t.s < t.end && isspace((unsigned char)*t.s))
		t.s++;
	while (t.s < t.end && isspace((unsigned char)t.end[-1]))
		t.end--;
	return t;
}

static bool text_next_line(struct text *rest, struct text *line)
{
	const char *nl;

	if (rest->s >= rest->end)
		return false;
	nl = memchr(rest->s, '\n', rest->end - rest->s);
	line->s = rest->s;
	line->end = nl ? nl : rest->end;
	rest->s = nl ? nl + 1 : rest->end;
	*line = text_trim(*line);
	return true;
}

static bool text_is(struct text t, const char *word)
{
	return (size_t)(t.end - t.s) == strlen(word) && !memcmp(t.s, word, t.end - t.s);
}

/* Remove `prefix` and the blanks after it from the front of t. */
static bool text_take(struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	if ((size_t)(t->end - t->s) < len || memcmp(t->s, prefix, len))
		return false;
	t->s += len;
	*t = text_trim(*t);
	return true;
}

static bool text_take_number(struct text *t, uint32_t *out)
{
	uint64_t n = 0;
	const char *s = t->s;

	for (; s < t->end && isdigit((unsigned char)*s); s++) {
		n = n * 10 + (*s - '0');
		if (n > UINT32_MAX)
			return false;
	}
	if (s == t->s)
		return false;
	t->s = s;
	*out = n;
	return true;
}

/* "KEY:NUMBER;" after the declaration: offset, size, signed. */
static bool text_take_key(struct text *t, const char *key, uint32_t *out)
{
	*t = text_trim(*t);
	if (!text_take(t, key) || !text_take(t, ":") || !text_take_number(t, out))
		return false;
	*t = text_trim(*t);
	return text_take(t, ";") || t->s == t->end;
}

static bool is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Remove the identifier at the end of t and return it. */
static struct text text_cut_ident(struct text *t)
{
	struct text id;

	*t = text_trim(*t);
	id.s = id.end = t->end;
	while (id.s > t->s && is_ident(id.s[-1]))
		id.s--;
	t->end = id.s;
	*t = text_trim(*t);
	return id;
}

/* Start of the bracketed group that ends at `end`, NULL when it has no start in t. */
static const char *text_group(struct text t, const char *end, char open, char close)
{
	int depth = 0;

	while (end > t.s) {
		end--;
		if (*end == close)
			depth++;
		else if (*end == open && --depth == 0)
			return end;
	}
	return NULL;
}

/* A declaration in its parts: `base` name `suffix`, as in "char" comm "[16]". */
struct declaration {
	struct text base, name, suffix;
};

/* "void (*fn)(int)": the name is inside, what follows it goes with the suffix. */
static bool split_function_pointer(struct text t, struct declaration *d)
{
	const char *star = memmem(t.s, t.end - t.s, "(*", 2), *s;

	if (!star)
		return false;
	for (s = star + 2; s < t.end && (is_ident(*s) || *s == ' '); s++)
		;
	if (s == t.end || *s != ')')
		return false;
	d->base = (struct text){t.s, star + 2};
	d->suffix = (struct text){s, t.end};
	d->name = text_trim((struct text){star + 2, s});
	return d->name.s < d->name.end;
}

static bool is_balanced(struct text t)
{
	int depth = 0;

	for (; t.s < t.end; t.s++)
		depth += (*t.s == '(') - (*t.s == ')');
	return depth == 0;
}

static bool split_declaration(struct text t, struct declaration *d)
{
	const char *end, *open;
	struct text before;

	t = text_trim(t);
	while (t.s < t.end && t.end[-1] == ')') { /* attributes after the name */
		open = text_group(t, t.end, '(', ')');
		before = (struct text){t.s, open ? open : t.s};
		d->name = text_cut_ident(&before);
		if (!text_is(d->name, "__attribute__"))
			return split_function_pointer(t, d);
		t = before;
	}
	end = t.end;
	while (t.s < t.end && t.end[-1] == ']') {
		open = text_group(t, t.end, '[', ']');
		if (!open)
			return false;
		t = text_trim((struct text){t.s, open});
	}
	d->suffix = text_trim((struct text){t.end, end});
	d->name = text_cut_ident(&t);
	d->base = t;
	return d->name.s < d->name.end && t.s < t.end && is_balanced(t);
}

/* Append t to the strings, with single blanks and without "__attribute__((…))". */
static char *append_squeezed(char *to, struct text t)
{
	const char *s = t.s;
	int depth;

	while (s < t.end) {
		if (t.end - s > 13 && !memcmp(s, "__attribute__", 13)) {
			for (s += 13, depth = 0; s < t.end; s++) {
				depth += (*s == '(') - (*s == ')');
				if (*s == ')' && depth <= 0)
					break;
			}
			s += s < t.end;
			continue;
		}
		if (isspace((unsigned char)*s)) {
			if (to[-1] && to[-1] != ' ')
				*to++ = ' ';
			s++;
			continue;
		}
		*to++ = *s++;
	}
	if (to[-1] == ' ')
		to--;
	return to;
}

static const char *builder_add(struct builder *b, struct text t, struct text suffix)
{
	char *start = b->strings;

	b->strings = append_squeezed(start, t);
	b->strings = append_squeezed(b->strings, suffix);
	*b->strings++ = '\0';
	return start;
}

/* The product of the bounds of "[4][6]", 0 when one is missing or not a number. */
static uint32_t array_length(struct text suffix)
{
	uint64_t n = 1;
	uint32_t one;

	while (text_take(&suffix, "[")) {
		if (!text_take_number(&suffix, &one))
			return 0;
		suffix = text_trim(suffix);
		n *= one;
		if (!text_take(&suffix, "]") || n > UINT32_MAX)
			return 0;
	}
	return n;
}

static void set_array(struct tp_field *f, const struct declaration *d)
{
	bool is_char = text_is(d->base, "char") || text_is(d->base, "const char");
	uint32_t n = array_length(d->suffix);

	if (d->suffix.s == d->suffix.end || *d->suffix.s != '[' || f->is_data_loc)
		return;
	if (is_char || text_is(d->base, "unsigned char") || text_is(d->base, "u8"))
		f->elem_size = 1;
	else if (n && f->size % n == 0)
		f->elem_size = f->size / n;
	f->is_char_array = is_char && f->size > 0;
}

static bool has_prefix(struct text t, const char *prefix)
{
	return text_take(&t, prefix);
}

static bool is_word_first(struct text t, const char *word)
{
	struct text first = {t.s, t.s};

	while (first.end < t.end && is_ident(*first.end))
		first.end++;
	return text_is(first, word);
}

/* One line after "field:". A line that cannot be parsed is ignored. */
static void add_field(struct builder *b, struct text line)
{
	const char *semicolon = memchr(line.s, ';', line.end - line.s);
	struct tp_field *f = &b->format->fields[b->format->n_fields];
	uint32_t is_signed = 0;
	struct declaration d;

	if (!semicolon || !split_declaration((struct text){line.s, semicolon}, &d))
		return;
	line.s = semicolon + 1;
	if (has_prefix(d.name, "common_") || !text_take_key(&line, "offset", &f->offset) ||
	    !text_take_key(&line, "size", &f->size))
		return;
	text_take_key(&line, "signed", &is_signed); /* may be missing */
	f->is_signed = is_signed;
	f->is_data_loc = is_word_first(d.base, "__data_loc") || is_word_first(d.base, "__rel_loc");
	set_array(f, &d);
	f->type_text = builder_add(b, d.base, d.suffix);
	f->name = builder_add(b, d.name, (struct text){d.name.end, d.name.end});
	b->format->n_fields++;
}

static uint32_t count_fields(struct text rest)
{
	struct text line;
	uint32_t n = 0;

	while (text_next_line(&rest, &line))
		n += has_prefix(line, "field:");
	return n;
}

/* Allocate the block: struct, fields, strings. A field's two strings with their NULs are shorter
 * than its line, which has "field:" in front. */
static struct tp_format *format_new(uint32_t n_fields, size_t string_bytes)
{
	size_t fields = n_fields * sizeof(struct tp_field);
	struct tp_format *f = calloc(1, sizeof(*f) + fields + string_bytes);

	if (f)
		f->fields = (struct tp_field *)(f + 1);
	return f;
}

int tracefs_format_parse(const char *category, const char *event, const char *text, size_t len,
			 struct tp_format **out)
{
	struct text rest = {text, text + len}, line;
	uint32_t n = count_fields(rest);
	struct builder b;

	if (n == 0)
		return -EINVAL;
	b.format = format_new(n, len + strlen(category) + strlen(event) + 2);
	if (!b.format)
		return -ENOMEM;
	b.strings = (char *)(b.format->fields + n);
	b.format->category = strcpy(b.strings, category);
	b.strings += strlen(category) + 1;
	b.format->event = strcpy(b.strings, event);
	b.strings += strlen(event) + 1;
	while (text_next_line(&rest, &line)) {
		if (has_prefix(line, "print fmt:"))
			break;
		if (text_take(&line, "ID:"))
			text_take_number(&line, &b.format->id);
		else if (text_take(&line, "field:"))
			add_field(&b, line);
	}
	*out = b.format;
	return 0;
}
