/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and measures conditions: see lesson_condition.h. The grammar is in docs/lessons.md.
 */
#include "cli/learn/lesson_condition.h"
#include "parser/base/find.h"
#include "parser/base/arena.h"
#include "parser/base/time_unit.h"
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------------------------- */

typedef int64_t measure_fn(const struct measure *m, const struct shown *s, const char *program);
#define SUBJECT(id, word, hook, ...) static measure_fn msr_##hook;
#include "cli/learn/lesson_subjects.def"

static const struct {
	const char *word, *help, *of;
	measure_fn *measure;
} subjects[] = {
#define SUBJECT(id, word, hook, help, of) {word, help, of, msr_##hook},
#include "cli/learn/lesson_subjects.def"
};
_Static_assert(sizeof(subjects) / sizeof(*subjects) == SUBJECT_COUNT, "one for each");

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t\n");
}

/* Skip the word if it is next. */
static bool take(const char **at, const char *word)
{
	size_t n = strlen(word);

	*at = skip_blanks(*at);
	if (strncmp(*at, word, n) != 0)
		return false;
	if ((*at)[n] && !strchr(" \t\n\"", (*at)[n]))
		return false;
	*at += n;
	return true;
}

static int64_t unit_of(const char *at, size_t n)
{
	static const char sizes[] = "KMG";
	const char *size = n == 1 ? strchr(sizes, *at) : NULL;

	return size ? INT64_C(1024) << 10 * (size - sizes) : (int64_t)time_unit_ns(at, n);
}

/* Read a number such as 40, 1.5s or 64K. */
static bool read_number(const char **at, int64_t *out)
{
	char *end;
	double n;
	size_t len;
	int64_t unit = 1;

	*at = skip_blanks(*at);
	n = strtod(*at, &end);
	if (end == *at)
		return false;
	if (end[-1] == '.') /* the dot is the first one of `..` */
		end--;
	len = strcspn(end, " \t\n.");
	if (len) {
		unit = unit_of(end, len);
		if (!unit)
			return false;
	}
	*out = (int64_t)(n * (double)unit);
	*at = end + len;
	return true;
}

/* Read a range: N, A..B, A.. or ..B. */
static bool read_range(const char **at, struct condition *c)
{
	bool has_low;

	*at = skip_blanks(*at);
	c->low = INT64_MIN;
	has_low = strncmp(*at, "..", 2) != 0;
	if (has_low && !read_number(at, &c->low))
		return false;
	c->high = c->low;
	if (strncmp(*at, "..", 2) != 0)
		return true;
	*at += 2;
	c->high = INT64_MAX;
	return !**at || read_number(at, &c->high);
}

static const char *read_keys(struct arena *a, const char **at, struct measure *m)
{
	while (*(*at = skip_blanks(*at)) == '"') {
		size_t n = strcspn(*at + 1, "\"");

		if ((*at)[1 + n] != '"')
			return "a text lacks its second quote";
		if (m->n_keys == MAX_KEYS)
			return "more than four texts";
		m->keys[m->n_keys++] = arena_strndup(a, *at + 1, n);
		*at += n + 2;
	}
	return m->n_keys ? NULL : "a text in quotes must follow 'of', 'with' or 'has'";
}

static const char *read_measure(struct arena *a, const char **at, struct measure *m)
{
	const char *error = NULL;
	__auto_type row = FIND_ROW(subjects, take(at, item->word));

	*m = (struct measure){0};
	if (!row)
		return "it must begin with rows, total, least, most, entries, lines, program or "
		       "status";
	m->subject = (enum subject)(row - subjects);
	if (take(at, "of") || take(at, "with") || take(at, "has"))
		error = read_keys(a, at, m);
	if (error)
		return error;
	m->has_at = take(at, "at");
	m->has_from = !m->has_at && take(at, "from");
	if ((m->has_at || m->has_from) && !read_number(at, &m->at))
		error = "a number must follow 'at' or 'from'";
	return error;
}

