/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 2 for structs, unions and enums of C: members, offsetof, addresses of members. Types that
 * are known by name only (an argument `struct file *`) are looked up when a member or the size is
 * needed, so that a script that needs neither does not read BTF.
 */
#include "parser/lang/foreign_word.h"
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"
#include <stdlib.h>

/* ---- types known by name ----------------------------------------------------------------- */

/* With the pointers of `t` around it. */
static const struct type *rebuilt(struct sema *s, const struct type *t, const struct type *inner)
{
	if (t->kind != TY_POINTER)
		return inner;
	return type_pointer(s->arena, rebuilt(s, t->to, inner), t->space);
}

/* The type of that name: of the program whose type `of` is, or else of the script or kernel. */
static const struct type *type_named(struct sema *s, const struct type *of, const char *name)
{
	struct c_types *c = s->program->c_types;
	const struct type *t = of->file ? c_types_find_user(c, of->file, name) : NULL;

	return t ? t : c_types_parse(c, name, SPACE_NONE);
}

/* The array that a declaration of C such as "char [4][16]" describes; NULL: it cannot be used. */
static const struct type *array_named(struct sema *s, const struct type *of)
{
	size_t n_name = strcspn(of->name, "[");
	const char *end = of->name + strlen(of->name), *open, *name;
	const struct type *t;

	while (n_name && of->name[n_name - 1] == ' ')
		n_name--;
	name = arena_strndup(s->arena, of->name, n_name);
	t = type_named(s, of, name);
	if (!t || !struct_has_size(t))
		return NULL;
	while (end > of->name + n_name && end[-1] == ']') {
		uint64_t n;

		for (open = end - 1; *open != '['; open--)
			;
		n = strtoull(open + 1, NULL, 10);
		if (!n || !t->size || n > INT32_MAX / t->size)
			return NULL;
		t = end[0] == '\0' && strcmp(name, "char") == 0
			    ? type_chars(s->arena, (uint32_t)n)
			    : type_array(s->arena, t, (uint32_t)n);
		end = open;
	}
	return t;
}

static const struct type *struct_resolved(struct sema *s, const struct type *t)
{
	const struct type *inner = t, *found;

	while (inner->kind == TY_POINTER)
		inner = inner->to;
	if (inner->kind != TY_VOID || !inner->name || t == inner)
		return t;
	if (inner->name[strlen(inner->name) - 1] == ']')
		found = array_named(s, inner);
	else if (inner->file)
		found = c_types_find_user(s->program->c_types, inner->file, inner->name);
	else
		found = c_types_parse(s->program->c_types, inner->name, SPACE_NONE);
	return found ? rebuilt(s, t, found) : t;
}

const struct type *struct_resolve(struct sema *s, struct expr *e)
{
	return e->type = struct_resolved(s, e->type);
}

bool struct_has_size(const struct type *t)
{
	if (t->kind == TY_STRUCT && !t->size)
		layout_complete(t);
	return t->size;
}

/* ---- members ----------------------------------------------------------------------------- */

static bool may_be_address(const struct type *t)
{
	return t->kind == TY_INT && t->size == 8 && t != &sema_literal;
}

static const struct type *no_members(struct sema *s, const struct expr *e, const struct type *t)
{
	sema_error(s, e->span, "no-field", "%s has no members", sema_name_of(s, t));
	if (may_be_address(t) || t->kind == TY_POINTER)
		sema_hint(s, "cast it to a pointer to its struct: ((struct NAME *)x).%s",
			  e->field.name);
	else if (type_is_integral(t) && !foreign_hint(e->field.name) &&
		 e->field.object->kind == EX_FIELD)
		sema_hint(s, "it is a number: leave .%s out", e->field.name);
	else
		sema_hint(
			s, "%s",
			foreign_hint(e->field.name)
				?: arena_printf(s->arena,
						"structs and records have members; the fields of a "
						"probe are args.%s",
						e->field.name));
	return &type_error;
}

