/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output formats: see out_format.h.
 */
#include "runtime/output/out_format.h"
#include "runtime/output/out.h"
#include "runtime/output/out_stacks.h"
#include <string.h>

static struct out *new_text(FILE *f, const struct plan *plan, const char *word)
{
	(void)plan;
	(void)word;
	return out_text_new(f);
}

static struct out *new_json(FILE *f, const struct plan *plan, const char *word)
{
	(void)plan;
	(void)word;
	return out_json_new(f);
}

const struct out_format_row out_formats[] = {
#define OUT_FORMAT(id, name, make, ...) [OUT_##id] = {name, __VA_ARGS__},
#include "runtime/output/formats.def"
#undef OUT_FORMAT
};

typedef struct out *out_new_fn(FILE *f, const struct plan *plan, const char *word);
static out_new_fn *const makers[] = {
#define OUT_FORMAT(id, name, make, ...) [OUT_##id] = make,
#include "runtime/output/formats.def"
#undef OUT_FORMAT
};
_Static_assert(sizeof(makers) / sizeof(*makers) == OUT_FORMAT_COUNT, "one for each format");

enum out_format out_format_find(const char *name, const char **word)
{
	size_t n = strcspn(name, ":");
	enum out_format i = 0;

	*word = name[n] ? name + n + 1 : NULL;
	while (i < OUT_FORMAT_COUNT &&
	       (strlen(out_formats[i].name) != n || strncmp(name, out_formats[i].name, n) != 0 ||
		(*word && (!out_formats[i].word || !**word))))
		i++;
	return i;
}

const char *out_format_lacks(enum out_format format, const struct plan *plan)
{
	switch (out_formats[format].needs) {
	case OUT_NEEDS_STACKS:
		return out_stacks_are_in(plan) ? NULL : "a map with a stack in its key, or span()";
	case OUT_NEEDS_SPANS: return out_spans_are_in(plan) ? NULL : "span()";
	case OUT_NEEDS_NOTHING: break;
	}
	return NULL;
}

struct out *out_format_new(enum out_format format, FILE *f, const struct plan *plan,
			   const char *word)
{
	return makers[format](f, plan, word);
}
