/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where bundled scripts are: beside the installed program (share/sonde), or in the tree it was
 * built in (stdlib_scripts); $SONDE_SCRIPTS comes first. A script's one-line description is the
 * line of its head comment that begins with its name.
 */
#include "scripts.h"
#include "runtime/log.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const beside_program[] = {
	"../share/sonde",	/* installed */
	"../stdlib_scripts",	/* build/sonde */
	"../../stdlib_scripts", /* build/dev/sonde */
};
enum { N_PLACES = 1 + sizeof(beside_program) / sizeof(*beside_program) };

/* Folder number i to look in. False when there is none of that number. */
static bool place(int i, char *folder, size_t size)
{
	const char *given = getenv("SONDE_SCRIPTS");
	char self[PATH_MAX];
	ssize_t n;

	if (i == 0)
		return given && snprintf(folder, size, "%s", given) < (int)size;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return false;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	return snprintf(folder, size, "%s/%s", self, beside_program[i - 1]) < (int)size;
}

int scripts_find(const char *name, char *path, size_t size)
{
	char folder[PATH_MAX];

	if (strchr(name, '/'))
		return -ENOENT;
	for (int i = 0; i < N_PLACES; i++)
		if (place(i, folder, sizeof(folder)) &&
		    snprintf(path, size, "%s/%s.bt", folder, name) < (int)size &&
		    access(path, R_OK) == 0)
			return 0;
	return -ENOENT;
}

/* " * NAME: what it does" */
static void print_line(const char *path)
{
	const char *base = strrchr(path, '/') + 1;
	int len = (int)strlen(base) - 3;
	FILE *f = fopen(path, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, " * ", 3) || strncmp(line + 3, base, (size_t)len) ||
		    line[3 + len] != ':')
			continue;
		printf("%-16.*s%s", len, base, line + 3 + len + 2);
		break;
	}
	if (f)
		fclose(f);
}

int scripts_list(void)
{
	char folder[PATH_MAX], pattern[PATH_MAX + 8];
	glob_t found;

	for (int i = 0; i < N_PLACES; i++) {
		if (!place(i, folder, sizeof(folder)))
			continue;
		snprintf(pattern, sizeof(pattern), "%s/*.bt", folder);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++)
			print_line(found.gl_pathv[k]);
		globfree(&found);
		return 0;
	}
	log_error("the bundled scripts are not installed; SONDE_SCRIPTS can name their folder");
	return 2;
}

int scripts_cat(const char *name)
{
	char path[PATH_MAX], block[4096];
	FILE *f = scripts_find(name, path, sizeof(path)) == 0 ? fopen(path, "re") : NULL;
	size_t n;

	if (!f) {
		log_error("there is no bundled script '%s'; --scripts lists them", name);
		return 1;
	}
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		fwrite(block, 1, n, stdout);
	fclose(f);
	return 0;
}
