/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a lesson: sections that begin with a word and a colon at the beginning of a line; the lines
 * below that begin with a blank belong to them. A translation is a file of the same form and name,
 * in a folder beside the lessons that is named as the language. It has only texts, in the order of
 * the lesson, each 'say' for the next mistake.
 */
#include "cli/learn/lesson_file.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <stdlib.h>

enum { MAX_FILE_BYTES = 256 * 1024 };

struct reader {
	struct arena *a;
	struct lesson *lesson;
	uint32_t line; /* line of the section */
	bool is_translation;
};

enum how_often { ONCE, AT_MOST_ONCE, AT_LEAST_ONCE, ANY };

static int report(const struct reader *r, const char *what)
{
	return log_error("%s:%u: %s", r->lesson->path, r->line, what);
}

/* ---- the words of lesson_words.def --------------------------------------------------------- */

#define TEXT_WORD(word)                                            \
	static int take_##word(struct reader *r, const char *text) \
	{                                                          \
		r->lesson->word = text;                            \
		return 0;                                          \
	}
TEXT_WORD(title)
TEXT_WORD(goal)
TEXT_WORD(text)
TEXT_WORD(workload)
TEXT_WORD(options)
TEXT_WORD(needs)

static int take_found(struct reader *r, const char *text)
{
	const struct shown none = {0};
	const char *error = NULL;

	r->lesson->found = text;
	return lesson_fill(r->a, text, &none, "", &error) ? 0 : report(r, error);
}

static int take_hint(struct reader *r, const char *text)
{
	arena_push(r->a, r->lesson->hints, r->lesson->n_hints, text);
	return 0;
}

static int take_solution(struct reader *r, const char *text)
{
	arena_push(r->a, r->lesson->solutions, r->lesson->n_solutions, text);
	return 0;
}

static int take_expect(struct reader *r, const char *text)
{
	struct condition c;
	const char *error = condition_read(r->a, text, &c);

	if (error)
		return report(r, error);
	arena_push(r->a, r->lesson->expects, r->lesson->n_expects, c);
	return 0;
}

static int take_mistake(struct reader *r, const char *text)
{
	struct mistake m = {.line = r->line};
	const char *error = condition_read(r->a, text, &m.when);

	if (error)
		return report(r, error);
	arena_push(r->a, r->lesson->mistakes, r->lesson->n_mistakes, m);
	return 0;
}

static struct mistake *last_mistake(const struct reader *r)
{
	return r->lesson->n_mistakes ? &r->lesson->mistakes[r->lesson->n_mistakes - 1] : NULL;
}

static int take_say(struct reader *r, const char *text)
{
	const struct shown none = {0};
	const char *error = NULL;
	struct mistake *m;

	if (r->is_translation)
		arena_push(r->a, r->lesson->mistakes, r->lesson->n_mistakes,
			   (struct mistake){.line = r->line});
	m = last_mistake(r);
	if (!m || m->say)
		return report(r, "'say' must follow a mistake, once");
	m->say = text;
	return lesson_fill(r->a, text, &none, "", &error) ? 0 : report(r, error);
}

static int take_try(struct reader *r, const char *text)
{
	struct mistake *m = last_mistake(r);

	if (!m)
		return report(r, "'try' must follow a mistake");
	arena_push(r->a, m->tries, m->n_tries, text);
	return 0;
}

static const struct {
	const char *word;
	enum how_often how_often;
	bool is_text;
	int (*take)(struct reader *r, const char *text);
} words[] = {
#define LESSON_WORD(word, how_often, is_text, hook, help) {word, how_often, is_text, take_##hook},
#include "cli/learn/lesson_words.def"
};
enum { N_WORDS = sizeof(words) / sizeof(*words) };

/* ---- sections ------------------------------------------------------------------------------ */

/* The text of a section: its first line is what follows the colon; the blanks with which all others
 * begin are removed. */
static const char *section_text(struct arena *a, const char *first, char **lines, uint32_t n)
{
	char *text = arena_strdup(a, first + strspn(first, " \t"));
	size_t indent = SIZE_MAX;

	while (n && !lines[n - 1][strspn(lines[n - 1], " \t")])
		n--;
	for (uint32_t i = 0; i < n; i++) {
		size_t blanks = strspn(lines[i], " \t");

		if (lines[i][blanks] && blanks < indent)
			indent = blanks;
	}
	for (uint32_t i = 0; i < n; i++) {
		const char *line = strlen(lines[i]) >= indent ? lines[i] + indent : "";

		text = i || *text ? arena_join(a, text, "\n", line) : arena_strdup(a, line);
	}
	return text;
}

