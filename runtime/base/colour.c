/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of messages: see colour.h.
 */
#include "runtime/base/colour.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool colour_is_wanted(int fd)
{
	const char *own = getenv("SONDE_COLOR"), *word = own ? own : getenv("BPFTRACE_COLOR");

	if (word && strcmp(word, "always") == 0)
		return true;
	return (!word || strcmp(word, "never") != 0) && isatty(fd) == 1;
}
