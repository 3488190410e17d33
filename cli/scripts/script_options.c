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
#include "parser/base/diag.h"
#include "parser/base/nearest.h"
#include "parser/base/source.h"
#include "parser/expand/expand.h"
#include "parser/lang/ast.h"
#include "parser/sema/param.h"
#include "parser/sema/param_type.h"
#include <limits.h>
#include <string.h>

/* The script as parsed; NULL when it cannot be read. Standard input can be read only once. */
static struct program *read_script(struct arena *a, const struct options *o)
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
	if (p)
		expand_imports(a, p, &d);
	return p;
}

static bool is_same(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && memcmp(name, word, len) == 0;
}

static enum script_option_kind find_in(struct arena *a, struct program *p, const char *word,
				       size_t len)
{
	struct option_help *options;
	uint32_t n;

	for (uint32_t i = 0; i < p->n_items; i++) {
		const struct param_item *item = &p->items[i];

		if (param_type_is_command(param_type_of(&item->form)) ||
		    !is_same(param_option_name(a, item), word, len))
			continue;
		return param_type_is_bool(param_type_of(&item->form)) && !item->form.is_list
			       ? SCRIPT_OPTION_FLAG
			       : SCRIPT_OPTION_VALUE;
	}
	n = getopt_list(a, p, &options);
	for (uint32_t i = 0; i < n; i++) /* a value follows '=' only */
		if (is_same(options[i].name, word + 2, len - 2))
			return SCRIPT_OPTION_FLAG;
	return SCRIPT_OPTION_NONE;
}

enum script_option_kind script_options_find(const struct options *o, const char *word, size_t len)
{
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	enum script_option_kind kind = p ? find_in(a, p, word, len) : SCRIPT_OPTION_NONE;

	arena_free(a);
	return kind;
}

bool script_options_take_command(const struct options *o)
{
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	bool takes = false;

	for (uint32_t i = 0; p && i < p->n_items; i++)
		takes |= param_type_is_command(param_type_of(&p->items[i].form));
	arena_free(a);
	return takes;
}

/* The best name has to outlive the tree. */
bool script_options_offer(const struct options *o, struct nearest *near)
{
	static char best[64];
	struct arena *a = arena_new();
	struct program *p = read_script(a, o);
	const char *before = near->best;
	bool has_items = p && p->n_items > 0;

	for (uint32_t i = 0; p && i < p->n_items; i++)
		if (!param_type_is_command(param_type_of(&p->items[i].form)))
			nearest_offer(near, param_option_name(a, &p->items[i]));
	if (near->best != before) {
		snprintf(best, sizeof(best), "%s", near->best);
		near->best = best;
	}
	arena_free(a);
	return has_items;
}