static int take_section(struct reader *r, uint32_t counts[N_WORDS], const char *head, char **lines,
			uint32_t n)
{
	size_t len = strcspn(head, ":");
	__auto_type w = TEXT_ROW(words, word, head, len);
	const char *text;

	if (!w || head[len] != ':')
		return report(r,
			      arena_printf(r->a,
					   "unknown word '%.*s': lines of a section begin with a "
					   "blank, and comments with #",
					   (int)(len < 40 ? len : 40), head));
	if (r->is_translation && !w->is_text)
		return report(r, arena_printf(r->a, "'%s' is not translated", w->word));
	if (counts[w - words]++ && (w->how_often == ONCE || w->how_often == AT_MOST_ONCE))
		return report(r, arena_printf(r->a, "there is a second '%s'", w->word));
	text = section_text(r->a, head + len + 1, lines, n);
	if (!*text)
		return report(r, arena_printf(r->a, "'%s' is empty", w->word));
	return w->take(r, text);
}

static int check_whole(const struct reader *r, const uint32_t counts[N_WORDS])
{
	const struct lesson *l = r->lesson;
	const struct mistake *silent;

	for (int i = 0; i < N_WORDS; i++) {
		enum how_often often = words[i].how_often;

		if (counts[i] || (often != ONCE && often != AT_LEAST_ONCE) ||
		    (r->is_translation && !words[i].is_text))
			continue;
		return log_error("%s: the lesson has no '%s'", l->path, words[i].word);
	}
	silent = FIND(l->mistakes, l->n_mistakes, !item->say);
	if (silent)
		log_error("%s:%u: the mistake has no 'say'", l->path, silent->line);
	return silent ? -1 : 0;
}

static int read_sections(struct reader *r, char *text)
{
	uint32_t counts[N_WORDS] = {0}, number = 0, n = 0;
	char *head = NULL, **lines = NULL, *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		if (*line == '#')
			continue;
		if (!*line || *line == ' ' || *line == '\t') {
			if (head)
				arena_push(r->a, lines, n, line);
			continue;
		}
		if (head && take_section(r, counts, head, lines, n))
			return -1;
		head = line;
		r->line = number;
		lines = NULL;
		n = 0;
	}
	return head && take_section(r, counts, head, lines, n) ? -1 : check_whole(r, counts);
}

static int read_file(struct arena *a, const char *path, bool is_translation, struct lesson *out)
{
	struct reader r = {.a = a, .lesson = out, .is_translation = is_translation};
	char *text = arena_alloc(a, MAX_FILE_BYTES + 1);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(text, 1, MAX_FILE_BYTES + 1, f) : 0;
	int err = f && !ferror(f) ? 0 : errno;

	*out = (struct lesson){.path = path, .name = lesson_name(a, path)};
	if (f)
		fclose(f);
	if (err)
		log_error("cannot read the lesson '%s': %s", path, strerror(err));
	else if (n > MAX_FILE_BYTES || memchr(text, '\0', n))
		log_error("'%s' is not a lesson: it is too long or not text", path);
	else
		return read_sections(&r, text);
	return -1;
}

/* Put the texts of the translation into the lesson. */
static int translate(struct lesson *l, const struct lesson *to)
{
	if (to->n_hints != l->n_hints || to->n_mistakes != l->n_mistakes || !to->text != !l->text)
		return log_error("%s: the lesson has %u hints, %u mistakes and %s, its translation "
				 "%u, %u and %s",
				 to->path, l->n_hints, l->n_mistakes,
				 l->text ? "a text" : "no text", to->n_hints, to->n_mistakes,
				 to->text ? "a text" : "no text");
	l->title = to->title;
	l->goal = to->goal;
	l->text = to->text;
	l->found = to->found;
	l->hints = to->hints;
	for (uint32_t i = 0; i < l->n_mistakes; i++)
		l->mistakes[i].say = to->mistakes[i].say;
	return 0;
}

int lesson_read(struct arena *a, const char *path, struct lesson *out)
{
	const char *translated = lesson_translation(a, path);
	struct lesson to;

	if (read_file(a, path, false, out))
		return -1;
	return translated && (read_file(a, translated, true, &to) || translate(out, &to)) ? -1 : 0;
}

/* ---- texts --------------------------------------------------------------------------------- */

static const char *fill_one(struct arena *a, const char *measure, const struct shown *shown,
			    const char *program, const char **error)
{
	struct measure m;
	int64_t divisor, n;

	*error = measure_read(a, measure, &m, &divisor);
	if (*error)
		return NULL;
	n = measure_value(&m, shown, program);
	return arena_printf(a, "%lld", (long long)((n + divisor / 2) / divisor));
}

const char *lesson_fill(struct arena *a, const char *text, const struct shown *shown,
			const char *program, const char **error)
{
	const char *out = "", *open;

	while ((open = strstr(text, "$("))) {
		size_t n = strcspn(open, ")");
		const char *value;

		if (!open[n]) {
			*error = "a '$(' lacks its ')'";
			return NULL;
		}
		value = fill_one(a, arena_strndup(a, open + 2, n - 2), shown, program, error);
		if (!value)
			return NULL;
		out = arena_join(a, out, arena_strndup(a, text, (size_t)(open - text)), value);
		text = open + n + 1;
	}
	return arena_join(a, out, text, "");
}
