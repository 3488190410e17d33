/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prompt reads a line and does what it says: a word of prompt_words.def, options as behind
 * `sonde`, or a program. Each run is a child (prompt_run.c); this process keeps what is slow to
 * make, the compiler and the kernel's types.
 */
#include "cli/prompt/prompt.h"
#include "cli/prompt/typed.h"
#include "cli/run/walk.h"
#include "runtime/base/log.h"
#include "runtime/kernel/caps.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/run/command.h"
#include <errno.h>
#include <stdlib.h>

enum { MAX_WORDS = 64 };

static void run_command_line(struct prompt *p, const char *line)
{
	char **words = command_words(line);
	uint32_t n = 0, skip;

	if (!words) {
		log_error("a quote is not closed");
		return;
	}
	while (words[n] && n < MAX_WORDS)
		n++;
	skip = n && strcmp(words[0], "sonde") == 0;
	prompt_start(p, (const char *const *)words + skip, n - skip);
	command_free_words(words);
}

static void run_program(struct prompt *p, const char *text)
{
	const char *words[] = {"-e", text};

	p->program = arena_strdup(p->a, text);
	prompt_start(p, words, 2);
}

static void handle(struct prompt *p, const char *line)
{
	if (!line[strspn(line, " \t\n")] || typed_say(p, line))
		return;
	if (typed_is_command_line(line))
		run_command_line(p, line);
	else if (typed_is_words(p->a, line))
		prompt_unknown(p, line);
	else
		run_program(p, line);
}

static void read_lines(struct prompt *p)
{
	const char *line;

	for (; !p->done; handle(p, line)) {
		prompt_prepare(p);
		line = typed_read(p, "sonde> ");
		if (!line)
			break;
	}
	if (!p->done)
		putchar('\n');
}

int prompt_run(void)
{
	const struct options none = {0};
	struct prompt p = {.a = arena_new(),
			   .words = prompt_words,
			   .n_words = n_prompt_words,
			   .child.fd = -1,
			   .next.fd = -1};
	int status = 0;

	p.editor = editor_open(&(
		struct editor_setup){.history = "history", .complete = prompt_complete, .ctx = &p});
	if (!p.editor) {
		log_error("cannot use the terminal: %s", strerror(errno));
		status = 2;
	} else {
		p.kernel = walk_open_kernel(&none, &status);
	}
	if (p.kernel) {
		puts("sonde " SONDE_VERSION
		     ": type a program, 'help' or 'quit'; Ctrl-C ends a run.");
		if (caps_missing())
			printf("Without root, only programs of BEGIN, END, interval and tests run "
			       "here.\nRun sonde with sudo for all others.\n");
		fflush(stdout);
		walk_warm(p.kernel);
		read_lines(&p);
		prompt_end_child(&p.child);
		prompt_end_child(&p.next);
		kernel_close(p.kernel);
	}
	editor_close(p.editor);
	arena_free(p.a);
	return status;
}