static const struct type *undeclared(struct sema *s, struct span span, const struct type *t)
{
	if (s->kernel->recording)
		return memory_not_recorded(s, span, t);
	sema_error(s, span, "incomplete-type", "the members of %s are not known",
		   sema_name_of(s, t));
	return sema_hint(s, "it is declared, but neither the script nor the type "
			    "information of the kernel defines it");
}

/* The type of what is at a member or element of type t, in the memory that `e` is in. */
const struct type *struct_in_place(struct sema *s, const struct expr *e, const struct type *t)
{
	enum type_space space = ast_place_space(e);

	struct_has_size(t);
	if (space == SPACE_NONE && ast_is_place(e) && t->kind != TY_POINTER)
		space = ast_space(s->probe);
	return memory_copied(s, t, space);
}

/* The type of a member of a copied struct. */
static const struct type *in_copy(struct sema *s, const struct expr *e, const struct type *t)
{
	enum type_space space = e->field.object->type->space;
	const struct type *elem = t;

	struct_has_size(t);
	while (elem->kind == TY_ARRAY)
		elem = elem->to;
	if (space != SPACE_BOTH || elem->kind != TY_POINTER)
		return memory_copied(s, t, space);
	sema_error(s, e->field.name_span, "pointer-space",
		   "'%s' is an address of the kernel or of the traced program: "
		   "structs were copied from both",
		   e->field.name);
	return sema_hint(s, "use a variable or map for each");
}

const struct type *struct_member(struct sema *s, struct expr *e)
{
	const struct type *t = struct_resolve(s, e->field.object), *owner = t, *wrong;
	struct type_member m;

	while (owner->kind == TY_POINTER)
		owner = owner->to;
	if (owner->kind == TY_VOID && owner->name && strchr(owner->name, ' '))
		return undeclared(s, e->span, owner);
	if (owner->kind != TY_STRUCT)
		return no_members(s, e, t);
	if (!layout_complete(owner))
		return undeclared(s, e->span, owner);
	if (!layout_find(owner, e->field.name, &m))
		return struct_no_member(s, e, owner);
	if (m.type->kind == TY_VOID)
		return sema_error(s, e->field.name_span, "member-type",
				  "'%s' of %s has a type that cannot be read, such as float",
				  e->field.name, sema_name_of(s, owner));
	if (!ast_is_place(e)) /* a copied struct is not read again */
		return in_copy(s, e, m.type);
	wrong = memory_check_space(s, e, ast_place_space(e));
	return wrong ? wrong : struct_in_place(s, e, m.type);
}

/* ---- offsetof, & ------------------------------------------------------------------------- */

/* The type of the operand of offsetof. Adds the offsets of its members to *at. */
static const struct type *offset_of(struct sema *s, struct expr *e, uint64_t *at)
{
	const struct type *t;
	struct type_member m;

	if (!ast_is_offset_member(e)) {
		t = struct_resolved(s, sema_type_alone(s, e));
		while (t->kind == TY_POINTER)
			t = t->to;
		return t;
	}
	t = offset_of(s, e->field.object, at);
	if (t->kind == TY_ERROR)
		return t;
	if (t->kind != TY_STRUCT)
		return sema_error(s, e->field.name_span, "no-field", "%s has no members",
				  sema_name_of(s, t));
	if (!layout_complete(t))
		return undeclared(s, e->field.name_span, t);
	if (!layout_find(t, e->field.name, &m))
		return struct_no_member(s, e, t);
	if (m.bits)
		return sema_error(s, e->field.name_span, "bit-field",
				  "a bit-field has no offset in bytes");
	*at += m.offset;
	return m.type;
}

const struct type *struct_offsetof(struct sema *s, struct expr *e)
{
	uint64_t at = 0;
	const struct type *t = offset_of(s, e->unary.operand, &at);

	if (sema_is_wrong(t))
		return t;
	if (s->report)
		ast_become_int(e, at, NULL);
	return &sema_literal;
}

