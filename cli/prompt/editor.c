/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See editor.h.
 */
#include "cli/prompt/editor.h"
#include "parser/base/find.h"
#include "cli/base/state_file.h"
#include "parser/base/arena.h"
#include <errno.h>
#include <histedit.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

enum { HISTORY_ENTRIES = 2000, MAX_LISTED = 200, LIST_WIDTH = 78 };

struct editor {
	struct editor_setup setup;
	EditLine *el; /* NULL: no terminal */
	History *history;
	char path[PATH_MAX]; /* of the history; "": none */
	const char *prompt, *before;
	bool cancelled;
};

/* ---- completion ---------------------------------------------------------------------------- */

void candidates_offer(struct candidates *c, const char *typed, const char *word)
{
	if (strncmp(word, typed, c->typed) == 0 && !FIND(c->words, c->n, !strcmp(*item, word)))
		arena_push(c->arena, c->words, c->n, arena_strdup(c->arena, word));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t common_length(const struct candidates *c)
{
	size_t n = strlen(c->words[0]);

	for (uint32_t i = 1; i < c->n; i++)
		while (n && strncmp(c->words[0], c->words[i], n) != 0)
			n--;
	return n;
}

/* Below the line, in columns. */
static void list_candidates(struct candidates *c)
{
	size_t width = 0;
	int columns;

	qsort(c->words, c->n, sizeof(*c->words), compare);
	for (uint32_t i = 0; i < c->n; i++)
		if (strlen(c->words[i]) > width)
			width = strlen(c->words[i]);
	columns = (int)(LIST_WIDTH / (width + 2));
	columns = columns ? columns : 1;
	for (uint32_t i = 0; i < c->n && i < MAX_LISTED; i++)
		printf("%s%-*s", i % (uint32_t)columns ? "  " : "\n", (int)width, c->words[i]);
	if (c->n > MAX_LISTED)
		printf("\n… and %u more", c->n - MAX_LISTED);
	putchar('\n');
	fflush(stdout);
}

static unsigned char insert(EditLine *el, const struct candidates *c, size_t n)
{
	bool is_whole = c->n == 1 && !strchr(":(", c->words[0][n - 1]);
	char *rest = strndup(c->words[0] + c->typed, n - c->typed);
	unsigned char result = CC_REFRESH;

	if (!rest || (*rest && el_insertstr(el, rest)))
		result = CC_ERROR;
	else if (is_whole && c->ends && *c->ends && el_insertstr(el, c->ends))
		result = CC_ERROR;
	free(rest);
	return result;
}

static unsigned char complete(EditLine *el, int key)
{
	struct candidates c = {.arena = arena_new()};
	const LineInfo *line = el_line(el);
	size_t cursor = (size_t)(line->cursor - line->buffer), n;
	char *text = arena_strndup(c.arena, line->buffer, cursor);
	unsigned char result = CC_ERROR;
	struct editor *e;

	if (el_get(el, EL_CLIENTDATA, &e) == 0 && e->setup.complete)
		e->setup.complete(e->setup.ctx, arena_join(c.arena, e->before, text, ""), &c);
	n = c.n ? common_length(&c) : 0;
	if (c.n == 1 || n > c.typed) {
		result = insert(el, &c, n);
	} else if (c.n > 1) {
		list_candidates(&c);
		result = CC_REDISPLAY;
	}
	arena_free(c.arena);
	return result;
}

/* Ctrl-C: the line is given up. */
static unsigned char cancel(EditLine *el, int key)
{
	struct editor *e;

	if (el_get(el, EL_CLIENTDATA, &e) == 0)
		e->cancelled = true;
	puts("^C");
	return CC_NEWLINE;
}

/* ---- the terminal -------------------------------------------------------------------------- */

static char *show_prompt(EditLine *el)
{
	struct editor *e;

	el_get(el, EL_CLIENTDATA, &e);
	return (char *)(uintptr_t)e->prompt;
}

/* The window has another size. libedit's own handler would resize its buffers within the handler,
 * whatever it interrupts. */
static volatile sig_atomic_t is_resized;

static void on_resize(int number)
{
	is_resized = 1;
}

static void resize_if_needed(EditLine *el)
{
	if (!is_resized)
		return;
	is_resized = 0;
	el_resize(el);
	fputs("\r\033[J", stdout); /* the terminal has wrapped the line by itself: draw it again */
	fflush(stdout);
	el_set(el, EL_REFRESH);
}

/* The next byte, from a call that the signal interrupts, which is blocked elsewhere. */
static ssize_t read_byte(EditLine *el, char *byte)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	sigset_t none;
	int n;

	sigemptyset(&none);
	do {
		resize_if_needed(el);
		n = ppoll(&in, 1, NULL, &none);
	} while (n < 0 && errno == EINTR);
	return n > 0 ? read(STDIN_FILENO, byte, 1) : -1;
}

