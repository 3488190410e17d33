/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions are better left out of the next run: those whose calls are short, so that a probe
 * costs more than they take, and so many that they are most of what is measured.
 */
#include "runtime/recording/sql.h"
#include "parser/base/escape.h"
#include "runtime/output/format_spans.h"
#include "runtime/base/log.h"
#include "runtime/base/shell_word.h"
#include <stdlib.h>
#include <string.h>

/* Of names that have at least 1 % of all calls: those of which half of the calls or more took at
 * most 10 us. An average would be that of a few calls during which another thread ran. */
static const char suggested[] =
	"WITH calls AS (SELECT count(*) AS n FROM spans WHERE is_call) "
	"SELECT name, count(*), sum(duration - tracer), calls.n, kind FROM spans, calls WHERE is_call "
	"GROUP BY name, kind "
	"HAVING 2 * sum(duration <= 10000) >= count(*) AND count(*) * 100 >= calls.n "
	"ORDER BY count(*) DESC, name LIMIT 20";

static void put_line(sqlite3_stmt *s, FILE *out)
{
	int64_t n = sqlite3_column_int64(s, 1), all = sqlite3_column_int64(s, 3);
	const char *name = recording_text(s, 0);

	fprintf(out, "%10lld  %5.1f %%  %8.3f us  ", (long long)n, (double)n * 100 / (double)all,
		(double)sqlite3_column_int64(s, 2) / (double)n / 1000);
	escape_write(ESCAPE_NAME, name ? name : "", out);
	putc('\n', out);
}

/* A comma would begin another name of the list. */
static void put_option(const char *name, size_t len, FILE *out)
{
	char *pattern = strndup(name, len);

	fputs(" --no-function ", out);
	for (char *c = pattern; c && *c; c++)
		*c = *c == ',' ? '?' : *c;
	shell_word_put(out, pattern ?: "");
	free(pattern);
}

static void put_options(sqlite3_stmt *s, FILE *out)
{
	const char *name = recording_text(s, 0), *kind = recording_text(s, 4);
	size_t len = name ? strlen(name) : 0;

	if (!len || escape_clean(ESCAPE_NAME, name, len) != len)
		return;
	/* NAME@LIBRARY */
	if (kind && strcmp(kind, recording_spans[VIEW_SPAN_LIBRARY]) == 0)
		len = strcspn(name, "@");
	put_option(name, len, out);
}

int recording_suggest(struct recording *r, FILE *out)
{
	sqlite3_stmt *s = recording_prepare(r, suggested);
	int64_t n = 0, calls = 0, all = 0;
	int got = s ? 1 : -1;

	while (got > 0 && (got = recording_step(r, s)) > 0) {
		if (!n++)
			fputs("     CALLS    SHARE      AVERAGE  FUNCTION\n", out);
		calls += sqlite3_column_int64(s, 1);
		all = sqlite3_column_int64(s, 3);
		put_line(s, out);
	}
	if (!got && !n)
		fputs("no function is short and called often: there is nothing to leave out\n",
		      out);
	if (!got && n) {
		fprintf(out, "\n%.1f %% of the calls are not measured with\n ",
			(double)calls * 100 / (double)all);
		sqlite3_reset(s);
		while ((got = recording_step(r, s)) > 0)
			put_options(s, out);
		putc('\n', out);
	}
	sqlite3_finalize(s);
	return got < 0 ? -1 : 0;
}
