/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where lessons and their workloads are: installed, or in the source and build trees. A lesson
 * file is called NUMBER-NAME.lesson; the numbers order the list.
 */
#include "cli/learn/lesson_file.h"
#include "parser/base/arena.h"
#include "parser/base/nearest.h"
#include "runtime/base/beside.h"
#include "runtime/base/log.h"
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const lesson_folders[] = {
	"../share/sonde/lessons", /* installed */
	"../examples/lessons",	  /* build/sonde */
	"../../examples/lessons", /* build/dev/sonde */
};
static const char *const workload_folders[] = {
	"../lib/sonde/examples", /* installed */
	"examples",		 /* build/sonde, build/dev/sonde */
};

#define N_OF(array) (sizeof(array) / sizeof(*(array)))

static bool list_folder(struct arena *a, const char *folder, struct lesson_list *out)
{
	glob_t found;

	*out = (struct lesson_list){0};
	if (glob(arena_printf(a, "%s/*.lesson", folder), 0, NULL, &found))
		return false;
	for (size_t i = 0; i < found.gl_pathc; i++)
		arena_push(a, out->paths, out->n, arena_strdup(a, found.gl_pathv[i]));
	globfree(&found);
	return true;
}

int lesson_find_all(struct arena *a, struct lesson_list *out)
{
	const char *given = getenv("SONDE_LESSONS");
	char folder[PATH_MAX];

	if (given && *given) {
		if (list_folder(a, given, out))
			return 0;
		return log_error("no lessons in '%s', the folder of SONDE_LESSONS", given);
	}
	for (size_t i = 0; i < N_OF(lesson_folders); i++)
		if (beside_program(lesson_folders[i], folder, sizeof(folder)) &&
		    list_folder(a, folder, out))
			return 0;
	return log_error("the lessons are not installed; set SONDE_LESSONS to their folder");
}

const char *lesson_name(struct arena *a, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *end;
	size_t digits = strspn(base, "0123456789");

	if (digits && base[digits] == '-')
		base += digits + 1;
	end = strrchr(base, '.');
	return arena_strndup(a, base, end ? (size_t)(end - base) : strlen(base));
}

/* The first word of the locale for messages: "zh" of "zh_CN.UTF-8". */
static const char *language(struct arena *a)
{
	static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
	const char *value = "";
	size_t n = 0;

	for (size_t i = 0; i < N_OF(names) && !*value; i++)
		value = getenv(names[i]) ?: "";
	while (isalpha((unsigned char)value[n]))
		n++;
	return arena_strndup(a, value, n);
}

const char *lesson_translation(struct arena *a, const char *path)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path, *to = language(a);

	if (!*to)
		return NULL;
	to = arena_printf(a, "%.*s%s/%s", (int)(base - path), path, to, base);
	return access(to, R_OK) == 0 ? to : NULL;
}

/* The number of a lesson in the list, from 1; 0 when the word is none. */
static unsigned long number_of(const char *word)
{
	char *end;
	unsigned long n = isdigit((unsigned char)*word) ? strtoul(word, &end, 10) : 0;

	return n && !*end ? n : 0;
}

const char *lesson_find(struct arena *a, const char *word)
{
	unsigned long number = number_of(word);
	struct lesson_list list;
	struct nearest near;

	if (strpbrk(word, "/."))
		return word;
	if (lesson_find_all(a, &list))
		return NULL;
	if (number && number <= list.n)
		return list.paths[number - 1];
	nearest_init(&near, word);
	for (uint32_t i = 0; i < list.n; i++) {
		const char *name = lesson_name(a, list.paths[i]);

		if (strcmp(name, word) == 0)
			return list.paths[i];
		nearest_offer(&near, name);
	}
	log_error("no lesson '%s': 'sonde learn --list' lists them", word);
	if (near.best)
		log_hint("did you mean '%s'?", near.best);
	return NULL;
}

const char *lesson_workload(struct arena *a, const struct lesson *l)
{
	size_t n = strcspn(l->workload, " \t\n");
	char path[PATH_MAX];

	for (size_t i = 0; i < N_OF(workload_folders); i++) {
		const char *file =
			arena_printf(a, "%s/%.*s", workload_folders[i], (int)n, l->workload);

		if (beside_program(file, path, sizeof(path)) && access(path, X_OK) == 0)
			return arena_printf(a, "\"%s\"%s", path, l->workload + n);
	}
	return l->workload;
}
