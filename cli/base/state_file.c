/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See state_file.h.
 */
#include "cli/base/state_file.h"
#include "runtime/base/folders.h"
#include <stdio.h>
#include <stdlib.h>

bool state_path(const char *name, char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	int n = -1;

	if (state && *state == '/')
		n = snprintf(path, size, "%s/sonde/%s", state, name);
	else if (home && *home == '/')
		n = snprintf(path, size, "%s/.local/state/sonde/%s", home, name);
	return n > 0 && (size_t)n < size && folders_make(path);
}
