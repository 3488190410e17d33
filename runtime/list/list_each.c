/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of -l one by one, and the names of fields, for completion at the prompt.
 */
#include "runtime/list/list_impl.h"
#include <ctype.h>
#include <stdlib.h>

void list_each(struct kernel *k, const char *pattern, void (*fn)(void *ctx, const char *line),
	       void *ctx)
{
	struct listing *l = list_open(k);

	l->is_quiet = true;
	list_take_all(l, pattern);
	for (uint32_t i = 0; i < l->n_lines; i++)
		fn(ctx, l->lines[i].text);
	list_close(l);
}

/* The name in a declaration such as "    const char * filename" or "    char comm[16]". */
static void take_name(const char *line, size_t len, void (*fn)(void *ctx, const char *, size_t),
		      void *ctx)
{
	const char *end = line + len, *at;

	if (len && end[-1] == ']')
		while (end > line && *--end != '[')
			;
	for (at = end; at > line && (isalnum((unsigned char)at[-1]) || at[-1] == '_'); at--)
		;
	if (at < end)
		fn(ctx, at, (size_t)(end - at));
}

void list_each_field(struct kernel *k, const char *pattern,
		     void (*fn)(void *ctx, const char *name, size_t len), void *ctx)
{
	struct listing *l = list_open(k);
	char *text = NULL;
	size_t size, len;
	FILE *out = open_memstream(&text, &size);

	l->is_quiet = true;
	list_take_all(l, pattern);
	if (out && l->n_lines && l->lines[0].point)
		list_fields(l, &l->lines[0], out);
	if (out && fclose(out) == 0)
		for (const char *at = text; *at; at += len + (at[len] == '\n')) {
			len = strcspn(at, "\n");
			take_name(at, len, fn, ctx);
		}
	free(text);
	list_close(l);
}
