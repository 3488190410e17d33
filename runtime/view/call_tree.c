/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of calls: see call_tree.h.
 */
#include "runtime/view/call_tree.h"
#include "runtime/view/agg.h"
#include "bpf_helpers/shared.h"
#include "parser/base/text.h"
#include "parser/lang/agg.h"
#include "runtime/view/format.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- children ---------------------------------------------------------------------------- */

struct call_key {
	uint32_t parent;
	enum call_kind kind;
	const char *name; /* interned */
};

static struct call_key key_of(const struct call_node *n)
{
	return (struct call_key){n->parent, n->kind, n->name};
}

HASH_FUNCTIONS(call_table, uint32_t, struct call_key,
	       hash_u64((uint64_t)(uintptr_t)key.name ^
			hash_u64((uint64_t)key.parent << 8 | key.kind)),
	       a.parent == b.parent && a.kind == b.kind && a.name == b.name,
	       key_of(&HASH_TABLE_OWNER(h, struct call_tree, table)->nodes.items[*e]), *e)

/* The name, escaped and kept; NULL without memory. */
static const char *keep_name(struct call_tree *t, enum escape_set set, const char *name)
{
	size_t n = strlen(name);
	const char *kept;
	char *escaped;

	if (escape_clean(set, name, n) == n)
		return string_set_intern(&t->names, name);
	escaped = escape_copy(set, name, n, &n);
	kept = escaped ? string_set_intern(&t->names, escaped) : NULL;
	free(escaped);
	return kept;
}

uint32_t call_tree_child(struct call_tree *t, uint32_t parent, enum call_kind kind,
			 enum escape_set set, const char *name)
{
	struct call_key key = {.parent = parent, .kind = kind};
	uint32_t *found, index = (uint32_t)t->nodes.n, depth = t->nodes.items[parent].depth + 1;

	if (depth > CALL_DEPTH_MOST)
		return parent;
	if (depth == CALL_DEPTH_MOST) {
		key.kind = CALL_NOTE;
		name = "[deeper calls are not shown]";
	}
	key.name = keep_name(t, set, name);
	if (!key.name)
		return 0;
	found = call_table_find(&t->table, key);
	if (found)
		return *found;
	if (vec_push(&t->nodes, (struct call_node){.name = key.name,
						   .kind = key.kind,
						   .depth = depth,
						   .parent = parent,
						   .next = t->nodes.items[parent].child}))
		return 0;
	if (call_table_insert(&t->table, index)) {
		t->nodes.n--;
		return 0;
	}
	t->nodes.items[parent].child = index;
	return index;
}

/* ---- rows -------------------------------------------------------------------------------- */

static bool is_stack(const struct type *t)
{
	return t->kind == TY_KSTACK || t->kind == TY_USTACK;
}

bool call_tree_has_stack(const struct type *t)
{
	bool has = is_stack(t);

	for (uint32_t i = 0; t->kind == TY_TUPLE && i < t->n_members; i++)
		has |= call_tree_has_stack(t->members[i].type);
	return has;
}

static bool has_weight(const struct type *t)
{
	if (t->kind == TY_AGG)
		return agg_rows[t->agg].layout == AL_SUM || agg_has_total(t) ||
		       (agg_has_buckets(t) && !agg_is_series(t));
	return t->kind == TY_INT;
}

static uint64_t weight_of(const struct view *v)
{
	uint64_t n;

	if (agg_has_buckets(v->type))
		return v->histogram.total;
	n = agg_has_total(v->type) ? v->stats.total : v->integer;
	return v->type->is_signed && (int64_t)n < 0 ? 0 : n;
}

bool call_tree_takes(const struct view_map *m)
{
	bool has_stack = false;

	for (uint32_t i = 0; m->n_rows && i < m->n_keys; i++)
		has_stack |= call_tree_has_stack(m->rows[0].keys[i].type);
	return has_stack && has_weight(m->rows[0].value.type);
}

enum { LABEL_BYTES = 4096 }; /* labels that are longer are cut */

static uint32_t add_label(struct call_tree *t, uint32_t at, const struct view *v)
{
	char bytes[LABEL_BYTES];
	struct text text = text_in_array(bytes, sizeof(bytes));

	format_view(&text, v);
	text_terminate(&text);
	return call_tree_child(t, at, CALL_LABEL, ESCAPE_MESSAGE, bytes);
}

