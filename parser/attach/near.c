/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Similar names: see near.h.
 */
#include "parser/attach/near.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/pattern.h"
#include <limits.h>
#include <string.h>

enum { NAME_MOST = 256, WORD_LEAST = 3 };

/* Split a text at each ':'. False: too many parts. */
static bool cut(char *text, const char **parts, uint32_t *n)
{
	for (*n = 0; text && *n < NEAR_PARTS; (*n)++) {
		char *colon = strchr(text, ':');

		parts[*n] = text;
		if (colon)
			*colon++ = '\0';
		text = colon;
	}
	return !text;
}

void near_init(struct near_names *near, struct arena *a, const char *requested)
{
	*near = (struct near_names){.arena = a};
	if (strlen(requested) >= NAME_MOST ||
	    !cut(arena_strdup(a, requested), near->requested, &near->n_requested))
		near->n_requested = 0;
	for (uint32_t i = 0; i < near->n_requested; i++)
		near->letters[i] = pattern_letters(a, near->requested[i]);
}

/* Number of edits that turn a part into a name; UINT_MAX: too many. */
static unsigned part_edits(const struct near_names *near, uint32_t i, const char *name)
{
	struct nearest n;

	if (pattern_matches(near->requested[i], name))
		return 0;
	nearest_init(&n, near->letters[i]);
	return nearest_offer(&n, name) ? n.best_distance : UINT_MAX;
}

static unsigned edits_at(const struct near_names *near, const char *const *parts, uint32_t at)
{
	unsigned sum = 0;

	for (uint32_t i = 0; i < near->n_requested; i++) {
		unsigned edits = part_edits(near, i, parts[at + i]);

		if (edits == UINT_MAX)
			return edits;
		sum += edits;
	}
	return sum;
}

/* Keep the parts that match; what follows the compared ones becomes "*". */
static const char *put_together(const struct near_names *near, const char *before,
				const char *const *parts, uint32_t n, uint32_t at)
{
	const char *line = before;

	for (uint32_t i = 0; i < n && i <= at + near->n_requested; i++) {
		const char *part = parts[i];

		if (i == at + near->n_requested)
			part = "*";
		else if (i >= at && pattern_matches(near->requested[i - at], part))
			part = near->requested[i - at];
		line = arena_printf(near->arena, "%s%s%s", line, i ? ":" : "", part);
	}
	return line;
}

/* Keep the nearest names in the order in which they were offered. */
static void keep(struct near_names *near, const char *line, unsigned edits)
{
	if (near->n && edits < near->edits) {
		near->n = 0;
		near->is_full = false;
	}
	near->edits = edits;
	for (uint32_t i = 0; i < near->n; i++)
		if (strcmp(near->best[i], line) == 0)
			return;
	near->is_full |= near->n == NEAR_SHOWN;
	if (near->n < NEAR_SHOWN)
		near->best[near->n++] = line;
}

void near_offer(struct near_names *near, const char *before, const char *name)
{
	char text[NAME_MOST];
	const char *parts[NEAR_PARTS];
	uint32_t n;

	near->has_names = true;
	if (!near->n_requested || strlen(name) >= sizeof(text))
		return;
	snprintf(text, sizeof(text), "%s", name);
	if (!cut(text, parts, &n))
		return;
	for (uint32_t at = 0; at + near->n_requested <= n; at++) {
		unsigned edits = edits_at(near, parts, at);

		if (edits != UINT_MAX && (!near->n || edits <= near->edits))
			keep(near, put_together(near, before, parts, n, at), edits);
	}
}

/* "A, B or C"; NULL if no name is similar. */
static const char *names_text(const struct near_names *near)
{
	const char *text = NULL;

	for (uint32_t i = 0; i < near->n; i++) {
		bool is_last = i + 1 == near->n && !near->is_full;

		text = i ? arena_printf(near->arena, "%s%s%s", text, is_last ? " or " : ", ",
					near->best[i])
			 : near->best[i];
	}
	return near->is_full ? arena_printf(near->arena, "%s, …", text) : text;
}

int near_hint(struct diags *d, const struct near_names *near)
{
	return near->n ? diag_hint(d, "did you mean %s?", names_text(near)) : 0;
}

/* ---- words of patterns --------------------------------------------------------------------- */

static const char separators[] = "_-:"; /* between the words of names */

static bool is_separator(char c)
{
	return strchr(separators, c) != NULL;
}

bool near_words_init(struct near_words *w, struct arena *a, const char *pattern)
{
	size_t before = strspn(pattern, "*"), n = strcspn(pattern + before, "*");
	const char *letters = arena_strndup(a, pattern + before, n), *after = pattern + before + n;

	*w = (struct near_words){.arena = a, .after = after, .n_words = 1};
	if (n < WORD_LEAST || strlen(after) != strspn(after, "*") || (!before && !*after) ||
	    strpbrk(letters, "?{}[]:!"))
		return false;
	w->before = arena_strndup(a, pattern, before);
	for (const char *c = letters; *c; c++)
		w->n_words += is_separator(*c);
	nearest_init(&w->nearest, letters);
	return true;
}

/* The end of as many words from there as the letters have; NULL: there are fewer. */
static const char *end_of_words(const struct near_words *w, const char *from)
{
	const char *end = from;

	for (uint32_t i = 0; i < w->n_words; i++) {
		if (i && !*end++)
			return NULL;
		end += strcspn(end, separators);
	}
	return end;
}

void near_words_offer(struct near_words *w, const char *name)
{
	for (const char *from = name; *from;) {
		const char *end = end_of_words(w, from);

		if (end)
			nearest_offer(&w->nearest,
				      arena_strndup(w->arena, from, (size_t)(end - from)));
		from += strcspn(from, separators);
		from += *from != '\0';
	}
}

const char *near_words_pattern(const struct near_words *w)
{
	const char *best = w->nearest.best;

	return best ? arena_printf(w->arena, "%s%s%s", w->before, best, w->after) : NULL;
}
