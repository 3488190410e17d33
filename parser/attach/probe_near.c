/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Alternatives to a kernel function on kernels that cannot probe functions: tracepoints whose names
 * share words with the function's name.
 */
#include "parser/base/text.h"
#include "parser/attach/probe_parse.h"

enum { NEAR_MAX = 4, WORD_LEAST = 3, WORD_MOST = 32 };

struct near_event {
	const char *name;
	int score;
};

struct near_events {
	struct arena *arena;
	const char *function;
	struct near_event best[NEAR_MAX];
	uint32_t n;
};

static const char separators[] = "_:.+*";

/* Words that occur in many names carry no information. */
static bool is_common(const char *word, size_t len)
{
	static const char *const common[] = {"sys", "enter",	"exit", "x64",
					     "do",  "syscalls", "raw",	"new"};

	return TEXT_IS_IN(common, word, len) || len < WORD_LEAST;
}

/* True if the word is in `text`, or begins with the last word of a pattern. Digits at its end are
 * ignored: openat2 is similar to openat. */
static bool has_word(const char *text, const char *word, size_t len)
{
	while (len > WORD_LEAST && word[len - 1] >= '0' && word[len - 1] <= '9')
		len--;
	while (*text) {
		size_t n = strcspn(text, separators);

		if (n >= len && strncmp(text, word, len) == 0 && n - len <= 1)
			return true;
		if (text[n] == '*' && n >= WORD_LEAST && n < len && strncmp(text, word, n) == 0)
			return true;
		text += n + (text[n] != '\0');
	}
	return false;
}

/* Letters of shared words add to the score, those of other words reduce it. 0: no word is shared.
 */
static int score_of(const char *event, const char *function)
{
	int shared = 0, other = 0;

	for (const char *word = event; *word;) {
		size_t n = strcspn(word, separators);

		if (!is_common(word, n) && n < WORD_MOST) {
			if (has_word(function, word, n))
				shared += (int)n;
			else
				other += (int)n;
		}
		word += n + (word[n] != '\0');
	}
	return shared ? 4 * shared - other + 100 : 0;
}

/* With equal scores, sys_enter comes before sys_exit. */
static bool is_better(int score, const char *name, const struct near_event *than)
{
	return score > than->score || (score == than->score && strcmp(name, than->name) < 0);
}

static void offer_event(const char *name, void *ctx)
{
	struct near_events *e = ctx;
	int score = score_of(name, e->function);
	uint32_t at = e->n;

	while (at > 0 && is_better(score, name, &e->best[at - 1]))
		at--;
	if (!score || at == NEAR_MAX)
		return;
	if (e->n < NEAR_MAX)
		e->n++;
	memmove(&e->best[at + 1], &e->best[at], (e->n - 1 - at) * sizeof(*e->best));
	e->best[at] = (struct near_event){arena_strdup(e->arena, name), score};
}

int probe_hint_tracepoints(const struct probe_reader *r, const char *function)
{
	const char *near = probe_near_tracepoints(r, function);

	if (near)
		return diag_hint(r->diags, "similar tracepoints: %s", near);
	return diag_hint(r->diags, "`sonde -l 'tracepoint:*'` lists the kernel's tracepoints");
}

const char *probe_near_tracepoints(const struct probe_reader *r, const char *function)
{
	struct near_events e = {.arena = r->arena, .function = function};
	const char *list = "";

	r->kernel->each_tracepoint(r->kernel, NULL, offer_event, &e);
	for (uint32_t i = 0; i < e.n; i++)
		list = arena_list(r->arena, list, "tracepoint:%s", e.best[i].name);
	return e.n ? list : NULL;
}
