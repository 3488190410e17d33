/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See folders.h.
 */
#include "runtime/base/folders.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool folders_make(const char *path)
{
	char folder[PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path) >=
		    (int)sizeof(folder))
			return false;
		if (mkdir(folder, 0700) && errno != EEXIST) {
			log_verbose("cannot make '%s': %s", folder, strerror(errno));
			return false;
		}
	}
	return true;
}

bool folders_cache(char *path, size_t size)
{
	const char *given = getenv("SONDE_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int n = 0;

	if (given)
		n = snprintf(path, size, "%s", given);
	else if (xdg && *xdg == '/')
		n = snprintf(path, size, "%s/sonde", xdg);
	else if (!geteuid())
		n = snprintf(path, size, "/var/cache/sonde");
	else if (home && *home == '/')
		n = snprintf(path, size, "%s/.cache/sonde", home);
	return n > 0 && (size_t)n < size;
}
