/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See output_file.h.
 */
#include "cli/base/output_file.h"
#include "cli/base/replace_file.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

static void report(const char *path, int err)
{
	log_error("cannot write '%s': %s%s", path, strerror(-err), limit_hint(err));
	if (err == -ENOENT || err == -ENOTDIR)
		fputs("hint: -o takes the name of a file in a folder that exists\n", stderr);
	else if (err == -EISDIR)
		fputs("hint: -o takes the name of a file, not of a folder\n", stderr);
}

FILE *output_open(const char *path)
{
	FILE *f = path ? fopen(path, "we") : stdout;

	if (!f)
		report(path, -errno);
	return f;
}

int output_close(const char *path, FILE *f)
{
	bool is_written;

	if (f == stdout)
		return 0;
	is_written = !ferror(f);
	if (fclose(f) == 0 && is_written)
		return 0;
	report(path, -errno);
	return 2;
}

/* A device or a pipe cannot be replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

int output_write(const char *path, const void *bytes, size_t len)
{
	FILE *f;
	int err;

	if (path && !is_special(path)) {
		err = replace_file(path, bytes, len, 0644);
		if (err)
			report(path, err);
		return err ? 2 : 0;
	}
	f = output_open(path);
	if (!f)
		return 2;
	if (fwrite(bytes, 1, len, f) != len && f == stdout)
		return 2;
	return output_close(path, f);
}
