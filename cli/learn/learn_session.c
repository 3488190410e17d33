/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lesson on the terminal: shows it, reads answers, runs and judges them.
 */
#include "cli/base/printing.h"
#include "cli/prompt/editor.h"
#include "cli/prompt/prompt.h"
#include "cli/run/walk.h"
#include "cli/learn/learn.h"
#include "cli/learn/lesson_run.h"
#include "cli/prompt/typed.h"
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct session_of_lesson {
	struct arena *a;
	const struct lesson *lesson;
	const char *program; /* the last answer, or NULL */
	uint32_t n_hints;    /* hints shown so far */
	bool done, go_on;
};

static void cmd_hint(struct session_of_lesson *s, const char *rest)
{
	const struct lesson *l = s->lesson;

	(void)rest;
	if (s->n_hints < l->n_hints)
		lesson_print("", l->hints[s->n_hints++]);
	else
		puts("There are no more hints; 'solution' shows a program.");
}

static void cmd_goal(struct session_of_lesson *s, const char *rest)
{
	(void)rest;
	lesson_print("Goal:", s->lesson->goal);
}

static void cmd_text(struct session_of_lesson *s, const char *rest)
{
	const struct lesson *l = s->lesson;

	(void)rest;
	printf("%s (lesson %s)\n\n", l->title, l->name);
	if (l->text)
		lesson_print("", l->text);
	putchar('\n');
	cmd_goal(s, "");
}

static void cmd_solution(struct session_of_lesson *s, const char *rest)
{
	(void)rest;
	printf("%s\n", s->lesson->solutions[0]);
}

static void cmd_next(struct session_of_lesson *s, const char *rest)
{
	(void)rest;
	s->done = s->go_on = true;
}

static void cmd_quit(struct session_of_lesson *s, const char *rest)
{
	(void)rest;
	s->done = true;
}

/* ---- words that sonde itself answers --------------------------------------------------------- */

enum { MOST_WORDS = 8 };

/* Run sonde with these words, in a process of its own; Ctrl-C ends that. */
static void run_sonde(const char *const *words)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	pid_t pid;

	fflush(NULL);
	sigaction(SIGINT, &ignore, &before);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &before, NULL);
		execv("/proc/self/exe", (char **)(uintptr_t)words);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &before, NULL);
}

/* Probes of programs, whose names all begin with u, are those of the workload if no path is
 * given. */
static void cmd_list(struct session_of_lesson *s, const char *rest)
{
	bool fields = strncmp(rest, "-v", 2) == 0 && strchr(" \t", rest[2]);
	const char *pattern = fields ? rest + 2 + strspn(rest + 2, " \t") : rest,
		   *words[MOST_WORDS];
	int n = 0;

	if (!*pattern) {
		log_error("list requires a pattern, such as 'list tracepoint:sched:*' or 'list "
			  "uprobe:*'");
		return;
	}
	words[n++] = "sonde";
	if (*pattern == 'u') {
		words[n++] = "-c";
		words[n++] = lesson_workload(s->a, s->lesson);
	}
	words[n++] = fields ? "-lv" : "-l";
	words[n++] = pattern;
	words[n] = NULL;
	run_sonde(words);
}

static void cmd_explain(struct session_of_lesson *s, const char *rest)
{
	const char *all[] = {"sonde", "explain",  "-c",	     lesson_workload(s->a, s->lesson),
			     "-e",    s->program, "--stage", NULL,
			     NULL};
	char *stages = arena_strdup(s->a, rest);

	if (!s->program) {
		log_error("there is no answer to explain: type one first");
		return;
	}
	for (char *c = stages; *c; c++) /* one blank between two stages */
		*c = *c == ' ' || *c == '\t' ? ',' : *c;
	all[*rest ? 7 : 6] = *rest ? stages : NULL;
	run_sonde(all);
}

static void cmd_help(struct session_of_lesson *s, const char *rest);

