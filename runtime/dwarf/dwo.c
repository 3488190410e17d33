/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the object file of a unit in the places where libdw looks: beside the program, or in the
 * folder in which it was compiled. Files that libdw can read are remembered, too.
 */
#include "runtime/dwarf/dwo.h"
#include "runtime/dwarf/dwp.h"
#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dwo {
	Dwarf_CU *skeleton;
	struct dwp *file; /* NULL: libdw can read the file */
	struct dwo *next;
};

static const char *text(const struct libdw *l, Dwarf_Die *die, unsigned name, unsigned gnu_name)
{
	Dwarf_Attribute a;

	if (!l->dwarf_attr(die, name, &a) && !(gnu_name && l->dwarf_attr(die, gnu_name, &a)))
		return NULL;
	return l->dwarf_formstring(&a);
}

/* Open DIR/NAME, where both may be absolute, or relative to the program's folder. */
static struct dwp *open_at(const struct libdw *l, const char *dir, const char *name)
{
	const char *slash = l->path ? strrchr(l->path, '/') : NULL;
	int n_program = slash && *dir != '/' && *name != '/' ? (int)(slash - l->path) + 1 : 0;
	char path[PATH_MAX];
	int n;

	if (*name == '/')
		n = snprintf(path, sizeof(path), "%s", name);
	else
		n = snprintf(path, sizeof(path), "%.*s%s%s%s", n_program, l->path ? l->path : "",
			     dir, *dir ? "/" : "", name);
	return n > 0 && n < (int)sizeof(path) ? dwp_open_object(path) : NULL;
}

static struct dwp *open_of(const struct libdw *l, Dwarf_Die *skeleton)
{
	const char *name = text(l, skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *dir = text(l, skeleton, DW_AT_comp_dir, 0);
	struct dwp *file = name ? open_at(l, "", name) : NULL;

	return file || !name || !dir ? file : open_at(l, dir, name);
}

bool dwo_unit(struct libdw *l, Dwarf *main, Dwarf_Die *skeleton, uint64_t id, Dwarf_Die *out)
{
	struct dwo *o = l->objects;

	while (o && o->skeleton != skeleton->cu)
		o = o->next;
	if (!o) {
		o = calloc(1, sizeof(*o));
		if (!o)
			return false;
		*o = (struct dwo){skeleton->cu, open_of(l, skeleton), l->objects};
		l->objects = o;
	}
	return o->file && dwp_unit(l, o->file, main, skeleton, id, out);
}

void dwo_close_all(struct libdw *l)
{
	struct dwo *next;

	for (struct dwo *o = l->objects; o; o = next) {
		next = o->next;
		dwp_close(l, o->file);
		free(o);
	}
	l->objects = NULL;
}
