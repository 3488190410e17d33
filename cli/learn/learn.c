/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde learn`: see learn.h.
 */
#include "cli/learn/learn.h"
#include "cli/learn/lesson_run.h"
#include "cli/options/option_error.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <unistd.h>

struct learn {
	const char *program, *lesson, *file;
};

static int take_words(struct learn *l, const struct options *o)
{
	bool check = o->learn.check;

	if (o->args.n_params > 2)
		return option_error("unexpected '%s'", o->args.params[2]);
	l->program = o->args.program;
	l->lesson = o->args.n_params ? o->args.params[0] : NULL;
	l->file = o->args.n_params > 1 ? o->args.params[1] : NULL;
	if ((o->learn.list || o->learn.forget) && l->lesson)
		return option_error("%s takes no lesson: unexpected '%s'",
				    o->learn.list ? "--list" : "--forget", l->lesson);
	if (l->program && !check)
		return option_error("-e requires --check LESSON");
	if (check && !l->lesson)
		return option_error("--check requires a lesson: 'sonde learn --list' lists them");
	if (check && !l->program == !l->file)
		return option_error("--check requires -e PROGRAM or a FILE with the answer");
	if (l->file && !check)
		return option_error("'sonde learn' takes one lesson: unexpected '%s'", l->file);
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
	printf("%2u %c %-22s %s\n", number, lesson_is_done(l->name) ? '*' : ' ', l->name, l->title);
	return 0;
}

static int test_one(struct arena *a, const struct lesson *l, uint32_t number)
{
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
	else if (o->learn.forget)
		status = lesson_forget_done();
	else if (o->learn.check)
		status = check(a, &l);
	else if (o->learn.test)
		status = test(a, &l);
	else if (o->learn.list)
		status = each_lesson(a, print_line);
	else
		status = learn_lessons(a, &l);
	arena_free(a);
	return status;
}