static const struct {
	const char *word;
	const char *form;
	enum prompt_follows follows;
	void (*run)(struct session_of_lesson *s, const char *rest);
	const char *help;
} commands[] = {
#define LEARN_COMMAND(word, form, follows, hook, help) \
	{word, form, PROMPT_##follows, cmd_##hook, help},
#include "cli/learn/learn_commands.def"
#undef LEARN_COMMAND
};
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

static void cmd_help(struct session_of_lesson *s, const char *rest)
{
	const char *words[] = {"sonde", "help", rest, NULL};

	(void)s;
	if (*rest) {
		run_sonde(words);
		return;
	}
	puts("Type a program, as behind 'sonde -e'; it runs beside the workload. Or one of these:");
	for (int i = 0; i < N_COMMANDS; i++)
		printf("  %-8s %-13s %s\n", commands[i].word, commands[i].form, commands[i].help);
}

static int find_command(const char *line)
{
	size_t n;

	line += strspn(line, " \t");
	n = strcspn(line, " \t");
	for (int i = 0; i < N_COMMANDS; i++)
		if (strlen(commands[i].word) == n && strncmp(line, commands[i].word, n) == 0)
			return i;
	return -1;
}

static const char *command_at(uint32_t i)
{
	return i < N_COMMANDS ? commands[i].word : NULL;
}

/* ---- completion ---------------------------------------------------------------------------- */

static const char *completed_word(uint32_t i, enum prompt_follows *follows)
{
	*follows = i < N_COMMANDS ? commands[i].follows : PROMPT_NOTHING;
	return command_at(i);
}

/* The kernel is opened by the first Tab. */
static void complete(void *ctx, const char *text, struct candidates *out)
{
	static const struct options none;
	struct prompt *p = ctx;

	if (!p->kernel)
		p->kernel = walk_open_kernel(&none);
	if (p->kernel)
		prompt_complete(p, text, out);
}

/* ---- the dialogue -------------------------------------------------------------------------- */

static bool is_command(const char *line)
{
	return find_command(line) >= 0;
}

static void run_command(struct session_of_lesson *s, int i, const char *line)
{
	const char *rest;
	size_t n;

	typed_word(s->a, line, &rest);
	n = strlen(rest);
	while (n && strchr(" \t\n", rest[n - 1]))
		n--;
	printing_begin();
	commands[i].run(s, arena_strndup(s->a, rest, n));
	printing_end();
}

static void answer(struct session_of_lesson *s, const char *program)
{
	struct shown shown;
	struct verdict v;

	s->program = program;
	if (lesson_run(s->a, s->lesson, program, false, &shown))
		return;
	lesson_judge(s->a, s->lesson, program, &shown, &v);
	putchar('\n');
	lesson_print(v.is_solved ? "solved:" : "not solved:", v.text);
	if (!v.is_solved)
		return;
	lesson_done(s->lesson->name);
	puts("'next' goes on to the next lesson.");
}

int learn_session(struct arena *a, const struct lesson *l, bool *go_on)
{
	struct prompt typed = {.a = a, .word_at = completed_word};
	struct editor *e = editor_open(
		&(struct editor_setup){.history = "history", .complete = complete, .ctx = &typed});
	struct session_of_lesson s = {.a = a, .lesson = l};
	const char *line;

	*go_on = false;
	if (!e) {
		log_error("cannot use the terminal: %s", strerror(errno));
		return 2;
	}
	cmd_text(&s, "");
	puts("Type a program; 'hint' helps, 'help' lists the other words.\n");
	if (!lesson_can_run(l))
		printf("This kernel cannot run the lesson: sonde --check -e '%s' says why.\n"
		       "'next' goes on to the next lesson.\n\n",
		       l->needs);
	while (!s.done && (line = typed_read(a, e, "learn> ", is_command))) {
		int i = find_command(line);

		if (i >= 0)
			run_command(&s, i, line);
		else if (!line[strspn(line, " \t\n")])
			continue;
		else if (typed_is_words(a, line))
			typed_unknown(a, line, command_at);
		else
			answer(&s, line);
	}
	*go_on = s.go_on;
	if (!s.done)
		putchar('\n');
	editor_close(e);
	if (typed.kernel)
		kernel_close(typed.kernel);
	return lesson_is_done(l->name) ? 0 : 1;
}
