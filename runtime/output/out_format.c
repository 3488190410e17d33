/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output formats: see out_format.h.
 */
#include "runtime/output/out_format.h"
#include <string.h>

static struct out *new_text(FILE *f, const struct plan *plan)
{
	(void)plan;
	return out_text_new(f);
}

static struct out *new_json(FILE *f, const struct plan *plan)
{
	(void)plan;
	return out_json_new(f);
}

const char *const out_format_names[] = {
#define OUT_FORMAT(id, name, ...) [OUT_##id] = name,
#include "runtime/output/formats.def"
#undef OUT_FORMAT
};

typedef struct out *out_new_fn(FILE *f, const struct plan *plan);
static out_new_fn *const makers[] = {
#define OUT_FORMAT(id, name, make) [OUT_##id] = make,
#include "runtime/output/formats.def"
#undef OUT_FORMAT
};
_Static_assert(sizeof(makers) / sizeof(*makers) == OUT_FORMAT_COUNT, "one for each format");

enum out_format out_format_find(const char *name)
{
	enum out_format i = 0;

	while (i < OUT_FORMAT_COUNT && strcmp(name, out_format_names[i]) != 0)
		i++;
	return i;
}

struct out *out_format_new(enum out_format format, FILE *f, const struct plan *plan)
{
	return makers[format](f, plan);
}
