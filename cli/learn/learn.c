/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde learn`: see learn.h.
 */
#include "cli/learn/learn.h"
#include "cli/learn/lesson_run.h"
#include "cli/options/option_rows.h"
#include "cli/options/word_options.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

struct learn {
	bool list, check, test, forget, help;
	const char *program, *lesson, *file;
};

/* ---- options ----------------------------------------------------------------------------- */

#define TAKE_FLAG(name)                                           \
	static void take_##name(struct learn *l, const char *arg) \
	{                                                         \
		(void)arg;                                        \
		l->name = true;                                   \
	}
TAKE_FLAG(list)
TAKE_FLAG(check)
TAKE_FLAG(test)
TAKE_FLAG(forget)
TAKE_FLAG(help)

static void take_program(struct learn *l, const char *arg)
{
	l->program = arg;
}

static const struct word_option rows[] = {
#define LEARN_OPTION(name, other, arg, hook, help) {name, other, arg, help},
#include "cli/learn/learn_options.def"
#undef LEARN_OPTION
};
static void (*const hooks[])(struct learn *l, const char *arg) = {
#define LEARN_OPTION(name, other, arg, hook, help) take_##hook,
#include "cli/learn/learn_options.def"
#undef LEARN_OPTION
};
static const struct word_options words = {"learn", rows, sizeof(rows) / sizeof(*rows), 14};

static int check_words(const struct learn *l)
{
	if (l->list + l->check + l->test + l->forget > 1)
		return option_error("--list, --check, --test and --forget cannot be combined");
	if ((l->list || l->forget) && l->lesson)
		return option_error("%s takes no lesson: unexpected '%s'",
				    l->list ? "--list" : "--forget", l->lesson);
	if (l->program && !l->check)
		return option_error("-e requires --check LESSON");
	if (l->check && !l->lesson)
		return option_error("--check requires a lesson: 'sonde learn --list' lists them");
	if (l->check && !l->program == !l->file)
		return option_error("--check requires -e PROGRAM or a FILE with the answer");
	if (l->file && !l->check)
		return option_error("'sonde learn' takes one lesson: unexpected '%s'", l->file);
	return 0;
}

static int take_words(struct learn *l, const struct options *o)
{
	for (uint32_t i = 0; i < o->n_params; i++) {
		const char *word = o->params[i], *arg;

		if (word[0] == '-' && word[1]) {
			int row = word_options_read(&words, o, &i, &arg);

			if (row < 0)
				return -1;
			hooks[row](l, arg);
		} else if (!l->lesson) {
			l->lesson = word;
		} else if (!l->file) {
			l->file = word;
		} else {
			return option_error("unexpected '%s'", word);
		}
	}
	return l->help ? 0 : check_words(l);
}

static int print_help(void)
{
	puts("usage: sonde learn [LESSON]\n"
	     "       sonde learn --list\n"
	     "       sonde learn --check LESSON -e PROGRAM\n"
	     "       sonde learn --test [LESSON]\n\n"
	     "Lessons: each has a goal, runs a program of known behaviour, and checks your answer. A\n"
	     "lesson is named by its name or number, or by the path of a file. Without a name, the\n"
	     "first one that is not solved begins.\n\noptions:");
	word_options_print(&words);
	return 0;
}

/* ---- what to do ---------------------------------------------------------------------------- */

/* Call `use` for each lesson that can be read. Returns the exit status. */
static int each_lesson(struct arena *a,
		       int (*use)(struct arena *a, const struct lesson *l, uint32_t number))
{
	struct lesson_list list;
	int status = 0;

	if (lesson_find_all(a, &list))
		return 2;
	for (uint32_t i = 0; i < list.n; i++) {
		struct lesson l;

		if (lesson_read(a, list.paths[i], &l))
			status = 1;
		else
			status = use(a, &l, i + 1) ?: status;
	}
	return status;
}

static int print_line(struct arena *a, const struct lesson *l, uint32_t number)
{
	(void)a;
	printf("%2u %c %-22s %s\n", number, lesson_is_done(l->name) ? '*' : ' ', l->name, l->title);
	return 0;
}

static int test_one(struct arena *a, const struct lesson *l, uint32_t number)
{
	(void)number;
	return lesson_test(a, l) ? 1 : 0;
}

static int open_lesson(struct arena *a, const char *word, struct lesson *l)
{
	const char *path = lesson_find(a, word);

	return path ? lesson_read(a, path, l) : -1;
}

static const char *answer_of(struct arena *a, const struct learn *l)
{
	struct source *s = l->program ? NULL : source_from_file(a, l->file);

	if (!l->program && !s)
		log_error("cannot read '%s': %s", l->file, strerror(errno));
	return l->program ?: s ? arena_strndup(a, s->text, s->len) : NULL;
}

static int check(struct arena *a, const struct learn *l)
{
	const char *program;
	struct lesson lesson;
	struct verdict v;
	struct shown shown;

	if (open_lesson(a, l->lesson, &lesson))
		return 1;
	program = answer_of(a, l);
	if (!program || lesson_run(a, &lesson, program, false, &shown))
		return program ? 2 : 1;
	lesson_judge(a, &lesson, program, &shown, &v);
	lesson_print(v.is_solved ? "solved:" : "not solved:", v.text);
	if (v.is_solved)
		lesson_done(lesson.name);
	return v.is_solved ? 0 : shown.status == 2 ? 2 : 1;
}

static int test(struct arena *a, const struct learn *l)
{
	struct lesson lesson;

	if (!l->lesson)
		return each_lesson(a, test_one);
	return open_lesson(a, l->lesson, &lesson) ? 1 : test_one(a, &lesson, 0);
}

/* Is the lesson solved, or impossible on this kernel? One that cannot be read is neither. */
static bool is_over(struct arena *a, const char *path)
{
	struct lesson l;

	return lesson_is_done(lesson_name(a, path)) ||
	       (lesson_read(a, path, &l) == 0 && !lesson_can_run(&l));
}

/* The index of the lesson to begin with: the named one, else the first one that is not solved. The
 * length of the list if all are solved. */
static uint32_t first_lesson(struct arena *a, const struct lesson_list *list, const char *path)
{
	uint32_t i = 0;

	while (i < list->n &&
	       (path ? strcmp(list->paths[i], path) != 0 : is_over(a, list->paths[i])))
		i++;
	return i;
}

/* Run lessons on the terminal, from one on. */
static int learn_lessons(struct arena *a, const struct learn *l)
{
	const char *path = l->lesson ? lesson_find(a, l->lesson) : NULL;
	struct lesson_list list = {0};
	struct lesson lesson;
	bool go_on = true;
	int status = 0;
	uint32_t i;

	if ((l->lesson && !path) || (!path && lesson_find_all(a, &list)))
		return 1;
	if (path && lesson_find_all(a, &list))
		list.n = 0;
	i = first_lesson(a, &list, path);
	if (i == list.n && !path)
		puts("All lessons are solved. 'sonde learn --list' lists them.");
	if (i == list.n && path) /* the path is that of a file that is not in the list */
		return lesson_read(a, path, &lesson) ? 1 : learn_session(a, &lesson, &go_on);
	for (; go_on && i < list.n; i++) {
		if (lesson_read(a, list.paths[i], &lesson))
			return 1;
		status = learn_session(a, &lesson, &go_on);
	}
	return status;
}

int learn_run(const struct options *o)
{
	struct arena *a = arena_new();
	struct learn l = {0};
	int status = 1;

	if (take_words(&l, o))
		status = 1;
	else if (l.help)
		status = print_help();
	else if (l.forget)
		status = lesson_forget_done();
	else if (l.check)
		status = check(a, &l);
	else if (l.test)
		status = test(a, &l);
	else if (l.list)
		status = each_lesson(a, print_line);
	else
		status = learn_lessons(a, &l);
	arena_free(a);
	return status;
}
