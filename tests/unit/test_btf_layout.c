/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/kernel/btf_layout.c and the layouts of parser/lang/c_type.h: sections built with libbpf,
 * and structs placed as C places them, compared with the compiler's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "parser/base/arena.h"
#include "runtime/kernel/btf_layout.h"

struct section {
	struct btf *btf;
	struct btf_raw raw;
	struct btf_types types;
	struct btf_layouts layouts;
	struct arena *arena;
};

static void open_section(struct section *s, struct btf *btf)
{
	uint32_t len;
	const void *data = btf__raw_data(btf, &len);

	*s = (struct section){.btf = btf, .arena = arena_new()};
	assert_int_equal(btf_raw_init(&s->raw, data, len), 0);
	assert_int_equal(btf_types_init(&s->types, &s->raw, NULL), 0);
	btf_layouts_init(&s->layouts, &s->types, NULL, s->arena);
}

static void close_section(struct section *s)
{
	btf_layouts_free(&s->layouts);
	btf_types_free(&s->types);
	btf__free(s->btf);
	arena_free(s->arena);
}

/* struct outer { int id; union { long word; struct inner *in; }; char name[16]; unsigned flags : 3;
 * int level : 5; float ratio; u64 list[2]; struct hidden *h; enum state state; } */
static struct btf *make_kernel(void)
{
	struct btf *b = btf__new_empty();
	int i32 = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	int u32 = btf__add_int(b, "unsigned int", 4, 0);
	int i64 = btf__add_int(b, "long", 8, BTF_INT_SIGNED);
	int c8 = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	int f32 = btf__add_float(b, "float", 4);
	int inner = btf__add_struct(b, "inner", 8), in, anonymous, name, list, hidden, state;

	btf__add_field(b, "next", btf__add_ptr(b, inner), 0, 0);
	in = btf__add_ptr(b, inner);
	anonymous = btf__add_union(b, NULL, 8);
	btf__add_field(b, "word", i64, 0, 0);
	btf__add_field(b, "in", in, 0, 0);
	name = btf__add_array(b, i32, c8, 16);
	list = btf__add_array(b, i32, i64, 2);
	hidden = btf__add_ptr(b, btf__add_fwd(b, "hidden", BTF_FWD_STRUCT));
	state = btf__add_enum(b, "state", 4);
	btf__add_enum_value(b, "STATE_IDLE", 0);
	btf__add_enum_value(b, "STATE_BUSY", 7);
	btf__add_struct(b, "outer", 88);
	btf__add_field(b, "id", i32, 0, 0);
	btf__add_field(b, NULL, anonymous, 64, 0);
	btf__add_field(b, "name", name, 128, 0);
	btf__add_field(b, "flags", u32, 256, 3);
	btf__add_field(b, "level", i32, 259, 5);
	btf__add_field(b, "ratio", f32, 288, 0);
	btf__add_field(b, "list", list, 320, 0);
	btf__add_field(b, "h", hidden, 448, 0);
	btf__add_field(b, "state", state, 512, 0);
	btf__add_field(b, "beyond", list, 640, 0);
	btf__add_typedef(b, "outer_t", btf__find_by_name_kind(b, "outer", BTF_KIND_STRUCT));
	btf__add_struct(b, "hidden", 4);
	btf__add_field(b, "x", i32, 0, 0);
	return b;
}

static struct type_member member(const struct type *t, const char *name)
{
	struct type_member m = {.name = NULL};

	assert_true(layout_find(t, name, &m));
	return m;
}

static void test_members(void **state)
{
	struct section s;
	const struct type *outer;
	struct type_member m;

	(void)state;
	open_section(&s, make_kernel());
	outer = btf_layouts_find(&s.layouts, C_STRUCT, "outer");
	assert_non_null(outer);
	assert_int_equal(outer->size, 88);
	assert_false(outer->layout->is_complete);
	m = member(outer, "id");
	assert_true(m.type == type_int(4, true) && m.offset == 0 && !m.bits);
	m = member(outer, "word"); /* of the unnamed union */
	assert_true(m.type == type_int(8, true) && m.offset == 8);
	m = member(outer, "name");
	assert_true(m.type->kind == TY_STRING && m.type->size == 16 && m.offset == 16);
	m = member(outer, "flags");
	assert_true(m.offset == 32 && m.bit == 0 && m.bits == 3 && !m.type->is_signed);
	m = member(outer, "level");
	assert_true(m.offset == 32 && m.bit == 3 && m.bits == 5 && m.type->is_signed);
	m = member(outer, "ratio");
	assert_int_equal(m.type->kind, TY_VOID);
	m = member(outer, "list");
	assert_true(m.type->kind == TY_ARRAY && type_elements(m.type) == 2 && m.offset == 40);
	m = member(outer, "state");
	assert_string_equal(enum_name_of(m.type->enumeration, 7), "STATE_BUSY");
	assert_null(enum_name_of(m.type->enumeration, 8));
	m = member(outer, "beyond"); /* the struct ends before it */
	assert_int_equal(m.type->kind, TY_VOID);
	assert_false(layout_find(outer, "nothing", &m));
	close_section(&s);
}

