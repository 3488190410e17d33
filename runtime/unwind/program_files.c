/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of programs: see program_files.h.
 */
#include "runtime/unwind/program_files.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SCRIPTS_MAX = 5, LINE_BYTES = 256 }; /* limits of the kernel (binfmt_script) */

/* Read the interpreter of a script. Returns 0, or -1 if the file is not a script. */
static int interpreter(const char *path, char out[LINE_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char line[LINE_BYTES];
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	const char *name = line + 2;

	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return -1;
	name += strspn(name, " \t");
	memcpy(out, name, strcspn(name, " \t\n"));
	out[strcspn(name, " \t\n")] = '\0';
	return *out ? 0 : -1;
}

void unwind_program_files(const char *path, user_path_fn *fn, void *ctx)
{
	char script[SCRIPTS_MAX][LINE_BYTES], found[PATH_MAX];

	for (int i = 0; i < SCRIPTS_MAX && !interpreter(path, script[i]); i++)
		path = script[i];
	fn(path, ctx);
	/* no library has that name, so all of them are offered */
	user_path_library(0, path, "/", found, fn, ctx);
}

void unwind_process_files(uint32_t tgid, user_path_fn *fn, void *ctx)
{
	char exe[32], path[PATH_MAX], found[PATH_MAX];
	ssize_t n;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", tgid);
	fn(exe, ctx);
	n = readlink(exe, path, sizeof(path) - 1);
	if (n <= 0)
		return;
	path[n] = '\0';
	user_path_library(tgid, path, "/", found, fn, ctx);
}