/* A mapping without a file is that of a compiler at run time. */
static enum call_kind kind_of(const struct view_stack *s, const struct view_frame *f)
{
	if (f->ip == SONDE_STACK_GAP)
		return CALL_NOTE;
	if (!s->is_user)
		return f->module ? CALL_MODULE : CALL_KERNEL;
	if (!f->module || strncmp(f->module, "//", 2) == 0 || *f->module == '[')
		return f->module && strcmp(f->module, "[vdso]") == 0 ? CALL_KERNEL : CALL_GENERATED;
	return strstr(text_base_name(f->module), ".so") ? CALL_LIBRARY : CALL_PROGRAM;
}

static uint32_t add_frame(struct call_tree *t, uint32_t at, const struct view_stack *s,
			  const struct view_frame *f)
{
	char name[256];

	if (f->name && s->is_user && f->module && strcmp(f->module, "[vdso]") == 0) {
		snprintf(name, sizeof(name), "%s [vdso]", f->name);
		return call_tree_child(t, at, kind_of(s, f), ESCAPE_NAME, name);
	}
	if (f->name)
		return call_tree_child(t, at, kind_of(s, f), ESCAPE_NAME, f->name);
	snprintf(name, sizeof(name), f->module ? "[%s]" : "[unknown]",
		 f->module ? text_base_name(f->module) : "");
	return call_tree_child(t, at, f->module ? kind_of(s, f) : CALL_NOTE, ESCAPE_NAME, name);
}

static uint32_t add_stack(struct call_tree *t, uint32_t at, const struct view_stack *s)
{
	char note[128];

	if (s->is_lost)
		return call_tree_child(t, at, CALL_NOTE, ESCAPE_NAME, "[stack lost]");
	if (s->cut) {
		snprintf(note, sizeof(note), "[truncated: %s]", s->cut);
		at = call_tree_child(t, at, CALL_NOTE, ESCAPE_NAME, note);
		if (!at)
			return 0;
	}
	for (uint32_t i = s->n; i-- > 0;) {
		at = add_frame(t, at, s, &s->frames[i]);
		if (!at)
			return 0;
	}
	return at;
}

/* ---- rows of maps ------------------------------------------------------------------------ */

enum { PARTS = 64 };

/* The parts of a key, with those of its tuples. */
struct key_parts {
	struct view views[PARTS];
	uint32_t n;
};

static void add_parts(struct key_parts *p, const struct view *v)
{
	struct view part;

	if (v->type->kind != TY_TUPLE) {
		if (p->n < PARTS)
			p->views[p->n++] = *v;
		return;
	}
	for (uint32_t i = 0; i < v->type->n_members; i++) {
		view_part(v, i, &part);
		add_parts(p, &part);
	}
}

static uint32_t count_of(const struct key_parts *p, enum type_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		n += p->views[i].type->kind == kind;
	return n;
}

/* Where the group of parts that begins at `from` ends: the stacks of one thread, and the labels
 * before them. A key with one stack of each kind is one group. */
static uint32_t group_end(const struct key_parts *p, uint32_t from)
{
	bool seen[2] = {false}, is_several;
	uint32_t last = p->n;

	is_several = count_of(p, TY_USTACK) > 1 || count_of(p, TY_KSTACK) > 1;
	while (last > from && !is_stack(p->views[last - 1].type))
		last--;
	for (uint32_t i = from; is_several && i < last; i++) {
		const struct type *t = p->views[i].type;
		bool is_user = t->kind == TY_USTACK;

		if (is_stack(t) ? seen[is_user] : seen[0] || seen[1])
			return i;
		seen[is_user] |= is_stack(t);
	}
	return p->n;
}

static int add_group(struct call_tree *t, uint32_t *at, const struct view *views, uint32_t n,
		     const char *delimiter)
{
	static const enum type_kind order[] = {TY_USTACK, TY_KSTACK};
	bool has_user = false;

	for (uint32_t i = 0; i < n; i++)
		if (!is_stack(views[i].type) && !(*at = add_label(t, *at, &views[i])))
			return -ENOMEM;
	for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
		for (uint32_t i = 0; i < n; i++) {
			const struct view_stack *s = &views[i].stack;

			if (views[i].type->kind != order[k] || (!s->n && !s->cut && !s->is_lost))
				continue;
			if (has_user && delimiter &&
			    !(*at = call_tree_child(t, *at, CALL_LABEL, ESCAPE_NAME, delimiter)))
				return -ENOMEM;
			*at = add_stack(t, *at, s);
			if (!*at)
				return -ENOMEM;
			has_user = true;
		}
	return 0;
}

