/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scopes of types. Two namespaces may have different types of one name, so types of C++ and Rust
 * are looked up by their name and the names of all namespaces and classes around them.
 */
#include "parser/base/arena.h"
#include "runtime/dwarf/dwarf_impl.h"

enum { NEST_MAX = 16 };

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || dwarf_is_record(tag);
}

/* The child of `parent` that is, or contains, the DIE at `offset`. */
static bool child_around(const struct dwarf_types *t, Dwarf_Die *parent, Dwarf_Off offset,
			 Dwarf_Die *out)
{
	Dwarf_Die next;

	if (t->dw.dwarf_child(parent, out) != 0 || t->dw.dwarf_dieoffset(out) > offset)
		return false;
	while (t->dw.dwarf_siblingof(out, &next) == 0 && t->dw.dwarf_dieoffset(&next) <= offset)
		*out = next;
	return true;
}

const char *dwarf_scope_of(const struct dwarf_types *t, Dwarf_Die *type, struct arena *a)
{
	Dwarf_Off offset = t->dw.dwarf_dieoffset(type);
	const char *scope = "", *name;
	Dwarf_Die here, inner;

	if (!t->dw.dwarf_diecu(type, &here, NULL, NULL) || dwarf_family_of(t, &here) == FAMILY_C ||
	    dwarf_family_of(t, &here) == FAMILY_GO)
		return "";
	for (int i = 0; i < NEST_MAX && child_around(t, &here, offset, &inner); i++) {
		if (t->dw.dwarf_dieoffset(&inner) == offset || !is_scope(t->dw.dwarf_tag(&inner)))
			break;
		name = t->dw.dwarf_diename(&inner);
		if (name)
			scope = arena_printf(a, "%s%s::", scope, name);
		here = inner;
	}
	return *scope ? scope : "::";
}

/* ---- by name ------------------------------------------------------------------------------- */

struct wanted {
	const struct dwarf_types *t;
	const char *name; /* without the scope */
	bool is_anywhere; /* the text has no scope */
	Dwarf_Die *out;
};

/* The length of the prefix of `text` that is equal to `name`, or 0. Blanks are ignored, which
 * compilers and people write differently in `vec<int, all<int> >`. */
static size_t same_prefix(const char *text, const char *name)
{
	size_t n = 0;

	for (;; name++) {
		while (*name == ' ')
			name++;
		while (text[n] == ' ')
			n++;
		if (!*name)
			return n;
		if (text[n++] != *name)
			return 0;
	}
}

static bool is_wanted(const struct wanted *w, Dwarf_Die *die)
{
	int tag = w->t->dw.dwarf_tag(die);
	const char *here;

	if (!dwarf_is_record(tag) && tag != DW_TAG_typedef && tag != DW_TAG_enumeration_type)
		return false;
	here = w->t->dw.dwarf_diename(die);
	return here && same_prefix(w->name, here) == strlen(w->name) && *w->name &&
	       !dwarf_flag(w->t, die, DW_AT_declaration);
}

/* The rest of the scope inside a namespace or class; NULL: it is not part of the scope. A namespace
 * or class without a name is part of any scope. */
static const char *scope_in(const struct wanted *w, Dwarf_Die *die, const char *scope)
{
	int tag = w->t->dw.dwarf_tag(die);
	const char *name;
	size_t n;

	if (!is_scope(tag) || (w->is_anywhere && tag != DW_TAG_namespace))
		return NULL;
	name = w->t->dw.dwarf_diename(die);
	n = name ? same_prefix(scope, name) : 0;
	if (!name || w->is_anywhere)
		return tag == DW_TAG_namespace ? scope : NULL;
	return n && strncmp(scope + n, "::", 2) == 0 ? scope + n + 2 : NULL;
}

static bool find_in(const struct wanted *w, Dwarf_Die *parent, const char *scope, int depth)
{
	Dwarf_Die die;

	if (depth > NEST_MAX || w->t->dw.dwarf_child(parent, &die) != 0)
		return false;
	do {
		const char *rest = scope_in(w, &die, scope);

		if (!*scope && is_wanted(w, &die)) {
			*w->out = die;
			return true;
		}
		if (rest && find_in(w, &die, rest, depth + 1))
			return true;
	} while (w->t->dw.dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* The last "::" outside of template arguments, or NULL. */
static const char *end_of_scope(const char *name)
{
	const char *end = NULL;
	int depth = 0;

	for (; *name; name++) {
		depth += (*name == '<') - (*name == '>');
		if (!depth && name[0] == ':' && name[1] == ':')
			end = name;
	}
	return end;
}

bool dwarf_scope_find(const struct dwarf_types *t, Dwarf_Die *unit, const char *name,
		      Dwarf_Die *out)
{
	const char *end = end_of_scope(name);
	struct wanted w = {.t = t, .name = end ? end + 2 : name, .is_anywhere = !end, .out = out};
	char scope[1024];

	/* each part of the scope ends with "::", so that is required here */
	if (!end || end == name)
		return find_in(&w, unit, "", 0);
	if ((size_t)(end - name) + 3 > sizeof(scope))
		return false;
	memcpy(scope, name, (size_t)(end - name) + 2);
	scope[end - name + 2] = '\0';
	return find_in(&w, unit, scope, 0);
}
