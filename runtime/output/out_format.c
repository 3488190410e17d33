/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output formats: see out_format.h.
 */
#include "runtime/output/out_format.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/output/out.h"
#include "runtime/view/call_tree.h"
#include <string.h>

const struct out_format_row out_formats[] = {
#define OUT_FORMAT(id, name, make, ...) [OUT_##id] = {name, __VA_ARGS__},
#include "runtime/output/formats.def"
};

typedef struct out *out_new_fn(FILE *f, const struct plan *plan, const char *word);
static out_new_fn *const makers[] = {
#define OUT_FORMAT(id, name, make, ...) [OUT_##id] = make,
#include "runtime/output/formats.def"
};
_Static_assert(sizeof(makers) / sizeof(*makers) == OUT_FORMAT_COUNT, "one for each format");

enum out_format out_format_find(const char *name, const char **word)
{
	size_t n = strcspn(name, ":");
	const struct out_format_row *row = TEXT_ROW(out_formats, name, name, n);

	*word = name[n] ? name + n + 1 : NULL;
	if (!row || (*word && (!row->word || !**word)))
		return OUT_FORMAT_COUNT;
	return (enum out_format)(row - out_formats);
}

static bool has_ending(const char *path, const char *endings)
{
	size_t n = strlen(path), len;

	for (; endings && *endings; endings += len + strspn(endings + len, " ")) {
		len = strcspn(endings, " ");
		if (n > len && strncmp(path + n - len, endings, len) == 0)
			return true;
	}
	return false;
}

enum out_format out_format_of_file(const char *path)
{
	const struct out_format_row *row =
		FIND(out_formats, OUT_FORMAT_COUNT, has_ending(path, item->ending));

	return row ? (enum out_format)(row - out_formats) : OUT_FORMAT_COUNT;
}

/* Maps with a stack in their keys. */
static uint32_t count_stack_maps(const struct plan *plan)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_maps; i++) {
		bool has_stack = false;

		for (uint32_t k = 0; k < plan->maps[i].n_keys; k++)
			has_stack |= stack_key_has_stack(plan->maps[i].keys[k].type);
		n += has_stack;
	}
	return n;
}

static bool has_histogram(const struct plan *plan)
{
	return FIND(plan->maps, plan->n_maps,
		    item->value && agg_has_buckets(item->value) && !agg_is_series(item->value));
}

bool out_format_has_spans(const struct plan *plan)
{
	return FIND(plan->events, plan->n_events, item->kind == PE_SPAN);
}

uint32_t out_format_n_trees(const struct plan *plan)
{
	return count_stack_maps(plan) + out_format_has_spans(plan);
}

const char *out_format_lacks(enum out_format format, const struct plan *plan)
{
	switch (out_formats[format].needs) {
	case OUT_NEEDS_STACKS:
		return out_format_n_trees(plan) ? NULL : "a map with a stack in its key, or span()";
	case OUT_NEEDS_SPANS: return out_format_has_spans(plan) ? NULL : "span()";
	case OUT_NEEDS_HISTOGRAM:
		return has_histogram(plan) ? NULL : "a histogram: hist(), lhist() or quantiles()";
	case OUT_NEEDS_NOTHING: break;
	}
	return NULL;
}

struct out *out_format_new(enum out_format format, FILE *f, const struct plan *plan,
			   const char *word)
{
	return makers[format](f, plan, word);
}