/* The hook EL_GETCFN: the next character. 1, or 0 at the end of input. */
static int read_character(EditLine *el, wchar_t *out)
{
	mbstate_t state = {0};
	char byte;

	while (read_byte(el, &byte) == 1) {
		size_t n = mbrtowc(out, &byte, 1, &state);

		if (n == (size_t)-2)
			continue;
		if (n == (size_t)-1) { /* not of this locale */
			state = (mbstate_t){0};
			continue;
		}
		return 1;
	}
	return 0;
}

/* Around the reading of a line. */
static void watch_size(struct sigaction *before, sigset_t *mask)
{
	struct sigaction action = {.sa_handler = on_resize};
	sigset_t size;

	is_resized = 0;
	sigaction(SIGWINCH, &action, before);
	sigemptyset(&size);
	sigaddset(&size, SIGWINCH);
	sigprocmask(SIG_BLOCK, &size, mask);
}

static void leave_size(const struct sigaction *before, const sigset_t *mask)
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	sigaction(SIGWINCH, before, NULL);
}

/* Text beyond ASCII needs a locale. */
static void use_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
		setlocale(LC_CTYPE, "C.UTF-8");
}

static void load_history(struct editor *e)
{
	HistEvent event;

	e->history = history_init();
	if (!e->history)
		return;
	history(e->history, &event, H_SETSIZE, HISTORY_ENTRIES);
	history(e->history, &event, H_SETUNIQUE, 1);
	if (e->setup.history && state_path(e->setup.history, e->path, sizeof(e->path)))
		history(e->history, &event, H_LOAD, e->path);
	else
		e->path[0] = '\0';
	el_set(e->el, EL_HIST, history, e->history);
}

static int open_terminal(struct editor *e)
{
	use_locale();
	e->el = el_init("sonde", stdin, stdout, stderr);
	if (!e->el)
		return -1;
	el_set(e->el, EL_CLIENTDATA, e);
	el_set(e->el, EL_PROMPT, show_prompt);
	el_set(e->el, EL_GETCFN, read_character);
	el_set(e->el, EL_EDITOR, "emacs");
	el_set(e->el, EL_ADDFN, "sonde-complete", "complete the word", complete);
	el_set(e->el, EL_ADDFN, "sonde-cancel", "give up the line", cancel);
	el_set(e->el, EL_BIND, "^I", "sonde-complete", NULL);
	el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	load_history(e);
	el_source(e->el, NULL); /* ~/.editrc */
	el_set(e->el, EL_SETTY, "-d", "-isig", NULL);
	el_set(e->el, EL_BIND, "^C", "sonde-cancel", NULL);
	return 0;
}

struct editor *editor_open(const struct editor_setup *setup)
{
	struct editor *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->setup = *setup;
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && open_terminal(e)) {
		free(e);
		errno = ENOMEM;
		return NULL;
	}
	return e;
}

void editor_close(struct editor *e)
{
	if (!e)
		return;
	if (e->el)
		el_end(e->el);
	if (e->history)
		history_end(e->history);
	free(e);
}

/* ---- reading ------------------------------------------------------------------------------- */

static char *read_plain(void)
{
	char *line = NULL;
	size_t size = 0;

	if (getline(&line, &size, stdin) < 0) {
		free(line);
		return NULL;
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

char *editor_read(struct editor *e, const char *prompt, const char *before, bool *cancelled)
{
	struct sigaction action;
	const char *line;
	sigset_t mask;
	int n;

	*cancelled = false;
	if (!e->el)
		return read_plain();
	e->prompt = prompt;
	e->before = before;
	e->cancelled = false;
	fflush(stdout);
	watch_size(&action, &mask);
	el_resize(e->el); /* a run may have taken long */
	line = el_gets(e->el, &n);
	leave_size(&action, &mask);
	*cancelled = e->cancelled;
	if (e->cancelled)
		return strdup("");
	return line && n > 0 ? strndup(line, strcspn(line, "\n")) : NULL;
}

/* An entry is one line: the lines of a script are joined, unless a comment would swallow the
 * next. */
void editor_remember(struct editor *e, const char *text)
{
	HistEvent event;
	char *line;

	if (!e->history || !text[strspn(text, " \t\n")])
		return;
	if (strstr(text, "//") && strchr(text, '\n'))
		return;
	line = strdup(text);
	for (char *c = line; c && *c; c++)
		if (*c == '\n')
			*c = ' ';
	if (line && history(e->history, &event, H_ENTER, line) >= 0 && e->path[0]) {
		mode_t before = umask(0077);

		history(e->history, &event, H_SAVE, e->path);
		umask(before);
	}
	free(line);
}