/* A declaration in BTF is completed by the definition of that name. */
static void test_declared(void **state)
{
	struct section s;
	const struct type *h;

	(void)state;
	open_section(&s, make_kernel());
	h = member(btf_layouts_find(&s.layouts, C_STRUCT, "outer"), "h").type;
	assert_int_equal(h->kind, TY_POINTER);
	assert_int_equal(h->to->size, 0);
	assert_int_equal(member(h->to, "x").offset, 0);
	assert_int_equal(h->to->size, 4);
	assert_true(type_equal(h->to, btf_layouts_find(&s.layouts, C_STRUCT, "hidden")));
	close_section(&s);
}

static void test_names(void **state)
{
	struct section s;
	int64_t value = 0;
	const struct type *t;

	(void)state;
	open_section(&s, make_kernel());
	assert_null(btf_layouts_find(&s.layouts, C_STRUCT, "nothing"));
	assert_null(btf_layouts_find(&s.layouts, C_UNION, "outer"));
	assert_null(btf_layouts_find(&s.layouts, C_STRUCT, ""));
	t = btf_layouts_find(&s.layouts, C_TYPEDEF, "outer_t");
	assert_true(t == btf_layouts_find(&s.layouts, C_STRUCT, "outer"));
	assert_true(btf_layouts_find(&s.layouts, C_TYPEDEF, "unsigned int") == type_int(4, false));
	t = btf_layouts_constant(&s.layouts, "STATE_BUSY", &value);
	assert_non_null(t);
	assert_int_equal(value, 7);
	assert_string_equal(type_str(s.arena, t), "enum state");
	assert_null(btf_layouts_constant(&s.layouts, "STATE_NONE", &value));
	close_section(&s);
}

/* The members of unnamed members are at their places. */
static void test_whole(void **state)
{
	static const char *const names[] = {"id",    "word", "in", "name",  "flags", "level",
					    "ratio", "list", "h",  "state", "beyond"};
	struct section s;
	const struct type *t;

	(void)state;
	open_section(&s, make_kernel());
	t = btf_layouts_find(&s.layouts, C_STRUCT, "outer");
	assert_true(layout_complete_whole(t));
	assert_int_equal(t->n_members, sizeof(names) / sizeof(*names));
	for (uint32_t i = 0; i < t->n_members; i++)
		assert_string_equal(t->members[i].name, names[i]);
	assert_int_equal(t->members[1].offset, 8);
	close_section(&s);
}

/* A struct that contains itself, which no compiler writes, ends the reading. */
static void test_endless(void **state)
{
	struct btf *b = btf__new_empty();
	struct section s;
	struct type_member m;
	int self = btf__add_struct(b, "self", 8);

	(void)state;
	btf__add_field(b, NULL, self, 0, 0);
	open_section(&s, b);
	assert_false(layout_find(btf_layouts_type(&s.layouts, (uint32_t)self), "x", &m));
	assert_false(layout_complete_whole(btf_layouts_type(&s.layouts, (uint32_t)self)));
	assert_true(btf_layouts_type(&s.layouts, 77) == &type_void);
	close_section(&s);
}

/* ---- as C places members ---- */

struct sample {
	char a;
	int16_t b;
	unsigned int c : 3, d : 30;
	uint64_t e;
	struct {
		int8_t f;
		int32_t g;
	} h;
	int8_t i : 4;
	int8_t : 0;
	int8_t j;
	struct sample *k;
	char l;
};

