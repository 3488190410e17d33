/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lesson on the terminal: shows it, reads answers, runs and judges them.
 */
#include "cli/prompt/editor.h"
#include "cli/prompt/prompt.h"
#include "cli/run/walk.h"
#include "cli/learn/learn.h"
#include "cli/learn/lesson_run.h"
#include "cli/prompt/typed.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

struct session_of_lesson {
	struct prompt p; /* first: the words are of a struct prompt */
	const struct lesson *lesson;
	uint32_t n_hints; /* hints shown so far */
	bool go_on;
};

static struct session_of_lesson *of(struct prompt *p)
{
	return (struct session_of_lesson *)p;
}

static void cmd_hint(struct prompt *p, const char *rest)
{
	struct session_of_lesson *s = of(p);
	const struct lesson *l = s->lesson;

	if (s->n_hints < l->n_hints)
		lesson_print("", l->hints[s->n_hints++]);
	else
		puts("There are no more hints; 'solution' shows a program.");
}

static void cmd_goal(struct prompt *p, const char *rest)
{
	lesson_print("Goal:", of(p)->lesson->goal);
}

static void cmd_text(struct prompt *p, const char *rest)
{
	const struct lesson *l = of(p)->lesson;

	printf("%s (lesson %s)\n\n", l->title, l->name);
	if (l->text)
		lesson_print("", l->text);
	putchar('\n');
	cmd_goal(p, "");
}

static void cmd_solution(struct prompt *p, const char *rest)
{
	printf("%s\n", of(p)->lesson->solutions[0]);
}

static void cmd_next(struct prompt *p, const char *rest)
{
	p->done = of(p)->go_on = true;
}

static void cmd_quit(struct prompt *p, const char *rest)
{
	p->done = true;
}

/* ---- words that sonde itself answers --------------------------------------------------------- */

enum { MOST_WORDS = 8 };

/* Run sonde with these words, in a process of its own; Ctrl-C ends that. */
static void run_sonde(const char *const *words)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		execv("/proc/self/exe", (char **)(uintptr_t)words);
		_exit(127);
	}
	if (pid > 0)
		lesson_wait(pid);
}

/* Probes of programs, whose names all begin with u, are those of the workload if no path is
 * given. */
static void cmd_list(struct prompt *p, const char *rest)
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
		words[n++] = lesson_workload(p->a, of(p)->lesson);
	}
	words[n++] = fields ? "-lv" : "-l";
	words[n++] = pattern;
	words[n] = NULL;
	run_sonde(words);
}

static void cmd_explain(struct prompt *p, const char *rest)
{
	const char *all[] = {"sonde", "explain",  "-c",	     lesson_workload(p->a, of(p)->lesson),
			     "-e",    p->program, "--stage", NULL,
			     NULL};
	char *stages = arena_strdup(p->a, rest);

	if (!p->program) {
		log_error("there is no answer to explain: type one first");
		return;
	}
	for (char *c = stages; *c; c++) /* one blank between two stages */
		*c = *c == ' ' || *c == '\t' ? ',' : *c;
	all[*rest ? 7 : 6] = *rest ? stages : NULL;
	run_sonde(all);
}

static void cmd_help(struct prompt *p, const char *rest);

static const struct prompt_word commands[] = {
#define LEARN_COMMAND(word, form, follows, hook, help) \
	{word, form, help, PROMPT_##follows, cmd_##hook},
#include "cli/learn/learn_commands.def"
};
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

static void cmd_help(struct prompt *p, const char *rest)
{
	const char *words[] = {"sonde", "help", rest, NULL};

	if (*rest) {
		run_sonde(words);
		return;
	}
	puts("Type a program, as behind 'sonde -e'; it runs beside the workload. Or one of these:");
	for (int i = 0; i < N_COMMANDS; i++)
		printf("  %-8s %-13s %s\n", commands[i].word, commands[i].form, commands[i].help);
}

/* ---- the dialogue -------------------------------------------------------------------------- */

/* The kernel is opened by the first Tab. */
static void complete(void *ctx, const char *text, struct candidates *out)
{
	static const struct options none;
	struct prompt *p = ctx;
	int status;

	if (!p->kernel)
		p->kernel = walk_open_kernel(&none, &status);
	if (p->kernel)
		prompt_complete(p, text, out);
}

static void answer(struct session_of_lesson *s, const char *program)
{
	struct arena *a = s->p.a;
	struct shown shown;
	struct verdict v;

	s->p.program = program;
	if (lesson_run(a, s->lesson, program, false, &shown))
		return;
	lesson_judge(a, s->lesson, program, &shown, &v);
	putchar('\n');
	lesson_print(v.is_solved ? "solved:" : "not solved:", v.text);
	if (!v.is_solved)
		return;
	lesson_done(s->lesson->name);
	puts("'next' goes on to the next lesson.");
}

int learn_session(struct arena *a, const struct lesson *l, bool *go_on)
{
	struct session_of_lesson s = {
		.p = {.a = a, .words = commands, .n_words = N_COMMANDS, .is_of_programs = true},
		.lesson = l};
	struct prompt *p = &s.p;
	const char *line;

	*go_on = false;
	p->editor = editor_open(
		&(struct editor_setup){.history = "history", .complete = complete, .ctx = p});
	if (!p->editor) {
		log_error("cannot use the terminal: %s", strerror(errno));
		return 2;
	}
	cmd_text(p, "");
	puts("Type a program; 'hint' helps, 'help' lists the other words.\n");
	if (!lesson_can_run(l))
		printf("This kernel cannot run the lesson: sonde --check -e '%s' says why.\n"
		       "'next' goes on to the next lesson.\n\n",
		       l->needs);
	while (!p->done && (line = typed_read(p, "learn> "))) {
		if (typed_say(p, line) || !line[strspn(line, " \t\n")])
			continue;
		if (typed_is_words(a, line))
			typed_unknown(p, line);
		else
			answer(&s, line);
	}
	*go_on = s.go_on;
	if (!p->done)
		putchar('\n');
	editor_close(p->editor);
	if (p->kernel)
		kernel_close(p->kernel);
	return lesson_is_done(l->name) ? 0 : 1;
}
