/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of tracepoint fields, function arguments and results, from the kernel's format files,
 * BTF and debug information.
 */
#include "parser/base/text.h"
#include "parser/base/limits.h"
#include "parser/lang/field_type.h"

bool field_is_text(const struct tp_field *f)
{
	const char *type = f->type_text, *star;

	if (!type)
		return false;
	type += strncmp(type, "const ", 6) == 0 ? 6 : 0;
	star = strchr(type, '*');
	return strncmp(type, "char ", 5) == 0 && star && !strchr(star + 1, '*');
}

/* Arguments of system calls are 64-bit words in the record, whatever their C type; the call
 * itself uses only the low bytes. Beside the names of C and of scripts: */
static const struct narrow {
	const char *text;
	uint32_t size;
	bool is_signed;
} narrow[] = {
	{"uid_t", 4, false},	 {"gid_t", 4, false},	  {"umode_t", 2, false},
	{"mode_t", 4, false},	 {"clockid_t", 4, true},  {"key_t", 4, true},
	{"timer_t", 4, true},	 {"mqd_t", 4, true},	  {"key_serial_t", 4, true},
	{"rwf_t", 4, true},	 {"__u32", 4, false},	  {"__s32", 4, true},
	{"off_t", 8, true},	 {"loff_t", 8, true},	  {"__u64", 8, false},
	{"old_uid_t", 2, false}, {"old_gid_t", 2, false},
};

/* The integer type of a C type name; NULL when it is not known. */
static const struct type *number_of_c(const char *text)
{
	const struct narrow *row;
	const struct type *t;

	text += strncmp(text, "const ", 6) == 0 ? 6 : 0;
	row = TEXT_ROW(narrow, text, text, strlen(text));
	if (row)
		return type_int(row->size, row->is_signed);
	t = c_types_number(text);
	t = t ? t : type_of_name(text);
	return t && t->kind == TY_INT ? t : NULL;
}

static const struct type *word_type(const struct tp_field *f)
{
	const struct type *t = number_of_c(f->type_text);

	return t ? t : type_int(8, f->is_signed);
}

static bool is_word(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* ---- addresses ----------------------------------------------------------------------------- */

/* What a pointer type points to: "const char *const *" is two levels above char. */
static struct tp_pointee read_pointee(struct arena *a, const char *text)
{
	static const char word[] = "const";
	enum { WORD = sizeof(word) - 1 };
	struct tp_pointee to = {.text = ""};
	size_t n = strlen(text);
	const struct type *t;

	for (;;) {
		if (n && (text[n - 1] == '*' || text[n - 1] == ' '))
			to.levels += text[--n] == '*';
		else if (to.levels && n > WORD && strncmp(text + n - WORD, word, WORD) == 0)
			n -= WORD;
		else
			break;
	}
	if (n > WORD && strncmp(text, word, WORD) == 0 && text[WORD] == ' ') {
		text += WORD + 1;
		n -= WORD + 1;
	}
	to.text = arena_printf(a, "%.*s", (int)n, text);
	t = number_of_c(to.text);
	t = t ? t : type_of_name(to.text);
	to.size = t ? t->size : 0;
	to.is_signed = t && t->is_signed;
	return to;
}

static const char *without_const(const char *text)
{
	return text + (strncmp(text, "const ", 6) ? 0 : 6);
}

const struct type *field_pointer_type(struct arena *a, const struct tp_field *f,
				      enum type_space space)
{
	const struct type *t = is_word(f->to.size) ? type_int(f->to.size, f->to.is_signed) : NULL;

	if (!f->to.levels)
		return NULL;
	t = t ? t : type_float_named(without_const(f->to.text));
	t = t ? t : type_opaque(a, f->to.text);
	for (uint32_t i = 0; i < f->to.levels; i++)
		t = type_pointer(a, t, i + 1 == f->to.levels ? space : SPACE_NONE);
	return t;
}

/* Pointers to different types become void *; a pointer and a number become a number. */
const struct type *field_common_type(struct arena *a, const struct type *x, const struct type *y)
{
	bool x_is = x->kind == TY_POINTER, y_is = y->kind == TY_POINTER;

	if (type_equal(x, y))
		return x;
	if (x_is && y_is)
		return type_pointer(a, &type_void, x->space);
	return type_unify(x_is ? type_int(8, false) : x, y_is ? type_int(8, false) : y);
}

/* A field of variable length: a string, or the address of its elements in the record. Those of
 * __rel_loc, which begin elsewhere, have no type. */
static const struct type *data_loc_type(struct arena *a, const struct tp_field *f)
{
	static const char word[] = "__data_loc ";
	const char *of = f->type_text + strlen(word);
	struct tp_field address = {0};

	if (strncmp(f->type_text, word, strlen(word)) != 0)
		return NULL;
	if (strcmp(of, "char[]") == 0)
		return type_string(a, LIMIT_STR);
	address.to = read_pointee(a, arena_printf(a, "%.*s *", (int)strcspn(of, "["), of));
	return field_pointer_type(a, &address, SPACE_KERNEL);
}

const struct type *field_type(struct arena *a, const struct tp_field *f)
{
	if (f->is_data_loc)
		return data_loc_type(a, f);
	if (f->is_char_array)
		return type_chars(a, f->size);
	if (f->elem_size && is_word(f->elem_size) && f->size && f->size <= LIMIT_ARRAY_BYTES)
		return type_array(a, type_int(f->elem_size, f->is_signed), f->size / f->elem_size);
	if (f->elem_size)
		return NULL;
	if (f->size == 8) {
		struct tp_field address = {.to = read_pointee(a, f->type_text)};
		const struct type *t = field_pointer_type(a, &address, SPACE_NONE);

		return t ? t : word_type(f);
	}
	return is_word(f->size) ? type_int(f->size, f->is_signed) : NULL;
}

const struct type *field_result_type(const struct attach_point *p)
{
	const struct typed_function *f = probe_typed(p);
	bool is_kretprobe = point_has(p, ARM_KERNEL) && probe_is_return(p);
	bool is_fexit = probe_rows[p->id].context == CTX_TYPED_RETURN;

	if (point_has(p, ARM_USER) && p->user.result)
		return p->user.result;
	if (!f || (!is_fexit && !is_kretprobe) || (is_kretprobe && !f->result.size))
		return type_int(8, false);
	return f->result.size ? type_int(f->result.size, f->result.is_signed) : NULL;
}

const struct type *iter_field_type(struct arena *a, const struct iter_field *f)
{
	if (f->is_pointer && f->to)
		return type_pointer(a, type_opaque(a, f->to), SPACE_KERNEL);
	return f->is_pointer ? type_int(8, false) : type_int(f->size, f->is_signed);
}
