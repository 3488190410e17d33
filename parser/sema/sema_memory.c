/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pass 2 for memory: pointers (arithmetic, what they point to and in which address space) and
 * arrays (casts, indexes, comparisons). Called by sema_type.c and sema_compound.c.
 */
#include "parser/sema/sema_type.h"

/* ---- pointers ---------------------------------------------------------------------------- */

/* Operators that extract a part of an address. */
static bool is_of_address(enum op op)
{
	return op == OP_BAND || op == OP_BOR || op == OP_BXOR || op == OP_SHL || op == OP_SHR ||
	       op == OP_DIV || op == OP_MOD;
}

/* pointer + n, n + pointer and pointer - n give a pointer; pointer & n and the like a number. At
 * least one operand of `e` is a pointer. */
const struct type *memory_arith(struct sema *s, struct expr *e)
{
	const struct type *x = struct_resolve(s, e->binary.left),
			  *y = struct_resolve(s, e->binary.right);
	bool left = x->kind == TY_POINTER;

	if (sema_is_wrong(x) || sema_is_wrong(y))
		return &type_error;
	struct_has_size(left ? x->to : y->to);
	if ((e->binary.op == OP_ADD || (e->binary.op == OP_SUB && left)) &&
	    (type_is_integral(left ? y : x) || (left ? y : x) == &sema_unknown))
		return left ? x : y;
	if (is_of_address(e->binary.op) && (left || type_is_integral(x)) &&
	    (!left || y->kind == TY_POINTER || type_is_integral(y)))
		return type_from(sema_word(false), (left ? x : y)->space);
	sema_error(s, e->span, "operand-type", "'%s' cannot be used on %s and %s",
		   op_str(e->binary.op), sema_name_of(s, x), sema_name_of(s, y));
	return sema_hint(
		s,
		"a number can be added to a pointer or subtracted from it; cast it to uint64 for other calculations");
}

bool memory_comparable(const struct type *x, const struct type *y)
{
	bool has_pointer = x->kind == TY_POINTER || y->kind == TY_POINTER;

	return has_pointer && (x->kind == TY_POINTER || type_is_integral(x)) &&
	       (y->kind == TY_POINTER || type_is_integral(y));
}

const struct type *memory_copied(struct sema *s, const struct type *t, enum type_space space)
{
	const struct type *to;

	if (space == SPACE_NONE)
		return t;
	switch (t->kind) {
	case TY_POINTER: return t->space == SPACE_NONE ? type_pointer(s->arena, t->to, space) : t;
	case TY_INT: /* of the kernel's numbers some are addresses in a program */
		return space == SPACE_USER ? type_from(t, space) : t;
	case TY_STRUCT: return layout_in_space(t, space);
	case TY_ARRAY:
		to = memory_copied(s, t->to, space);
		return to == t->to ? t : type_array(s->arena, to, type_elements(t));
	default: return t;
	}
}

const struct type *memory_unify_copies(const struct type *x, const struct type *y)
{
	enum type_space space = type_join_spaces(x->space, y->space);

	return space == x->space ? x : space == y->space ? y : layout_in_space(x, space);
}

/* The type of what is read through `t`. A pointer read there is in the same address space. */
static const struct type *pointee(struct sema *s, const struct type *t)
{
	enum type_space space = t->space;

	if (space == SPACE_NONE && t->to->kind != TY_POINTER)
		space = ast_space(s->probe);
	return memory_copied(s, t->to, space);
}

const struct type *memory_not_recorded(struct sema *s, struct span span, const struct type *t)
{
	sema_error(s, span, "not-recorded", "this reads a %s, and recordings have no memory",
		   sema_name_of(s, t));
	return sema_hint(s, "they have the fields of events; what a script reads in memory is kept "
			    "by recording what it prints: sonde record -o FILE SCRIPT");
}

static const struct type *unreadable(struct sema *s, const struct expr *e, const struct type *t)
{
	if (s->kernel->recording)
		return memory_not_recorded(s, e->span, t->to);
	sema_error(s, e->span, "operand-type",
		   "cannot read through %s: cast it to a pointer to a type with a size",
		   sema_name_of(s, t));
	return sema_hint(s, "for example *(uint32 *)p or ((struct NAME *)p)->member");
}

const struct type *memory_given(const struct sema *s, const struct type *t)
{
	return ast_space(s->probe) == SPACE_USER ? type_from(t, SPACE_USER) : t;
}

bool memory_is_clear(struct sema *s, const struct expr *e, const struct type *t)
{
	if (t->kind != TY_INT || t->from != SPACE_BOTH)
		return true;
	sema_error(s, e->span, "pointer-space",
		   "this number is made from addresses of the kernel and of the traced program");
	sema_hint(s, "say which it is: kptr(…) or uptr(…)");
	return false;
}

bool memory_is_of_span(struct sema *s, const struct expr *e, const struct type *t)
{
	if (!type_is_in_user_space(t, ast_space(s->probe) == SPACE_USER) || !sema_is_open_end(s))
		return true;
	sema_error(
		s, e->span, "span-memory",
		"%s reads memory of the current thread; with open_spans = count the span may be another thread's: write entry(%s(…))",
		e->call.name, e->call.name);
	return false;
}

const struct type *memory_check_space(struct sema *s, const struct expr *e, enum type_space space)
{
	if (space == SPACE_NONE)
		space = ast_space(s->probe);
	if (space == SPACE_USER && ast_span(s->probe) == SPAN_SWITCH)
		return sema_error(
			s, e->span, "span-memory",
			"this reads the memory of the thread that leaves the CPU, which is not the span's");
	if (space == SPACE_USER && sema_is_open_end(s))
		return sema_error(
			s, e->span, "span-memory",
			"this reads the memory of the current thread, which with open_spans = count is not the span's");
	return NULL;
}

