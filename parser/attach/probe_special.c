/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points that the tracer itself triggers: self (a signal to it), test and bench.
 */
#include "parser/attach/probe_parse.h"

int prs_self(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	if (n != 2)
		return probe_wrong_form(r, p);
	if (strcmp(parts[0], "signal") != 0) {
		diag_error(r->diags, p->span, "unknown-trigger", "'%s' is not a supported trigger",
			   parts[0]);
		return diag_hint(r->diags, "write self:signal:SIGUSR1");
	}
	if (strcmp(parts[1], "SIGUSR1") != 0) {
		diag_error(r->diags, p->span, "unknown-trigger", "'%s' is not a supported signal",
			   parts[1]);
		return diag_hint(r->diags, "write self:signal:SIGUSR1");
	}
	return 0;
}

int prs_test(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	if (n != 1 || !*parts[0])
		return probe_wrong_form(r, p);
	p->test = arena_strdup(r->arena, parts[0]);
	return 0;
}
