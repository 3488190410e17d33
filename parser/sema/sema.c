/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the passes in order.
 * Before: the tree as parsed. After: names have symbols, attach points are resolved, expressions
 * have types and all rules of the language hold, or errors are in diags.
 */
#include "parser/sema/sema.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/param.h"
#include "parser/expand/expand.h"
#include "parser/csection/c_section.h"
#include <stdlib.h>
#include <unistd.h>

/* Functions that are never called were checked. */
static void drop_unused(struct program *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_probes; i++)
		if (!p->probes[i]->is_unused_fn)
			p->probes[n++] = p->probes[i];
	p->n_probes = n;
}

int sema_run(struct arena *a, struct program *p, struct kernel *k, struct diags *d)
{
	struct sema s = {.arena = a, .diags = d, .kernel = k, .program = p};

	p->c_types->kernel = k;
	config_read(a, p, getenv, d);
	k->return_instructions = p->config.return_probes == RETURN_PROBES_RET;
	config_check_environment(a, environ, d);
	expand_imports(a, p, d);
	c_section(a, p, k, d);
	if (expand_calls(a, p, d))
		return -1;
	if (!p->n_probes)
		return diag_error(d, SPAN_NONE, "empty-script", "the script has no probe");
	sema_names(&s);
	param_check_used(&s);
	usage_note(&s);
	sema_types(&s);
	sema_checks(&s);
	sema_decls(&s);
	sema_known(&s);
	if (!d->n_errors) {
		units_note(&s);
		advise(&s);
	}
	drop_unused(p);
	return d->n_errors ? -1 : 0;
}

void sema_unstable(struct sema *s, struct span span, const char *word)
{
	uint64_t setting, bit;
	const struct config_row *row = config_unstable(&s->program->config, word, &setting);

	if (!row || setting == UNSTABLE_ENABLE ||
	    source_shown(s->program->source, span).start != span.start)
		return;
	bit = 1ull << (row - config_rows);
	if (setting == UNSTABLE_ERROR)
		diag_error(s->diags, span, "unstable", "%s is unstable, and %s is 'error'", word,
			   row->name);
	else if (!(s->unstable & bit))
		diag_warning(s->diags, span, "unstable", "%s is unstable: it may change", word);
	if (setting == UNSTABLE_ERROR)
		diag_hint(s->diags, "write config = { %s = enable }", row->name);
	s->unstable |= bit;
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

const struct type *sema_hint(struct sema *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (s->report)
		diag_hint(s->diags, "%s", arena_vprintf(s->arena, fmt, ap));
	va_end(ap);
	return &type_error;
}

const struct type *sema_note(struct sema *s, struct span span, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (s->report)
		diag_note(s->diags, span, "%s", arena_vprintf(s->arena, fmt, ap));
	va_end(ap);
	return &type_error;
}
