/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros of the standard library. stdlib_scripts/macros/NAME.bt defines the macro NAME, in all its
 * forms. The texts are in the program; one is parsed when a script uses its name, so the others
 * cost nothing.
 */
#include "parser/expand/standard.h"
#include "parser/base/text.h"
#include "parser/expand/expander.h"

#define STANDARD_MACRO(name) extern const char sonde_macro_##name[], sonde_macro_##name##_end[];
#include "standard_macros_gen.h"
#undef STANDARD_MACRO

const struct standard_macro standard_macros[] = {
#define STANDARD_MACRO(name) {#name, sonde_macro_##name, sonde_macro_##name##_end},
#include "standard_macros_gen.h"
#undef STANDARD_MACRO
};

const uint32_t n_standard_macros = sizeof(standard_macros) / sizeof(*standard_macros);

static const struct standard_macro *find(const char *name)
{
	return TEXT_ROW(standard_macros, name, name, strlen(name));
}

bool standard_has(const char *name)
{
	return find(name) != NULL;
}

static bool is_loaded(const struct expander *x, const char *name)
{
	for (uint32_t i = 0; i < x->program->n_functions; i++)
		if (x->program->functions[i]->is_standard &&
		    strcmp(x->program->functions[i]->name, name) == 0)
			return true;
	return false;
}

bool standard_add(struct expander *x, const char *name)
{
	const struct standard_macro *m = find(name);
	struct program *p;
	struct source *file;

	if (!m || is_loaded(x, name))
		return m != NULL;
	file = source_from_text(x->arena, arena_printf(x->arena, "standard macro %s", name),
				m->text, (size_t)(m->end - m->text));
	if (file)
		file->is_hidden = true;
	if (!file || !source_add_file(x->arena, x->program->source, file))
		return false;
	p = parse_file(x->arena, file, x->diags);
	for (uint32_t i = 0; i < p->n_functions; i++) {
		p->functions[i]->is_standard = true;
		arena_push(x->arena, x->program->functions, x->program->n_functions,
			   p->functions[i]);
	}
	return true;
}
