/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters that name functions: `uretprobe:$function`. A script that is run without any of them
 * has nothing to trace, and what is wrong is on the command line, at no place in the script.
 */
#include "parser/sema/param.h"
#include "parser/sema/sema.h"

void param_note_functions(struct sema *s)
{
	const struct program *p = s->program;

	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t k = 0; k < p->probes[i]->n_texts; k++) {
			const char *text = p->probes[i]->texts[k].text, *at = strstr(text, ":$");
			struct param_item *item = at ? param_find(s, at + 1) : NULL;
			enum probe_id id;

			if (!item || at != strchr(text, ':') || !probe_find_type(text, &id))
				continue;
			if (prog_kind_is(probe_rows[id].program, PK_KERNEL_FUNCTION))
				item->names = NAMES_KERNEL_FUNCTION;
			if (probe_rows[id].arm == ARM_USER)
				item->names = NAMES_PROGRAM_FUNCTION;
		}
}

/* "sonde NAME --kernel FUNCTION (functions of the kernel)": each item that names functions, and its text. */
static const char *functions_wanted(struct sema *s)
{
	const struct program *p = s->program;
	const char *name = p->source->name, *out = "";

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];

		if (item->names)
			out = arena_printf(s->arena, "%s%ssonde %s %s%s (%.*s)", out,
					   *out ? ", or " : "",
					   strcmp(name, "stdin") ? name : "-e PROGRAM",
					   item->is_option ? param_option_name(s->arena, item) : "",
					   item->is_option ? " FUNCTION"
							   : param_upper(s->arena, item),
					   (int)strcspn(item->doc, ";"), item->doc);
	}
	return out;
}

/* True if a probe that is left waits for an event. */
static bool has_event(const struct program *p)
{
	enum probe_id id;

	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t k = 0; k < p->probes[i]->n_texts; k++)
			if (!probe_find_type(p->probes[i]->texts[k].text, &id) ||
			    !(prog_kind_is(probe_rows[id].program, PK_TRACER) ||
			      id == PROBE_INTERVAL))
				return true;
	return false;
}

bool param_refuse_no_function(struct sema *s)
{
	const char *wanted = functions_wanted(s);

	if (!*wanted || s->diags->n_errors || has_event(s->program))
		return false;
	diag_error(s->diags, SPAN_NONE, "parameter-missing", "no function is given");
	return diag_hint(s->diags, "%s", wanted), true;
}

bool param_refuse_no_program(struct sema *s, const struct param_item *item)
{
	const struct program *p = s->program;

	if (item->names != NAMES_PROGRAM_FUNCTION || !*item->text || strchr(item->text, ':'))
		return false;
	diag_error(s->diags, SPAN_NONE, "parameter-word",
		   "'%.40s' has no program: write PROGRAM:FUNCTION", item->text);
	for (uint32_t i = 0; i < p->n_items; i++)
		if (p->items[i].names == NAMES_KERNEL_FUNCTION && p->items[i].is_option)
			diag_hint(s->diags, "for a function of the kernel: sonde %s %s %s",
				  p->source->name, param_option_name(s->arena, &p->items[i]),
				  item->text);
	if (!s->diags->items[s->diags->n - 1].hint)
		diag_hint(s->diags, "%s", param_usage(s->arena, p));
	return true;
}
