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
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/kernel/kernel_facts.h"
#include <errno.h>
#include <string.h>

struct session_of_lesson {
	struct arena *a;
	const struct lesson *lesson;
	uint32_t n_hints; /* hints shown so far */
	bool done, go_on;
};

static void cmd_hint(struct session_of_lesson *s)
{
	const struct lesson *l = s->lesson;

	if (s->n_hints < l->n_hints)
		lesson_print("", l->hints[s->n_hints++]);
	else
		puts("There are no more hints; 'solution' shows a program.");
}

static void cmd_goal(struct session_of_lesson *s)
{
	lesson_print("Goal:", s->lesson->goal);
}

static void cmd_text(struct session_of_lesson *s)
{
	const struct lesson *l = s->lesson;

	printf("%s (lesson %s)\n\n", l->title, l->name);
	if (l->text)
		lesson_print("", l->text);
	putchar('\n');
	cmd_goal(s);
}

static void cmd_solution(struct session_of_lesson *s)
{
	printf("%s\n", s->lesson->solutions[0]);
}

static void cmd_next(struct session_of_lesson *s)
{
	s->done = s->go_on = true;
}

static void cmd_quit(struct session_of_lesson *s)
{
	s->done = true;
}

static void cmd_help(struct session_of_lesson *s);

static const struct {
	const char *word;
	void (*run)(struct session_of_lesson *s);
	const char *help;
} commands[] = {
#define LEARN_COMMAND(word, hook, help) {word, cmd_##hook, help},
#include "cli/learn/learn_commands.def"
#undef LEARN_COMMAND
};
enum { N_COMMANDS = sizeof(commands) / sizeof(*commands) };

static void cmd_help(struct session_of_lesson *s)
{
	(void)s;
	puts("Type a program, as behind 'sonde -e'; it runs beside the workload. Or one of these:");
	for (int i = 0; i < N_COMMANDS; i++)
		printf("  %-10s %s\n", commands[i].word, commands[i].help);
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
	*follows = PROMPT_NOTHING;
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

static void answer(struct session_of_lesson *s, const char *program)
{
	struct shown shown;
	struct verdict v;

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
	cmd_text(&s);
	puts("Type a program; 'hint' helps, 'help' lists the other words.\n");
	if (!lesson_can_run(l))
		printf("This kernel cannot run the lesson: sonde --check -e '%s' says why.\n"
		       "'next' goes on to the next lesson.\n\n",
		       l->needs);
	while (!s.done && (line = typed_read(a, e, "learn> ", is_command))) {
		int i = find_command(line);

		if (i >= 0)
			commands[i].run(&s);
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
