/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of types that languages have in their libraries, where they are printed or are keys: text
 * as text, containers as their size, an Option as what it holds. The value is rewritten to an
 * expression of its members; a struct that has such members to the record of all its members.
 * Whether a type is one of these is decided by its name and by the members that are needed.
 */
#include "parser/sema/sema_type.h"

enum known_form {
	KNOWN_TEXT,   /* bytes at the first pointer in `data`, as many as `size` says */
	KNOWN_SIZE,   /* elements from `data` up to before `size` */
	KNOWN_LENGTH, /* as many elements as `size` says */
	KNOWN_OPTION, /* the variant of runtime/kernel/dwarf_layout.c */
};

static const struct known_row {
	const char
		*name; /* the first part of the type's name; all of it without a last '<' or '[' */
	enum known_form form;
	const char *data, *size; /* members */
} rows[] = {
	/* C++: libstdc++ */
	{"basic_string<char,", KNOWN_TEXT, "_M_dataplus", "_M_string_length"},
	{"basic_string_view<char,", KNOWN_TEXT, "_M_str", "_M_len"},
	{"vector<", KNOWN_SIZE, "_M_impl._M_start", "_M_impl._M_finish"},
	/* Rust */
	{"&str", KNOWN_TEXT, "data_ptr", "length"},
	{"&mut str", KNOWN_TEXT, "data_ptr", "length"},
	{"String", KNOWN_TEXT, "vec", "vec.len"},
	{"Vec<", KNOWN_LENGTH, "buf", "len"},
	{"&[", KNOWN_LENGTH, "data_ptr", "length"},
	{"&mut [", KNOWN_LENGTH, "data_ptr", "length"},
	{"Option<", KNOWN_OPTION, "Some.__0", "discriminant"},
	/* Go */
	{"string", KNOWN_TEXT, "str", "len"},
	{"[]", KNOWN_LENGTH, "array", "len"},
};

enum { NEST_MAX = 4 };

/* ---- members ------------------------------------------------------------------------------- */

/* The type of the member at a path such as "vec.len"; NULL: there is none. */
static const struct type *member_at(const struct type *t, const char *path)
{
	struct type_member m = {.type = t};
	char name[64];

	while (*path) {
		size_t n = strcspn(path, ".");

		if (m.type->kind != TY_STRUCT || n >= sizeof(name))
			return NULL;
		memcpy(name, path, n);
		name[n] = '\0';
		if (!layout_find(m.type, name, &m))
			return NULL;
		path += n + (path[n] == '.');
	}
	return m.type;
}

static struct expr *field_at(struct sema *s, struct expr *of, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, ".");

		of = ast_field(s->arena, of->span, of, of->span, arena_strndup(s->arena, path, n));
		path += n + (path[n] == '.');
	}
	return of;
}

/* The first pointer in `of`, which has type t; NULL: there is none. */
static struct expr *pointer_in(struct sema *s, struct expr *of, const struct type *t, int depth)
{
	struct expr *found = t->kind == TY_POINTER ? of : NULL;

	if (t->kind != TY_STRUCT || depth > 2 * NEST_MAX || !layout_complete(t))
		return found;
	for (uint32_t i = 0; !found && i < t->layout->n_members; i++) {
		const struct type_member *m = &t->layout->members[i];

		found = pointer_in(s, m->name ? field_at(s, of, m->name) : of, m->type, depth + 1);
	}
	return found;
}

static bool is_named(const char *tag, const char *name)
{
	size_t n = strlen(name);
	bool is_part = strchr("<[,", name[n - 1]) || strcmp(name, "[]") == 0;

	return is_part ? strncmp(tag, name, n) == 0 : strcmp(tag, name) == 0;
}