static bool is_bit_field(const struct expr *e)
{
	const struct type *owner;
	struct type_member m;

	if (e->kind != EX_FIELD || !e->field.object->type)
		return false;
	for (owner = e->field.object->type; owner->kind == TY_POINTER;)
		owner = owner->to;
	return owner->kind == TY_STRUCT && layout_find(owner, e->field.name, &m) && m.bits;
}

/* The type of &args.FIELD. Only fields in a tracepoint's record have an address: the fields of
 * system calls are registers, and where a span ends, only the values of fields are kept. */
static const struct type *field_address(struct sema *s, struct expr *e)
{
	const struct expr *field = e->unary.operand;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (probe_format(p) && probe_syscall(p) < 0 && ast_span(s->probe) == SPAN_NO &&
		    !s->probe->is_start)
			continue;
		sema_error(s, e->span, "no-address", "args.%s is not in memory here",
			   field->field.name);
		return sema_hint(s, "fields of tracepoints are, except in probes of system calls "
				    "and in probes that end a span");
	}
	return type_pointer(s->arena, field->type, SPACE_KERNEL);
}

const struct type *struct_address(struct sema *s, struct expr *e)
{
	struct expr *of = e->unary.operand;
	const struct type *t = sema_type_expr(s, of);

	if (sema_is_wrong(t))
		return t;
	if (is_bit_field(of))
		return sema_error(s, e->span, "bit-field", "a bit-field has no address");
	if (of->kind == EX_VAR)
		return type_pointer(s->arena, t, SPACE_KERNEL);
	if (ast_is_args_field(of))
		return field_address(s, e);
	if (!ast_is_place(of)) {
		sema_error(s, e->span, "no-address", "this has no address");
		return sema_hint(s, "a variable has one, and a member of what a pointer "
				    "points to: &$x, &$p.member");
	}
	return type_pointer(s->arena, t, ast_place_space(of));
}

/* ---- arrays of no fixed length ------------------------------------------------------------ */

/* Make `e` its address. */
static const struct type *become_address(struct sema *s, struct expr *e)
{
	struct expr *of = arena_new_of(s->arena, struct expr);

	*of = *e;
	return sema_become(s, e, ast_unary(s->arena, of->span, OP_ADDRESS, of));
}

bool struct_is_decayed(struct sema *s, struct expr *e)
{
	const struct type *t = e->type;

	if ((t->kind != TY_ARRAY && t->kind != TY_STRING) ||
	    (!ast_is_place(e) && !ast_is_args_field(e) && e->kind != EX_VAR))
		return false;
	become_address(s, e);
	return true;
}

void struct_decay(struct sema *s, struct expr *e)
{
	if (e->type->kind == TY_ARRAY && !e->type->size && ast_is_place(e))
		become_address(s, e);
}

/* ---- path() ------------------------------------------------------------------------------ */

static const struct type *no_path(struct sema *s, const struct expr *e, const struct type *t)
{
	struct type_member m;

	sema_error(s, e->span, "arg-type", "path needs a struct path, but this is %s",
		   sema_name_of(s, t));
	while (t->kind == TY_POINTER)
		t = t->to;
	if (t->kind == TY_STRUCT && layout_complete(t) && layout_find(t, "f_path", &m))
		sema_hint(s, "write its member f_path: path(x->f_path)");
	else
		sema_hint(s, "write path(file->f_path), or cast an address: "
			     "path((struct path *)x)");
	return &type_error;
}

/* The address of the struct is passed on, not its bytes. */
const struct type *chk_path(struct sema *s, struct expr *e)
{
	struct expr *arg = e->call.args[0];
	const struct type *t = struct_resolve(s, arg), *path = struct_named(s, "struct path");
	uint64_t size =
		e->call.n_args > 1 ? e->call.args[1]->integer.value : s->program->config.max_strlen;

	if (t->kind == TY_STRUCT && path && type_equal(t, path))
		t = become_address(s, arg);
	else if (t->kind != TY_ERROR &&
		 (t->kind != TY_POINTER || !path || !type_equal(t->to, path)))
		return no_path(s, arg, t);
	if (t->kind == TY_ERROR)
		return t;
	if (size >= 2 && size <= LIMIT_STR_REQUESTED)
		return type_string(s->arena, (uint32_t)size);
	return sema_error(s, e->call.args[1]->span, "str-size",
			  "path reads 2 to %d bytes, including the NUL", LIMIT_STR_REQUESTED);
}

