/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See explain_stage.h.
 */
#include "cli/options/explain_stage.h"
#include "parser/base/text.h"
#include "cli/options/option_error.h"
#include "cli/options/options.h"

const struct explain_row explain_rows[] = {
#define STAGE(id, word, hook, is_beside, is_open, what, how) {word, what, how, is_beside, is_open},
#include "cli/options/explain_stages.def"
#undef STAGE
};
_Static_assert(sizeof(explain_rows) / sizeof(*explain_rows) == EXPLAIN_STAGE_COUNT,
	       "a row for each stage");

static int unknown_stage(const char *word, int len)
{
	char names[160] = "";
	size_t n = 0;

	for (int i = 0; i < EXPLAIN_STAGE_COUNT && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      explain_rows[i].word);
	return option_error("--stage: unknown stage '%.*s': expected %s", len, word, names);
}

static int find_stage(const char *word, size_t len)
{
	__auto_type row = TEXT_ROW(explain_rows, word, word, len);

	return row ? (int)(row - explain_rows) : -1;
}

int explain_stages_take(struct options *o, const char *words)
{
	for (const char *word = words;; word++) {
		size_t len = strcspn(word, ",");
		int stage = find_stage(word, len);

		if (stage < 0)
			return unknown_stage(word, (int)len);
		o->compile.stages |= 1u << stage;
		word += len;
		if (!*word)
			return 0;
	}
}
