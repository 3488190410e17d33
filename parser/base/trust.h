/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether root may run what is in a file that it did not name by its path.
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/* A script that root named by its path. */
struct trust_named {
	uid_t owner;
	char folder[PATH_MAX];
};

/* What is wrong with the file or folder at `path`, or with a folder that leads to it, when others
 * than root and the user behind sudo could have written or put it there: `bad` is which one.
 * With `named`, its owner and folder are trusted, too. NULL: nothing, or not running as root. */
const char *trust_complaint(const char *path, const struct trust_named *named, char bad[PATH_MAX]);
/* Fill in *named; false: there is no such file. */
bool trust_name(struct trust_named *named, const char *script);
