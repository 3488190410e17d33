/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root must not run a script only because somebody left it in the current directory under a name
 * that root is likely to type. The script and all folders on its real path must belong to root or
 * to the user that called sudo, and nobody else may write to them. A folder further up may be
 * writable if it is sticky, as /tmp is: others cannot rename what is in it.
 */
#include "cli/scripts/script_trust.h"
#include "parser/base/escape.h"
#include "runtime/base/log.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_own(uid_t uid)
{
	const char *text = getenv("SUDO_UID");
	char *end;
	unsigned long sudo_uid;

	if (uid == 0 || !text || *text < '0' || *text > '9')
		return uid == 0;
	sudo_uid = strtoul(text, &end, 10);
	return !*end && uid == sudo_uid;
}

/* What is wrong with the file or folder; NULL when nothing is. */
static const char *complaint(const char *path, bool may_be_sticky)
{
	struct stat st;

	if (stat(path, &st))
		return "cannot be examined";
	if (!is_own(st.st_uid))
		return "does not belong to root or to the user of sudo";
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(may_be_sticky && st.st_mode & S_ISVTX))
		return "can be written to by others";
	return NULL;
}

/* Cut off the last part of a path. */
static void to_folder(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(path, ".");
	else
		slash[slash == path] = '\0';
}

/* Cut `path`, which is absolute, down to the first folder, upwards, that is not to be trusted.
 * Returns what is wrong with it; NULL when all are well. */
static const char *find_complaint(char *path)
{
	const char *why = complaint(path, false);

	while (!why && path[1]) {
		to_folder(path);
		why = complaint(path, true);
	}
	return why;
}

/* The folder in which the script was found, the file, and the folder in which that is, if the
 * script is a symbolic link. Leaves in `bad` which one is not to be trusted. */
static const char *check(const char *path, char bad[PATH_MAX])
{
	char folder[PATH_MAX];
	const char *why;

	snprintf(folder, sizeof(folder), "%s", path);
	to_folder(folder);
	if (!realpath(folder, bad))
		return NULL; /* reading the script fails as well, and says why */
	why = find_complaint(bad);
	if (why || !realpath(path, bad))
		return why;
	why = complaint(bad, false);
	if (why)
		return why;
	to_folder(bad);
	return find_complaint(bad);
}

bool script_is_trusted(const char *path, const char *name, const char *anyway)
{
	char bad[PATH_MAX];
	const char *why = geteuid() == 0 ? check(path, bad) : NULL;

	if (!why)
		return true;
	log_error("the script '%s' is not run as root: '%s' %s", name, bad, why);
	fputs("hint: if you trust it, write 'sonde ", stderr);
	escape_write(ESCAPE_MESSAGE, anyway, stderr);
	fputs("'\n", stderr);
	return false;
}
