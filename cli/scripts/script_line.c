/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For a script that begins with `#!/usr/bin/sonde -q -f json`, the kernel executes
 * `sonde "-q -f json" SCRIPT`: all options are one argument. A glued option with blanks
 * (`"-csleep 1" SCRIPT`) looks the same, so only the script's own first line can tell them apart.
 */
#include "cli/scripts/scripts.h"
#include <string.h>

enum { LINE_BYTES = 256 }; /* what the kernel reads of the line: BINPRM_BUF_SIZE */

bool script_line_has(const char *path, const char *options)
{
	FILE *f = fopen(path, "re");
	char line[LINE_BYTES] = "";
	const char *at = line + 2;

	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
	}
	if (strncmp(line, "#!", 2) != 0)
		return false;
	at += strspn(at, " \t");
	at += strcspn(at, " \t\n"); /* the interpreter */
	at += strspn(at, " \t");
	return strncmp(at, options, strlen(options)) == 0;
}
