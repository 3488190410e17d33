/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points that the tracer itself makes fire: self (a signal to it), test and bench.
 */
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/attach/probe_parse.h"
#include "parser/sema/sema.h"
#include <signal.h>
#include <string.h>

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
	p->signal = SIGUSR1;
	return 0;
}

int prs_test(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	if (n != 1 || !*parts[0])
		return probe_wrong_form(r, p);
	p->test = arena_strdup(r->arena, parts[0]);
	return 0;
}

static void check_unique(struct sema *s, const struct attach_point *p, const struct attach_point *q)
{
	if (p == q || p->id != q->id || !p->test || strcmp(p->test, q->test) != 0)
		return;
	diag_error(s->diags, p->span, "duplicate-test", "there is a second %s of the name '%s'",
		   probe_rows[p->id].name, p->test);
	diag_note(s->diags, q->span, "the other one is here");
}

/* Quadratic, but for tests and benches only: others leave at once. */
void special_check_names(struct sema *s)
{
	const struct program *program = s->program;

	for (uint32_t i = 0; i < program->n_probes; i++)
		for (uint32_t a = 0; a < program->probes[i]->n_points; a++) {
			const struct attach_point *p = &program->probes[i]->points[a];

			for (uint32_t j = 0; p->test && j <= i; j++) {
				const struct probe *q = program->probes[j];

				for (uint32_t b = 0; b < (j < i ? q->n_points : a); b++)
					check_unique(s, p, &q->points[b]);
			}
		}
}
