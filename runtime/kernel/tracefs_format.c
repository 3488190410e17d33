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
#include "runtime/kernel/tracefs.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const char field_word[] = "field:", id_word[] = "ID:", attribute[] = "__attribute__";

/* If s begins with the word, what follows it; else NULL. */
static char *after(char *s, const char *word)
{
	size_t n = strlen(word);

	return strncmp(s, word, n) == 0 ? s + n : NULL;
}

/* What follows "__attribute__((…))", which s begins with. */
static const char *skip_attribute(const char *s)
{
	int depth = 0;

	for (s += strlen(attribute); *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (*s == ')' && depth <= 0)
			return s + 1;
	}
	return s;
}

/* Leave single blanks, none at the ends, and no attributes. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *s = text; *s;) {
		if (strncmp(s, attribute, strlen(attribute)) == 0)
			s = skip_attribute(s);
		else if (!isspace((unsigned char)*s))
			*to++ = *s++;
		else if (s++, to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	to -= to > text && to[-1] == ' ';
	*to = '\0';
}

static bool is_ident(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* A declaration in its parts: `base` name `suffix`, as in "char" comm "[16]". */
struct declaration {
	const char *base, *name, *suffix;
	int base_len, name_len;
};

/* "void (*fn)(int)": the name is inside, what follows it is the suffix. */
static bool split_function_pointer(const char *text, const char *star, struct declaration *d)
{
	d->base = text;
	d->base_len = (int)(star + 2 - text);
	d->name = star + 2 + (star[2] == ' ');
	while (is_ident(d->name[d->name_len]))
		d->name_len++;
	d->suffix = d->name + d->name_len;
	d->suffix += *d->suffix == ' ';
	return d->name_len && *d->suffix == ')';
}

/* Where "[4][6]" at the end of the text begins; its end if there is none. NULL: not balanced. */
static const char *find_suffix(const char *text)
{
	const char *s = text + strlen(text);

	while (s > text && s[-1] == ']') {
		int depth = 0;

		do {
			s--;
			depth += (*s == ']') - (*s == '[');
		} while (depth && s > text);
		if (depth)
			return NULL;
		s -= s > text && s[-1] == ' ';
	}
	return s;
}

static bool split_declaration(const char *text, struct declaration *d)
{
	const char *star = strstr(text, "(*"), *end;

	*d = (struct declaration){.base = text};
	if (star)
		return split_function_pointer(text, star, d);
	d->suffix = d->name = end = find_suffix(text);
	if (!end)
		return false;
	while (d->name > text && is_ident(d->name[-1]))
		d->name--;
	d->name_len = (int)(end - d->name);
	d->base_len = (int)(d->name - text);
	d->base_len -= d->base_len && text[d->base_len - 1] == ' ';
	d->suffix += *end == ' ';
	return d->name_len && d->base_len;
}

/* The product of the bounds of "[4][6]", 0 when one is missing or not a number. */
static uint32_t array_length(const char *s)
{
	unsigned long long n = 1, one;
	int used = 0;

	for (; *s; s += used) {
		used = 0;
		if (sscanf(s, " [%llu ]%n", &one, &used) != 1 || !used || one > UINT32_MAX)
			return 0;
		n *= one;
		if (n > UINT32_MAX)
			return 0;
	}
	return (uint32_t)n;
}

static void set_array(struct tp_field *f, const char *base, const char *suffix)
{
	uint32_t n = array_length(suffix);
	bool is_char = strcmp(base, "char") == 0 || strcmp(base, "const char") == 0;

	if (*suffix != '[' || f->is_data_loc)
		return;
	if (is_char || strcmp(base, "unsigned char") == 0 || strcmp(base, "u8") == 0)
		f->elem_size = 1;
	else if (n && f->size % n == 0)
		f->elem_size = f->size / n;
	f->is_char_array = is_char && f->size > 0;
}

/* One line after "field:". A line that cannot be parsed is ignored. */
static void add_field(struct arena *a, struct tp_format *format, char *line)
{
	struct tp_field *f = &format->fields[format->n_fields];
	char *text = strsep(&line, ";"), *base;
	unsigned long long offset, size;
	struct declaration d;
	int is_signed = 0; /* may be missing */

	squeeze(text);
	if (!line || !split_declaration(text, &d) || strncmp(d.name, "common_", 7) == 0 ||
	    sscanf(line, " offset : %llu ; size : %llu ; signed : %d", &offset, &size, &is_signed) <
		    2 ||
	    offset > UINT32_MAX || size > UINT32_MAX)
		return;
	base = arena_strndup(a, d.base, (size_t)d.base_len);
	*f = (struct tp_field){
		.name = arena_strndup(a, d.name, (size_t)d.name_len),
		.type_text = *d.suffix ? arena_join(a, base, d.suffix, "") : base,
		.offset = (uint32_t)offset,
		.size = (uint32_t)size,
		.is_signed = is_signed,
		.is_data_loc = after(base, "__data_loc ") || after(base, "__rel_loc "),
	};
	set_array(f, base, d.suffix);
	format->n_fields++;
}

static uint32_t count_fields(const char *text)
{
	uint32_t n = 0;

	for (; (text = strstr(text, field_word)); text++)
		n++;
	return n;
}

static void read_lines(struct arena *a, struct tp_format *format, char *text)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		char *rest;

		line += strspn(line, " \t\r");
		if (after(line, "print fmt:"))
			return;
		if ((rest = after(line, id_word)) && strtoull(rest, NULL, 10) <= UINT32_MAX)
			format->id = (uint32_t)strtoull(rest, NULL, 10);
		else if ((rest = after(line, field_word)))
			add_field(a, format, rest);
	}
}

int tracefs_format_parse(struct arena *a, const char *category, const char *event, const char *text,
			 size_t len, const struct tp_format **out)
{
	char *copy = arena_strndup(a, text, len);
	uint32_t n = count_fields(copy);
	struct tp_format *format;

	if (n) {
		*out = format = arena_new_of(a, struct tp_format);
		format->category = arena_strdup(a, category);
		format->event = arena_strdup(a, event);
		format->fields = arena_alloc(a, n * sizeof(*format->fields));
		read_lines(a, format, copy);
	}
	return n ? 0 : -EINVAL;
}
