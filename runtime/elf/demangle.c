/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling by libiberty: see demangle.h.
 */
#include "runtime/elf/demangle.h"
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* Longer symbols are not demangled: names of a megabyte exist, and demangling them takes too
 * long. */
enum { SYMBOL_MAX = 16 * 1024 };

static bool is_mangled(const char *s)
{
	return s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || (s[1] == '_' && s[2] == 'Z'));
}

bool demangle(const char *symbol, bool with_parameters, char *out, size_t size)
{
	int options = DMGL_AUTO | (with_parameters ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : 0);
	char *name;
	bool fits;

	if (!is_mangled(symbol) || strlen(symbol) > SYMBOL_MAX)
		return false;
	name = cplus_demangle(symbol, options);
	fits = name && strlen(name) < size;
	if (fits)
		memcpy(out, name, strlen(name) + 1);
	free(name);
	return fits;
}

static bool is_shown = true, has_parameters = true, has_templates = true;

void demangle_show(bool show, bool with_parameters, bool with_templates)
{
	is_shown = show;
	has_parameters = with_parameters;
	has_templates = with_templates;
}

bool demangle_is_shown(void)
{
	return is_shown;
}

bool demangle_shown(const char *symbol, char *out, size_t size)
{
	if (!is_shown || !demangle(symbol, true, out, size))
		return false;
	if (!has_parameters)
		short_name(out, has_templates);
	return true;
}