/* Places that a struct does not have, as damaged debug information claims them. */
static void test_wild_places(void **state)
{
	static const struct {
		uint64_t at, bits;
		bool is_good;
	} places[] = {
		{8, 3, true},		{60, 4, true},		{60, 5, false},
		{61, 4, false},		{8, 1ull << 32, false}, {8, (1ull << 32) + 3, false},
		{1, UINT32_MAX, false}, {1, UINT64_MAX, false}, {UINT64_MAX - 7, 0, false},
		{UINT64_MAX, 3, false}, {32, 0, true},		{40, 0, false},
	};
	const struct type *u32 = type_int(4, false);

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct type_member m = {.type = u32};

		layout_place(&m, places[i].at, places[i].bits, 8);
		assert_int_equal(m.type == u32, places[i].is_good);
	}
}

static void test_placed(void **state)
{
	struct arena *a = arena_new();
	struct type_layout *l = layout_new(a, false, "sample"), *in = layout_new(a, false, NULL);
	const struct type *u32 = type_int(4, false), *i8 = type_int(1, true);

	(void)state;
	layout_add(a, in, "f", i8, -1);
	layout_add(a, in, "g", type_int(4, true), -1);
	layout_finish(in);
	layout_add(a, l, "a", i8, -1);
	layout_add(a, l, "b", type_int(2, true), -1);
	layout_add(a, l, "c", u32, 3);
	layout_add(a, l, "d", u32, 30);
	layout_add(a, l, "e", type_int(8, false), -1);
	layout_add(a, l, "h", &in->type, -1);
	layout_add(a, l, "i", i8, 4);
	layout_add(a, l, NULL, i8, 0);
	layout_add(a, l, "j", i8, -1);
	layout_add(a, l, "k", type_pointer(a, &l->type, SPACE_NONE), -1);
	layout_add(a, l, "l", i8, -1);
	layout_finish(l);
	assert_int_equal(l->type.size, sizeof(struct sample));
	assert_int_equal(member(&l->type, "b").offset, offsetof(struct sample, b));
	assert_int_equal(member(&l->type, "c").offset, 4);
	assert_int_equal(member(&l->type, "d").offset, 8);
	assert_int_equal(member(&l->type, "e").offset, offsetof(struct sample, e));
	assert_int_equal(member(&l->type, "h").offset, offsetof(struct sample, h));
	assert_int_equal(member(&l->type, "j").offset, offsetof(struct sample, j));
	assert_int_equal(member(&l->type, "k").offset, offsetof(struct sample, k));
	assert_int_equal(member(&l->type, "l").offset, offsetof(struct sample, l));
	arena_free(a);
}

/* A script's struct that refers to one defined later, and C's spellings. */
static void test_register(void **state)
{
	struct arena *a = arena_new();
	struct c_types *c = c_types_new(a);
	struct type_layout *x = layout_new(a, false, "x"), *y = layout_new(a, false, "y");
	const struct type *t;

	(void)state;
	layout_add(a, x, "y", type_pointer(a, &c_types_tag(c, false, "y")->type, SPACE_NONE), -1);
	layout_finish(x);
	assert_true(c_types_add(c, C_STRUCT, "x", &x->type));
	layout_add(a, y, "n", type_int(4, true), -1);
	layout_finish(y);
	assert_true(c_types_add(c, C_STRUCT, "y", &y->type));
	assert_false(c_types_add(c, C_STRUCT, "x", &y->type));
	t = member(c_types_find(c, C_STRUCT, "x"), "y").type;
	assert_int_equal(t->to->size, 4);
	assert_int_equal(member(t->to, "n").offset, 0);
	t = c_types_parse(c, "const struct y *const *", SPACE_KERNEL);
	assert_string_equal(type_str(a, t), "struct y * *");
	assert_int_equal(t->space, SPACE_KERNEL);
	assert_true(c_types_parse(c, "unsigned long int", SPACE_NONE) == type_int(8, false));
	assert_true(c_types_parse(c, "short unsigned", SPACE_NONE) == type_int(2, false));
	assert_true(c_types_parse(c, "size_t", SPACE_NONE) == type_int(8, false));
	assert_null(c_types_parse(c, "struct z *", SPACE_NONE));
	assert_null(c_types_parse(c, "int (*)(void)", SPACE_NONE));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),	 cmocka_unit_test(test_declared),
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_whole),
		cmocka_unit_test(test_endless),	 cmocka_unit_test(test_placed),
		cmocka_unit_test(test_register), cmocka_unit_test(test_wild_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