static int add_row(struct call_tree *t, uint32_t at, const struct view_map *m,
		   const struct view_row *r)
{
	struct key_parts parts = {.n = 0};
	int err = 0;

	for (uint32_t i = 0; i < m->n_keys; i++)
		add_parts(&parts, &r->keys[i]);
	for (uint32_t i = 0, end; i < parts.n && !err; i = end) {
		end = group_end(&parts, i);
		err = add_group(t, &at, &parts.views[i], end - i, m->delimiter);
	}
	if (!err)
		t->nodes.items[at].self += weight_of(&r->value);
	return err;
}

int call_tree_add(struct call_tree *t, uint32_t parent, const struct view_map *m)
{
	int err = 0;

	for (uint32_t i = 0; i < m->n_rows && !err; i++)
		err = add_row(t, parent, m, &m->rows[i]);
	return err;
}

/* ---- spans ------------------------------------------------------------------------------- */

enum call_kind call_kind_of_span(uint8_t kind)
{
	static const enum call_kind kinds[VIEW_SPAN_KINDS] = {
		[VIEW_SPAN_USER] = CALL_PROGRAM,  [VIEW_SPAN_LIBRARY] = CALL_LIBRARY,
		[VIEW_SPAN_KERNEL] = CALL_KERNEL, [VIEW_SPAN_SYSCALL] = CALL_KERNEL,
		[VIEW_SPAN_OFF_CPU] = CALL_NOTE,  [VIEW_SPAN_ON_CPU] = CALL_NOTE,
	};

	return kinds[kind];
}

/* trees->path is the node of each level. */
int call_tree_add_spans(struct call_tree *t, uint32_t parent, struct span_trees *trees,
			const struct span_thread *thread)
{
	trees->path.n = 0;
	for (size_t i = 0; i < thread->spans.n; i++) {
		const struct span_item *s = &thread->spans.items[i];
		uint32_t at = s->level ? trees->path.items[s->level - 1] : parent;

		if (!s->is_shown)
			at = call_tree_child(t, at, call_kind_of_span(s->kind), ESCAPE_NAME,
					     s->name);
		trees->path.n = s->level;
		if ((!at && !s->is_shown) || vec_push(&trees->path, at))
			return -ENOMEM;
		t->nodes.items[at].calls += !s->is_shown;
		t->nodes.items[at].left += s->is_left;
		t->nodes.items[at].self += s->is_shown ? 0 : s->self;
	}
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

int call_tree_init(struct call_tree *t, const char *root)
{
	const char *name;

	*t = (struct call_tree){0};
	name = keep_name(t, ESCAPE_NAME, root);
	return !name ? -ENOMEM
		     : vec_push(&t->nodes, (struct call_node){.name = name, .kind = CALL_ROOT});
}

static int by_parent_and_name(const void *x, const void *y)
{
	const struct call_node *a = *(struct call_node *const *)x,
			       *b = *(struct call_node *const *)y;

	return ORDER(a->parent, b->parent) ?: strcmp(a->name, b->name) ?: ORDER(a->kind, b->kind);
}

int call_tree_finish(struct call_tree *t)
{
	size_t n = t->nodes.n;
	struct call_node **sorted = calloc(n, sizeof(*sorted)), *all = t->nodes.items;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		sorted[i] = &all[i];
		all[i].total = all[i].self;
		all[i].total_before = all[i].self_before;
		all[i].child = all[i].next = 0;
	}
	/* a node comes after its parent */
	for (size_t i = n; i-- > 1;) {
		all[all[i].parent].total += all[i].total;
		all[all[i].parent].total_before += all[i].total_before;
	}
	qsort(sorted + 1, n - 1, sizeof(*sorted), by_parent_and_name);
	for (size_t i = n; i-- > 1;) {
		struct call_node *parent = &all[sorted[i]->parent];

		sorted[i]->next = parent->child;
		parent->child = (uint32_t)(sorted[i] - all);
	}
	free(sorted);
	return 0;
}

uint32_t call_tree_next(const struct call_tree *t, uint32_t at, bool descends, uint32_t *level)
{
	const struct call_node *nodes = t->nodes.items;

	if (descends && nodes[at].child) {
		++*level;
		return nodes[at].child;
	}
	for (; at && !nodes[at].next; --*level)
		at = nodes[at].parent;
	return at ? nodes[at].next : 0;
}

void call_tree_free(struct call_tree *t)
{
	vec_free(&t->nodes);
	hash_free(&t->table);
	string_set_free(&t->names);
}
