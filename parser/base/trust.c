/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Root must not run code only because somebody left it under a name that root is likely to type, or
 * that a script imports. The file and all folders on its real path must belong to root or to the
 * user that called sudo, and nobody else may write to them. A folder further up may be writable if
 * it is sticky, as /tmp is: others cannot rename what is in it.
 *
 * A script that root named by its path is trusted as it is. So are its owner and its folder with
 * those above, which decide what the script is, for what it imports.
 */
#include "parser/base/trust.h"
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

/* Who but the owner may write: a group with the number of its owner is the owner's alone. */
static mode_t others_bits(const struct stat *st)
{
	return st->st_uid && st->st_gid == st->st_uid ? S_IWOTH : S_IWGRP | S_IWOTH;
}

/* Is it the folder of the named script, or one above? */
static bool holds_named(const char *path, const struct trust_named *named)
{
	size_t n = strlen(path);

	return named && strncmp(named->folder, path, n) == 0 &&
	       (n == 1 || !named->folder[n] || named->folder[n] == '/');
}

/* What is wrong with the file or folder; NULL when nothing is. */
static const char *complaint(const char *path, bool may_be_sticky, const struct trust_named *named)
{
	struct stat st;

	if (stat(path, &st))
		return "cannot be examined";
	if (holds_named(path, named))
		return NULL;
	if (!is_own(st.st_uid) && !(named && st.st_uid == named->owner))
		return "does not belong to root or to the user of sudo";
	if (st.st_mode & others_bits(&st) && !(may_be_sticky && st.st_mode & S_ISVTX))
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
static const char *find_complaint(char *path, const struct trust_named *named)
{
	const char *why = complaint(path, false, named);

	while (!why && path[1]) {
		to_folder(path);
		why = complaint(path, true, named);
	}
	return why;
}

/* The folder in which the file was found, the file, and the folder in which that is, if the
 * file is a symbolic link. Leaves in `bad` which one is not to be trusted. */
static const char *check(const char *path, const struct trust_named *named, char bad[PATH_MAX])
{
	char folder[PATH_MAX];
	const char *why;

	snprintf(folder, sizeof(folder), "%s", path);
	to_folder(folder);
	if (!realpath(folder, bad))
		return NULL; /* reading the file fails as well, and says why */
	why = find_complaint(bad, named);
	if (why || !realpath(path, bad))
		return why;
	why = complaint(bad, false, named);
	if (why)
		return why;
	to_folder(bad);
	return find_complaint(bad, named);
}

const char *trust_complaint(const char *path, const struct trust_named *named, char bad[PATH_MAX])
{
	return geteuid() == 0 ? check(path, named, bad) : NULL;
}

bool trust_name(struct trust_named *named, const char *script)
{
	char folder[PATH_MAX];
	struct stat st;

	if (snprintf(folder, sizeof(folder), "%s", script) >= (int)sizeof(folder) ||
	    stat(script, &st))
		return false;
	to_folder(folder);
	named->owner = st.st_uid;
	return realpath(folder, named->folder) != NULL;
}