const struct type *memory_read(struct sema *s, const struct expr *e, const struct type *t)
{
	const struct type *wrong;

	if (!memory_is_clear(s, e, t))
		return &type_error;
	wrong = memory_check_space(s, e, type_space_of(t));
	if (wrong)
		return wrong;
	if (t->kind == TY_POINTER && !struct_has_size(t->to))
		return unreadable(s, e, t);
	return t->kind == TY_POINTER
		       ? pointee(s, t)
		       : memory_copied(s, sema_word(false), ast_number_space(s->probe, t));
}

/* ---- arrays ------------------------------------------------------------------------------ */

static bool is_element(const struct type *t)
{
	switch (t->kind) {
	case TY_STRING:
	case TY_STRUCT:
	case TY_ARRAY: return struct_has_size(t);
	case TY_FLOAT:
	case TY_POINTER: return true;
	default: return type_is_integral(t);
	}
}

/* TYPE[n]; NULL after an error. With n 0 the cast decides the number of elements. */
const struct type *memory_array(struct sema *s, struct span at, const struct type *elem, uint64_t n)
{
	if (!is_element(elem)) {
		sema_error(
			s, at, "array-element",
			"an array cannot hold %s: elements are numbers, pointers, strings, structs or arrays",
			sema_name_of(s, elem));
		if (elem->kind == TY_BUFFER)
			sema_hint(s, "bytes up to a NUL fit in strings: str(p, n)");
		return NULL;
	}
	if (n > LIMIT_ARRAY_BYTES || n * elem->size > LIMIT_ARRAY_BYTES) {
		sema_error(s, at, "limit-array", "this array takes more than %d bytes",
			   LIMIT_ARRAY_BYTES);
		return NULL;
	}
	return type_array(s->arena, elem, (uint32_t)n);
}

/* A cast of `t` to the array `to`, or of an array to a number; NULL when it is neither. */
const struct type *memory_cast(struct sema *s, struct expr *e, const struct type *t,
			       const struct type *to)
{
	bool from_int = type_is_integral(t), from_text = t->kind == TY_STRING;

	if (t->kind == TY_ARRAY && to->kind == TY_INT && t->size == to->size)
		return to;
	if (to->kind != TY_ARRAY)
		return NULL;
	if (!type_is_integral(to->to) && to->to->kind != TY_POINTER)
		return type_equal(t, to) ? to : NULL;
	if (!to->size && (from_int || from_text || t->kind == TY_ARRAY) &&
	    t->size % to->to->size == 0)
		to = memory_array(s, e->span, to->to, t->size / to->to->size);
	if (!to)
		return &type_error;
	if (to->size && ((from_int && to->size <= 8) || type_equal(t, to) ||
			 (from_text && to->to->size == 1 && to->size == t->size)))
		return to;
	if (!to->size || (!from_int && !from_text))
		return NULL;
	return sema_error(s, e->span, "cast-type", "%s has %u bytes, but %s has %u",
			  sema_name_of(s, t), t->size, sema_name_of(s, to), to->size);
}

/* ---- len() ------------------------------------------------------------------------------- */

const struct type *chk_len(struct sema *s, struct expr *e)
{
	const struct expr *arg = e->call.args[0];
	const struct type *t = arg->type;
	const struct map *m = ast_is_whole_map(e, 0) ? arg->map.map : NULL;

	if (m && ast_is_keyed_histogram(arg))
		return sema_error(
			s, arg->span, "len-type",
			"a keyed histogram or series has no length: %s has several entries for each key",
			arg->map.name);
	if ((m && m->n_keys) || t->kind == TY_ERROR || t->kind == TY_ARRAY ||
	    t->kind == TY_STRING || t->kind == TY_KSTACK || t->kind == TY_USTACK ||
	    t->kind == TY_TUPLE)
		return sema_word(true);
	sema_error(s, arg->span, "len-type", "%s has no length",
		   m ? "a map without keys" : sema_name_of(s, t));
	return sema_hint(s, "arrays, strings, stacks and maps with keys have one");
}

/* A kernel address, whatever the address space of the probe's arguments. */
const struct type *chk_curtask(struct sema *s, struct expr *e)
{
	return type_pointer(s->arena, type_opaque(s->arena, "struct task_struct"), SPACE_KERNEL);
}

static const struct type *innermost(const struct type *t)
{
	while (t->kind == TY_ARRAY)
		t = t->to;
	return t;
}

/* The size is compared first, so that arrays have the same number of elements. */
bool memory_are_pointers(const struct type *x, const struct type *y)
{
	return x->size == y->size && x->kind == y->kind && innermost(x)->kind == TY_POINTER &&
	       innermost(y)->kind == TY_POINTER;
}

const struct type *memory_declared_array(struct sema *s, const struct type *t,
					 const struct type *value)
{
	enum type_space space = value ? type_space_of(innermost(value)) : SPACE_NONE;

	if (innermost(t)->kind != TY_POINTER)
		return t;
	return memory_copied(s, t, space == SPACE_NONE ? ast_space(s->probe) : space);
}

bool memory_mixes(const struct type *x, const struct type *y)
{
	while (x->kind == TY_ARRAY && y->kind == TY_ARRAY) {
		x = x->to;
		y = y->to;
	}
	return (x->kind == TY_POINTER || y->kind == TY_POINTER) &&
	       type_join_spaces(type_space_of(x), type_space_of(y)) == SPACE_BOTH;
}
