/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of calls: see call_tree.h.
 */
#include "runtime/view/call_tree.h"
#include "runtime/view/agg.h"
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
	if (view_frame_is_gap(f))
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
	if (f->name && f->file && view_frame_is_run(f)) {
		snprintf(name, sizeof(name), "%s (%s)", f->name, view_frame_file(f));
		return call_tree_child(t, at, CALL_INTERPRETED, ESCAPE_NAME, name);
	}
	if (f->name)
		return call_tree_child(t, at, kind_of(s, f), ESCAPE_NAME, f->name);
	snprintf(name, sizeof(name), f->module ? "[%s]" : "[unknown]",
		 f->module ? text_base_name(f->module) : "");
	return call_tree_child(t, at, f->module ? kind_of(s, f) : CALL_NOTE, ESCAPE_NAME, name);
}

static bool is_empty(const struct view_stack *s)
{
	return !s->n && !s->cut && !s->is_lost;
}

static uint32_t add_stack(struct call_tree *t, uint32_t at, const struct view_stack *s)
{
	char note[128];

	if (s->is_lost)
		return call_tree_child(t, at, CALL_NOTE, ESCAPE_NAME, "[" VIEW_STACK_LOST "]");
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

/* *at: the node that the parts before led to, and then the new one. `before`: the part before,
 * NULL at the first one. 0 or -ENOMEM. */
static int add_part(struct call_tree *t, uint32_t *at, const struct view *v,
		    const struct view *before, const char *delimiter)
{
	const struct view_stack *s = &v->stack;
	bool is_stack = stack_key_is_stack(v->type);

	if (is_stack && is_empty(s))
		return 0;
	if (delimiter && v->type->kind == TY_KSTACK && before && before->type->kind == TY_USTACK &&
	    !is_empty(&before->stack) &&
	    !(*at = call_tree_child(t, *at, CALL_LABEL, ESCAPE_NAME, delimiter)))
		return -ENOMEM;
	*at = is_stack ? add_stack(t, *at, s) : add_label(t, *at, v);
	return *at ? 0 : -ENOMEM;
}

static int add_row(struct call_tree *t, uint32_t at, const struct view_map *m,
		   const struct view_row *r)
{
	struct stack_key k;
	int err = 0;

	stack_key_make(&k, m, r);
	for (uint32_t i = 0; i < k.n && !err; i++)
		err = add_part(t, &at, &k.parts[i], i ? &k.parts[i - 1] : NULL, m->delimiter);
	if (!err)
		t->nodes.items[at].self += stack_key_weight(&r->value);
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
