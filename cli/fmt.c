/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fmt (fmt.h).
 */
#include "cli/fmt.h"
#include "cli/base/output_file.h"
#include "cli/options/options.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "parser/syntax/fmt.h"
#include "runtime/base/log.h"
#include <stdlib.h>

/* `sonde fmt --check`: 0 if the script is written so, else 1. */
static int check(const struct source *script, const char *text, size_t len)
{
	if (script->len == len && memcmp(script->text, text, len) == 0)
		return 0;
	log_error("'%s' is not in its canonical form", script->name);
	log_hint("'sonde fmt %s' prints it, with '-o %s' in its place", script->name, script->name);
	return 1;
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
		log_hint("this is a defect of sonde; please report it with the script");
		return 3;
	}
	status = o->is_fmt_check ? check(d->source, text, len)
				 : output_write(o->out.path, text, len, 0644);
	free(text);
	return status;
}
