/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores which lessons are solved: in the file `lessons` of the user's state folder, one name in
 * each line.
 */
#include "cli/learn/learn.h"
#include "cli/base/state_file.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <limits.h>
#include <unistd.h>

static FILE *open_progress(const char *mode)
{
	char path[PATH_MAX];

	return state_path("lessons", path, sizeof(path)) ? fopen(path, mode) : NULL;
}

bool lesson_is_done(const char *lesson)
{
	FILE *f = open_progress("re");
	bool has = false;
	char line[256];

	while (f && !has && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		has = strcmp(line, lesson) == 0;
	}
	if (f)
		fclose(f);
	return has;
}

void lesson_done(const char *lesson)
{
	FILE *f = lesson_is_done(lesson) ? NULL : open_progress("ae");

	if (!f)
		return;
	fprintf(f, "%s\n", lesson);
	fclose(f);
}

int lesson_forget_done(void)
{
	char path[PATH_MAX];

	if (!state_path("lessons", path, sizeof(path)) || !unlink(path) || errno == ENOENT)
		return 0;
	log_error("cannot remove '%s': %s", path, strerror(errno));
	return 2;
}
