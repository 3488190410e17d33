/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fmt (fmt.h).
 */
#include "cli/fmt.h"
#include "cli/options.h"
#include "cli/replace_file.h"
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
		err = replace_file(o->output, text, len, 0644);
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