static const struct known_row *known(const struct type *t)
{
	const char *tag = t->kind == TY_STRUCT ? t->layout->tag : NULL;

	for (size_t i = 0; tag && i < sizeof(rows) / sizeof(*rows); i++)
		if (is_named(tag, rows[i].name) && member_at(t, rows[i].data) &&
		    member_at(t, rows[i].size))
			return &rows[i];
	return NULL;
}

/* ---- what is written instead --------------------------------------------------------------- */

static struct expr *record(struct sema *s, struct span at, uint32_t n, const char *const *names,
			   struct expr *const *values)
{
	struct expr **items = arena_alloc(s->arena, (n + 1) * sizeof(*items));
	const char **all = arena_alloc(s->arena, (n + 1) * sizeof(*all));
	struct span *spans = arena_alloc(s->arena, (n + 1) * sizeof(*spans));

	for (uint32_t i = 0; i < n; i++) {
		items[i] = values[i];
		all[i] = names[i];
		spans[i] = at;
	}
	return ast_record(s->arena, at, items, all, spans, n);
}

static struct expr *binary(struct sema *s, enum op op, struct expr *l, struct expr *r)
{
	return ast_binary(s->arena, l->span, op, l, r);
}

/* str(POINTER, SIZE + 1): the size includes a NUL. */
static struct expr *text(struct sema *s, struct expr *of, const struct type *t,
			 const struct known_row *row)
{
	struct expr *p = pointer_in(s, field_at(s, of, row->data), member_at(t, row->data), 0);
	struct expr **args = arena_alloc(s->arena, 2 * sizeof(*args)), *call;

	if (!p)
		return NULL;
	args[0] = p;
	args[1] = binary(s, OP_ADD, field_at(s, of, row->size), ast_int(s->arena, of->span, 1));
	call = ast_call(s->arena, of->span, of->span, "str", args, 2);
	call->call.builtin = builtin_find("str");
	return call;
}

static struct expr *number(struct sema *s, struct expr *address)
{
	return sema_cast(s, address->span, sema_word(false), address);
}

/* The size of what a pointer points to; 0: not known. */
static uint32_t element_size(struct sema *s, struct expr *pointer)
{
	const struct type *t = sema_type_expr(s, pointer);

	t = struct_resolve(s, pointer);
	return t->kind == TY_POINTER && struct_has_size(t->to) ? t->to->size : 0;
}

static struct expr *size(struct sema *s, struct expr *of, const struct known_row *row)
{
	struct expr *from = field_at(s, of, row->data), *to = field_at(s, of, row->size), *n;
	uint32_t bytes = element_size(s, field_at(s, of, row->data));

	if (!bytes)
		return NULL;
	n = binary(s, OP_DIV, binary(s, OP_SUB, number(s, to), number(s, from)),
		   ast_int(s->arena, of->span, bytes));
	n = sema_cast(s, of->span, sema_word(false), n);
	return record(s, of->span, 1, (const char *[]){"size"}, &n);
}

/* The value of None; false: the debug information does not say. */
static bool none_of(const struct type *discriminant, int64_t *out)
{
	const struct type_enum *e = discriminant->enumeration;

	for (uint32_t i = 0; e && i < e->n_values; i++)
		if (strcmp(e->values[i].name, "None") == 0) {
			*out = e->values[i].value;
			return true;
		}
	return false;
}

/* (is_some = true, value = 5), or only the first if the value cannot be chosen. */
static struct expr *option(struct sema *s, struct expr *of, const struct type *t,
			   const struct known_row *row)
{
	struct expr *is_some = field_at(s, of, row->size), *value = field_at(s, of, row->data);
	struct expr *otherwise = NULL;
	const struct type *v;
	int64_t none;

	if (!none_of(member_at(t, row->size), &none))
		return NULL;
	is_some = binary(s, OP_NE, is_some, ast_int(s->arena, of->span, (uint64_t)none));
	sema_type_expr(s, value);
	v = known_shown(s, value);
	if (v->kind == TY_STRING)
		otherwise = ast_string(s->arena, of->span, "", 0);
	else if (v->kind == TY_BOOL)
		otherwise = ast_bool(s->arena, of->span, false);
	else if (v->kind == TY_INT || v->kind == TY_POINTER)
		otherwise = ast_int(s->arena, of->span, 0);
	if (otherwise)
		value = AST_EXPR(s->arena, of->span, EX_TERNARY,
				 .ternary = {is_some, value, otherwise});
	return record(s, of->span, otherwise ? 2 : 1, (const char *[]){"is_some", "value"},
		      (struct expr *[]){is_some, value});
}

