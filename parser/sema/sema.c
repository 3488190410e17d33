/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the passes in order.
 * Before: the tree as parsed. After: names have symbols, attach points are resolved, expressions
 * have types and all rules of the language hold, or errors are in diags.
 */
#include "parser/sema/sema.h"
#include "parser/base/arena.h"
#include "parser/csection/c_section.h"
#include "parser/lang/c_type.h"
#include <stdlib.h>

int sema_run(struct arena *a, struct program *p, struct kernel *k, struct diags *d)
{
	struct sema s = {.arena = a, .diags = d, .kernel = k, .program = p};

	p->c_types->kernel = k;
	c_section(a, p, k, d);
	config_read(a, p, getenv, d);
	sema_names(&s);
	sema_types(&s);
	sema_checks(&s);
	sema_decls(&s);
	sema_known(&s);
	return d->n_errors ? -1 : 0;
}

const struct type *sema_error(struct sema *s, struct span span, const char *tag, const char *fmt,
			      ...)
{
	va_list ap;

	s->is_wrong = true;
	if (!s->report)
		return &type_error;
	va_start(ap, fmt);
	diag_error(s->diags, span, tag, "%s", arena_vprintf(s->arena, fmt, ap));
	va_end(ap);
	return &type_error;
}