const char *condition_read(struct arena *a, const char *text, struct condition *out)
{
	const char *at = text, *error = read_measure(a, &at, &out->measure);

	out->text = text;
	out->low = out->high = 1;
	if (error)
		return error;
	if (out->measure.subject == SUBJECT_PROGRAM) {
		at = skip_blanks(at);
		if (!out->measure.n_keys)
			return "write program has \"TEXT\"";
		if (strcmp(at, "not") == 0)
			out->low = out->high = 0;
		else if (*at)
			return "behind the texts of 'program has', only 'not' may follow";
		return NULL;
	}
	if (!take(&at, "is") || !read_range(&at, out))
		return "'is' and a number or a range must follow, such as is 40, is 38..42, is 1s..";
	return *skip_blanks(at) ? "there is something behind the range" : NULL;
}

const char *measure_read(struct arena *a, const char *text, struct measure *out, int64_t *divisor)
{
	const char *at = text, *error = read_measure(a, &at, out);

	*divisor = 1;
	if (error)
		return error;
	if (take(&at, "in")) {
		at = skip_blanks(at);
		*divisor = unit_of(at, strcspn(at, " \t\n"));
		return *divisor ? NULL : "'in' must be followed by ns, us, ms, s, K, M or G";
	}
	return *skip_blanks(at) ? "there is something behind the measure" : NULL;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static bool has_all(const struct measure *m, const char *text)
{
	return !FIND(m->keys, m->n_keys, !strstr(text, *item));
}

static int64_t msr_rows(const struct measure *m, const struct shown *s, const char *program)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < s->n_rows; i++)
		n += has_all(m, s->rows[i].key);
	return n;
}

static int64_t msr_total(const struct measure *m, const struct shown *s, const char *program)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (has_all(m, s->rows[i].key))
			n += s->rows[i].value;
	return n;
}

/* The largest value of all rows, or, with `sign` -1, the smallest; 0 without rows. */
static int64_t extreme(const struct measure *m, const struct shown *s, int sign)
{
	const struct shown_row *best = NULL;

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (has_all(m, s->rows[i].key) &&
		    (!best || (s->rows[i].value > best->value) == (sign > 0)))
			best = &s->rows[i];
	return best ? best->value : 0;
}

static int64_t msr_least(const struct measure *m, const struct shown *s, const char *program)
{
	return extreme(m, s, -1);
}

static int64_t msr_most(const struct measure *m, const struct shown *s, const char *program)
{
	return extreme(m, s, 1);
}

static uint64_t entries_at(const struct shown_row *row, int64_t at, bool and_above)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < row->n_buckets; i++)
		if (at < row->buckets[i].high && (and_above || row->buckets[i].low <= at))
			n += row->buckets[i].count;
	return n;
}

static int64_t msr_entries(const struct measure *m, const struct shown *s, const char *program)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->n_rows; i++)
		if (has_all(m, s->rows[i].key))
			n += m->has_at || m->has_from ? entries_at(&s->rows[i], m->at, m->has_from)
						      : s->rows[i].entries;
	return (int64_t)n;
}

static int64_t msr_lines(const struct measure *m, const struct shown *s, const char *program)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < s->n_lines; i++)
		n += has_all(m, s->lines[i]);
	return n;
}

static int64_t msr_program(const struct measure *m, const struct shown *s, const char *program)
{
	return has_all(m, program);
}

static int64_t msr_status(const struct measure *m, const struct shown *s, const char *program)
{
	return s->status;
}

int64_t measure_value(const struct measure *m, const struct shown *shown, const char *text)
{
	return subjects[m->subject].measure(m, shown, text);
}

const char *measure_words(struct arena *a, const struct measure *m)
{
	const char *words = subjects[m->subject].help;

	for (uint32_t i = 0; i < m->n_keys; i++)
		words = arena_printf(a, "%s%s \"%s\"", words, i ? " and" : subjects[m->subject].of,
				     m->keys[i]);
	if (m->has_at || m->has_from)
		words = arena_printf(a, "%s, %s %lld,", words,
				     m->has_at ? "in the bucket of" : "in buckets from",
				     (long long)m->at);
	return words;
}

bool condition_holds(const struct condition *c, const struct shown *shown, const char *text)
{
	int64_t n = measure_value(&c->measure, shown, text);

	return c->low <= n && n <= c->high;
}
