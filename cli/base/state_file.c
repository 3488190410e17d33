/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See state_file.h.
 */
#include "cli/base/state_file.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* mkdir -p of the folders of a path. */
static bool make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			log_verbose("cannot make '%s': %s", path, strerror(errno));
			*slash = '/';
			return false;
		}
		*slash = '/';
	}
	return true;
}

bool state_path(const char *name, char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (state && *state == '/')
		n = snprintf(path, size, "%s/sonde/%s", state, name);
	else if (home && *home == '/')
		n = snprintf(path, size, "%s/.local/state/sonde/%s", home, name);
	return n > 0 && (size_t)n < size && make_folders(path);
}
