/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde NAME --min 10ms`: which words of the command line belong to the script? Only its `option`
 * items and calls of getopt() tell, and whether a value follows. So the script is parsed once more
 * for words that are no option of sonde; others start as fast as before. Mistakes in the script are
 * reported when it is parsed to run.
 */
#include "cli/scripts/script_options.h"
#include "cli/scripts/scripts.h"
#include "parser/base/arena.h"
#include "parser/base/text.h"
#include "parser/base/diag.h"
#include "parser/base/nearest.h"
#include "parser/base/source.h"
#include "parser/expand/expand.h"
#include "parser/lang/ast.h"
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include <limits.h>

/* The script as parsed; NULL when it cannot be read. Standard input can be read only once. */
static struct program *read_script(struct arena *a, const struct script_args *o)
{
	struct diags d = {.arena = a};
	struct program *p = NULL;
	char path[PATH_MAX];

	if (o->program) {
		d.source = source_from_text(a, "stdin", o->program, strlen(o->program));
	} else if (strcmp(o->file, "-") != 0) {
		scripts_path(o->file, path, sizeof(path));
		d.source = source_from_file(a, path);
	}
	if (d.source && memcmp(d.source->text, "\177ELF", d.source->len < 4 ? d.source->len : 4))
		p = parse(a, d.source, &d);
	if (p) {
		expand_imports(a, p, &d);
		getopt_declare_all(a, p);
	}
	return p;
}

static enum script_option_kind find_in(struct arena *a, struct program *p, const char *word,
				       size_t len)
{
	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];

		if (param_is_option(a, item, word, len))
			return param_is_flag(item) ? SCRIPT_OPTION_FLAG : SCRIPT_OPTION_VALUE;
	}
	return SCRIPT_OPTION_NONE;
}

enum script_option_kind script_options_find(const struct script_args *o, const char *word,
					    size_t len)
{
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	enum script_option_kind kind = p ? find_in(a, p, word, len) : SCRIPT_OPTION_NONE;

	arena_free(a);
	return kind;
}

bool script_options_take_command(const struct script_args *o)
{
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	bool takes = false;

	for (uint32_t i = 0; p && i < p->n_items; i++)
		takes |= param_type_is_command(param_type_of(&p->items[i].form));
	arena_free(a);
	return takes;
}

enum { SHOWN_MOST = 24 }; /* bytes of a value's words */

/* What `--help` of the script shows for an option: "--failed", "--name=TEXT". */
static const char *form_of(struct arena *a, const struct param_item *item)
{
	const char *name = param_option_name(a, item), *shown = param_type_shown(a, item);

	if (param_is_flag(item))
		return name;
	return arena_printf(a, "%s=%s", name, strlen(shown) > SHOWN_MOST ? "WORD" : shown);
}

static void add_form(struct script_option_list *l, const char *form)
{
	TEXT_LIST(l->text, sizeof(l->text), "%s", form);
	l->n++;
}

static void list(struct arena *a, struct program *p, struct script_option_list *l,
		 struct nearest *near)
{
	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];

		if (param_type_is_command(param_type_of(&item->form)))
			continue;
		nearest_offer(near, param_option_name(a, item));
		if (item->is_option)
			add_form(l, form_of(a, item));
	}
}

/* The best name has to outlive the tree. */
void script_options_list(const struct script_args *o, struct script_option_list *l,
			 struct nearest *near)
{
	static char best[64];
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	const char *before = near->best;

	*l = (struct script_option_list){.is_script = p != NULL};
	if (p)
		list(a, p, l, near);
	if (near->best != before) {
		snprintf(best, sizeof(best), "%s", near->best);
		near->best = best;
	}
	arena_free(a);
}