static struct expr *instead(struct sema *s, struct expr *of, const struct type *t,
			    const struct known_row *row)
{
	struct expr *n;

	switch (row->form) {
	case KNOWN_TEXT: return text(s, of, t, row);
	case KNOWN_SIZE: return size(s, of, row);
	case KNOWN_LENGTH:
		n = field_at(s, of, row->size);
		return record(s, of->span, 1, (const char *[]){"len"}, &n);
	case KNOWN_OPTION: return option(s, of, t, row);
	}
	return NULL;
}

/* ---- structs that have such members -------------------------------------------------------- */

/* Can it be shown as a record of its members? `n`: how many of them are known, in all. */
static bool is_record_of(const struct type *t, uint32_t *n, int depth)
{
	if (depth > NEST_MAX || t->layout->is_union || !layout_complete_whole(t))
		return false;
	t = &t->layout->type;
	for (uint32_t i = 0; i < t->n_members; i++) {
		const struct type_member *m = &t->members[i];

		if (m->type->kind == TY_VOID || !*m->name)
			return false;
		if (m->type->kind == TY_STRUCT && known(m->type))
			++*n;
		else if (m->type->kind == TY_STRUCT)
			(void)is_record_of(m->type, n, depth + 1);
	}
	return true;
}

static struct expr *record_of(struct sema *s, struct expr *of, const struct type *t)
{
	const struct type *whole = &t->layout->type;
	const char **names;
	struct expr **values;
	uint32_t n = 0;

	if (!is_record_of(t, &n, 0) || !n)
		return NULL;
	names = arena_alloc(s->arena, (whole->n_members + 1) * sizeof(*names));
	values = arena_alloc(s->arena, (whole->n_members + 1) * sizeof(*values));
	for (uint32_t i = 0; i < whole->n_members; i++) {
		names[i] = whole->members[i].name;
		values[i] = field_at(s, of, names[i]);
	}
	return record(s, of->span, whole->n_members, names, values);
}

/* The results of a function of Go, of which one is known: the tuple of them. NULL: none is. */
static struct expr *tuple_of(struct sema *s, struct expr *of, const struct type *t)
{
	struct expr **items = arena_alloc(s->arena, (t->n_members + 1) * sizeof(*items));
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_members; i++) {
		const struct type *m = t->members[i].type;

		n += m->kind == TY_STRUCT && layout_complete(m) && known(m);
		items[i] = field_at(s, of, arena_printf(s->arena, "%u", i));
	}
	return n ? AST_EXPR(s->arena, of->span, EX_TUPLE,
			    .list = {.items = items, .n = t->n_members})
		 : NULL;
}

const struct type *known_shown(struct sema *s, struct expr *e)
{
	const struct type *t = e->type;
	bool is_tuple = t->kind == TY_TUPLE && e->kind != EX_TUPLE;
	const struct known_row *row;
	struct expr *of, *other;

	if (ast_space(s->probe) != SPACE_USER ||
	    !(is_tuple || (t->kind == TY_STRUCT && layout_complete(t))))
		return t;
	row = known(t);
	of = arena_new_of(s->arena, struct expr);
	*of = *e;
	other = is_tuple ? tuple_of(s, of, t) : row ? instead(s, of, t, row) : record_of(s, of, t);
	return other ? sema_become(s, e, other) : t;
}
