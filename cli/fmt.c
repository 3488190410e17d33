/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fmt (fmt.h). A file is replaced as a whole, by rename(2), so that
 * it is never half written.
 */
#include "cli/fmt.h"
#include "cli/options.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "parser/syntax/fmt.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Write `t` to a new file beside `path`, with the permissions of the old one, and rename it. */
static int replace(const char *path, const char *text, size_t len)
{
	char real[PATH_MAX], new[PATH_MAX + 32];
	struct stat st;
	int fd, err = 0;

	if (!realpath(path, real)) /* a new file; a symbolic link stays one */
		snprintf(real, sizeof(real), "%s", path);
	snprintf(new, sizeof(new), "%s.%d.new", real, getpid());
	fd = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, stat(real, &st) ? 0644 : st.st_mode & 07777) ||
	    write(fd, text, len) != (ssize_t)len)
		err = errno ? -errno : -EIO;
	if (close(fd) && !err)
		err = -errno;
	if (!err && rename(new, real))
		err = -errno;
	if (err)
		unlink(new);
	return err;
}

static int write_text(const struct options *o, const char *text, size_t len)
{
	struct stat st;
	FILE *f;
	int err;

	if (!o->output)
		return fwrite(text, 1, len, stdout) == len ? 0 : 2;
	if (stat(o->output, &st) == 0 && !S_ISREG(st.st_mode)) { /* a device or a pipe */
		f = fopen(o->output, "we");
		err = !f || fwrite(text, 1, len, f) != len ? -errno : 0;
		if (f && fclose(f) && !err)
			err = -errno;
	} else {
		err = replace(o->output, text, len);
	}
	if (err)
		log_error("cannot write '%s': %s", o->output, strerror(-err));
	return err ? 2 : 0;
}

int fmt_run(struct arena *a, const struct options *o, struct diags *d)
{
	struct program *p = parse(a, d->source, d);
	size_t len;
	char *text;
	int status;

	if (!p || d->n_errors)
		return 1;
	text = fmt_checked(a, p, d->source, &len);
	if (!text) {
		log_error("the formatted script would not be the same script; nothing was written");
		fputs("hint: this is a defect of sonde; please report it with the script\n",
		      stderr);
		return 3;
	}
	status = write_text(o, text, len);
	free(text);
	return status;
}
