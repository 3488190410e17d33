/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the command line of a script looks like: its usage line, and the names of its options.
 */
#include "parser/base/text.h"
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include "parser/sema/sema.h"
#include <ctype.h>

const char *param_upper(struct arena *a, const struct param_item *item)
{
	char *word = arena_strdup(a, item->name + 1);

	for (char *c = word; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return word;
}

/* Does the text read $1 or $#? */
static bool reads_numbered(const struct source *s)
{
	for (const char *at = strchr(s->text, '$'); at; at = strchr(at + 1, '$'))
		if (isdigit((unsigned char)at[1]) || at[1] == '#')
			return true;
	return false;
}

bool param_takes_duration(const struct program *p)
{
	return strcmp(p->source->name, "stdin") != 0 && !reads_numbered(p->source) &&
	       !TEXT_ITEM(p->items, p->n_items, name, "$seconds");
}

const char *param_usage(struct arena *a, const struct program *p)
{
	const struct source *s = p->source;
	const char *out = strcmp(s->name, "stdin") ? s->name : "-e PROGRAM", *command = "";

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];
		const char *word = param_upper(a, item);

		if (param_type_is_command(param_type_of(&item->form)))
			command = arena_printf(a, item->other ? " [-- %s]" : " -- %s", word);
		else if (!item->is_option)
			out = arena_printf(a, item->other ? "%s [%s]" : "%s %s", out, word);
	}
	if (param_takes_duration(p))
		out = arena_printf(a, "%s [SECONDS]", out);
	return arena_printf(a, "usage: sonde %s [options]%s", out, command);
}

const char *param_option_name(struct arena *a, const struct param_item *item)
{
	char *name;

	if (item->is_getopt)
		return item->name;
	name = arena_printf(a, "--%s", item->name + 1);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return name;
}

int param_hint_usage(struct sema *s)
{
	const char *name = s->program->source->name;

	return diag_hint(s->diags, "%s; see 'sonde %s --help'", param_usage(s->arena, s->program),
			 strcmp(name, "stdin") ? name : "-e PROGRAM");
}
