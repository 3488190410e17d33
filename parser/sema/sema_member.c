/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A member that a struct does not have, and which was probably meant: one that is in a row of
 * foreign_member.def, one with underscores before it (`state`, `__state`), one of a struct inside
 * (`sk_state`, `__sk_common.skc_state`), one that is spelled alike, one with a part of the name.
 */
#include "parser/base/find.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

enum { MEMBERS_SHOWN = 20, PREFIX_MOST = 4, END_LEAST = 3 };

static const struct {
	const char *tag, *name, *place;
} foreign_members[] = {
#define FOREIGN_MEMBER(tag, name, place) {tag, name, place},
#include "parser/lang/foreign_member.def"
};

/* Members of a struct, while they are found. */
struct members {
	struct sema *s;
	const struct type *of;
	const char *word;   /* the name that is looked for */
	const char *part;   /* a member with a part of that name; or NULL */
	const char *hidden; /* `__word` */
	const char *inside; /* `member.word` */
	const char *outer;  /* the member whose members are looked at; NULL: those of the struct */
	const char *list;
	uint32_t n;
};

/* The name without its prefix, as state of sk_state: the prefix says of which struct it is. */
static const char *without_prefix(const char *name)
{
	const char *end = strchr(name, '_');

	return end && end > name && end - name <= PREFIX_MOST ? end + 1 : name;
}

static void note_inner(const char *name, void *ctx)
{
	struct members *m = ctx;
	const char *end = without_prefix(m->word);

	if (m->inside || strlen(end) < END_LEAST)
		return;
	if (strcmp(name, m->word) == 0 || strcmp(name, end) == 0 ||
	    (end != m->word && strcmp(without_prefix(name), end) == 0))
		m->inside = arena_printf(m->s->arena, "%s.%s", m->outer, name);
}

static void note_member(const char *name, void *ctx)
{
	struct members *m = ctx;
	struct type_member member;

	if (!m->part && strlen(m->word) > 2 && strstr(name, m->word))
		m->part = name;
	if (*name == '_' && strcmp(name + strspn(name, "_"), m->word) == 0)
		m->hidden = name;
	if (layout_find(m->of, name, &member) && member.type->kind == TY_STRUCT) {
		m->outer = name;
		layout_each_name(member.type, note_inner, m);
	}
	if (m->n++ < MEMBERS_SHOWN)
		m->list = arena_list(m->s->arena, m->list, "%s", name);
}

/* NULL also if the struct, which may be the script's, lacks the first member on the way. */
static const char *foreign_place(struct arena *a, const struct type *t, const char *name)
{
	const char *tag = t->layout->tag ?: "";
	__auto_type row = FIND_ROW(foreign_members,
				   strcmp(item->tag, tag) == 0 && strcmp(item->name, name) == 0);
	struct type_member first;

	if (!row ||
	    !layout_find(t, arena_strndup(a, row->place, strcspn(row->place, ".-")), &first))
		return NULL;
	return row->place;
}

const struct type *struct_no_member(struct sema *s, const struct expr *e, const struct type *t)
{
	const char *name = e->field.name;
	struct members m = {.s = s, .of = t, .word = name, .list = ""};
	const char *meant = foreign_place(s->arena, t, name);
	struct nearest near;

	sema_error(s, e->field.name_span, "no-field", "%s has no member '%s'%s", sema_name_of(s, t),
		   name, s->kernel->recording ? " in a recording" : "");
	layout_each_name(t, note_member, &m);
	nearest_init(&near, name);
	layout_each_name(t, nearest_offer_name, &near);
	if (near.best && near.best_distance > 1 && m.inside)
		near.best = NULL;
	meant = meant ?: m.hidden ?: near.best ?: m.inside ?: m.part;
	if (meant)
		return sema_hint(s, "did you mean '%s'?", meant);
	if (!m.n)
		return &type_error;
	return sema_hint(s, "its members are: %s%s", m.list, m.n > MEMBERS_SHOWN ? ", …" : "");
}