/* (struct X)x, which C does not have either, except when x is one. */
const struct type *struct_cast(struct sema *s, const struct expr *e, const struct type *t,
			       const struct type *to)
{
	if (type_equal(t, to) || t == &sema_unknown)
		return to;
	sema_error(s, e->span, "cast-type", "%s cannot be cast to %s", sema_name_of(s, t),
		   sema_name_of(s, to));
	if (t->kind == TY_POINTER && type_equal(t->to, to))
		return sema_hint(s, "it is a pointer: leave the cast out");
	if (t->kind == TY_POINTER || type_is_integral(t))
		return sema_hint(s, "cast it to a pointer: (%s *)%s", sema_name_of(s, to),
				 advice_text(s, e->cast.operand->span, 0) ?: "x");
	return sema_hint(s, "read it at an address: *(%s *)x", sema_name_of(s, to));
}

/* ---- enums ------------------------------------------------------------------------------- */

/* (enum X)5: a literal must be one of its values. */
const struct type *struct_enum_cast(struct sema *s, const struct expr *e, const struct type *to)
{
	const struct expr *of = e->cast.operand;

	if (of->kind != EX_INT || enum_name_of(to->enumeration, (int64_t)of->integer.value))
		return to;
	return sema_error(s, e->span, "enum-value", "%s has no value %lld", sema_name_of(s, to),
			  (long long)of->integer.value);
}

bool struct_constant(struct sema *s, struct expr *e)
{
	const struct c_name *c = c_types_constant(s->program->c_types, e->name.name);

	if (!c)
		return false;
	ast_become_int(e, (uint64_t)c->value, type_wide(c->type));
	return true;
}

/* ---- by value ---------------------------------------------------------------------------- */

/* A struct or array whose bytes are copied. */
void struct_check_value(struct sema *s, const struct expr *e)
{
	const struct type *t = e->type, *elem = t;

	if (!t || (t->kind != TY_STRUCT && t->kind != TY_ARRAY))
		return;
	while (elem->kind == TY_ARRAY)
		elem = elem->to;
	if (t->size > LIMIT_TUPLE_BYTES) {
		diag_error(s->diags, e->span, "limit-struct",
			   "this takes %u bytes, at most %d can be copied", t->size,
			   LIMIT_TUPLE_BYTES);
		diag_hint(s->diags, "read the members that you need");
	} else if (t->kind == TY_ARRAY && !t->size && ast_is_place(e)) {
		diag_error(s->diags, e->span, "limit-array",
			   "an array of no fixed length cannot be copied");
		diag_hint(s->diags, "read its elements: x[0], or take its address: &x");
	} else if (elem->kind == TY_STRUCT && !layout_complete_whole(elem)) {
		diag_error(s->diags, e->span, "incomplete-type", "the members of %s are not known",
			   sema_name_of(s, elem));
	}
}

static const struct type_name *name_in(struct sema *s, const struct expr *e)
{
	struct type_name *n = arena_new_of(s->arena, struct type_name);

	n->span = e->span;
	n->name = e->name.name;
	return n;
}

void struct_name_operand(struct sema *s, struct expr *e)
{
	while (e->kind == EX_FIELD)
		e = e->field.object;
	if (e->kind == EX_NAME && !builtin_find(e->name.name) && struct_named(s, e->name.name))
		*e = *ast_cast(s->arena, e->span, name_in(s, e), ast_int(s->arena, e->span, 0));
}

void struct_name_argument(struct sema *s, struct expr *e)
{
	if (e->kind == EX_NAME && !builtin_find(e->name.name) &&
	    (type_is_name(e->name.name) || struct_named(s, e->name.name)))
		*e = *ast_type(s->arena, e->span, name_in(s, e));
}
