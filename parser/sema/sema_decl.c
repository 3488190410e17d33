/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Map declarations at the root of a script, `let @m = hash(1000);`: checks that the map type
 * exists and can hold the values of @m. The plan takes the number of entries from it, and whether
 * the kernel makes room for new ones.
 * Before: maps have types. After: each declared map agrees with its declaration.
 */
#include "parser/sema/sema.h"
#include "parser/base/text.h"

enum { MOST_ENTRIES = 1 << 26 };

static const struct map_kind {
	const char *name;
	const char *counterpart; /* of the same kind, for values of the other one */
	bool is_percpu, is_lru;
} map_kinds[] = {
	{"hash", "percpuhash", false, false},
	{"lruhash", "percpulruhash", false, true},
	{"percpuhash", "hash", true, false},
	{"percpulruhash", "lruhash", true, true},
};

static const struct map_kind *find_kind(struct sema *s, const struct map_decl *d)
{
	const struct map_kind *kind = TEXT_ROW(map_kinds, name, d->kind, strlen(d->kind));
	const char *near;

	if (kind)
		return kind;
	near = NEAREST(d->kind, map_kinds, sizeof(map_kinds) / sizeof(*map_kinds), item->name);
	diag_error(s->diags, d->kind_span, "map-kind", "unknown map type '%s'", d->kind);
	if (near)
		diag_hint(s->diags, "did you mean '%s'?", near);
	else
		diag_hint(
			s->diags,
			"map types are hash and lruhash, and for aggregations percpuhash and percpulruhash");
	return NULL;
}

static void check_use(struct sema *s, const struct map_decl *d, const struct map_kind *kind,
		      const struct map *m)
{
	bool is_agg = m->value && m->value->kind == TY_AGG;

	if (!m->value || m->value->kind == TY_ERROR)
		return;
	if (is_agg != kind->is_percpu) {
		diag_error(s->diags, d->kind_span, "map-kind",
			   "%s has %s values, which a %s cannot hold", d->name,
			   is_agg ? "aggregated" : "plain", kind->name);
		diag_note(s->diags, m->value_span, "its value comes from here");
		diag_hint(s->diags, "write let %s = %s(%llu);", d->name, kind->counterpart,
			  (unsigned long long)d->max_entries);
	}
}

static void check_decl(struct sema *s, struct map_decl *d)
{
	const struct map_kind *kind = find_kind(s, d);

	if (!kind)
		return;
	d->is_lru = kind->is_lru;
	if (d->max_entries < 1 || d->max_entries > MOST_ENTRIES)
		diag_error(s->diags, d->kind_span, "map-entries", "a map must have 1 to %d entries",
			   MOST_ENTRIES);
	for (uint32_t i = 0; i < s->program->n_maps; i++)
		if (s->program->maps[i]->decl == d) {
			check_use(s, d, kind, s->program->maps[i]);
			return;
		}
	diag_warning(s->diags, d->span, "unused-map", "%s is declared but never used", d->name);
}

static bool check_twice(struct sema *s, uint32_t i)
{
	const struct map_decl *d = s->program->map_decls;

	for (uint32_t j = 0; j < i; j++)
		if (strcmp(d[i].name, d[j].name) == 0) {
			diag_error(s->diags, d[i].span, "redeclared", "%s is declared twice",
				   d[i].name);
			return diag_note(s->diags, d[j].span, "declared here"), true;
		}
	return false;
}

void sema_decls(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_map_decls; i++)
		if (!check_twice(s, i))
			check_decl(s, &s->program->map_decls[i]);
}
