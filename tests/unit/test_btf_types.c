/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/btf/btf_types.c on sections built with libbpf: one of a kernel, and one of a module
 * that continues it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "parser/base/arena.h"
#include "runtime/btf/btf_types.h"

struct sections {
	struct btf *kernel, *module;
	struct btf_raw raw, raw_module;
	struct btf_types types, types_module;
	struct arena *arena;
	int id_int, id_file_ptr, id_name_ptr;
};

static int add_function(struct btf *btf, const char *name, int result, const char *const *names,
			const int *types, int n)
{
	int proto = btf__add_func_proto(btf, result);

	for (int i = 0; i < n; i++)
		btf__add_func_param(btf, names[i], types[i]);
	return name ? btf__add_func(btf, name, BTF_FUNC_GLOBAL, proto) : proto;
}

static void make_kernel(struct sections *s)
{
	struct btf *b = s->kernel = btf__new_empty();
	int character, file, wide, big, status, uchar;

	s->id_int = btf__add_int(b, "int", 4, BTF_INT_SIGNED);
	character = btf__add_int(b, "char", 1, BTF_INT_SIGNED);
	uchar = btf__add_int(b, "unsigned char", 1, 0);
	file = btf__add_struct(b, "file", 200);
	s->id_file_ptr = btf__add_ptr(b, file);
	s->id_name_ptr = btf__add_ptr(b, btf__add_const(b, character));
	wide = btf__add_struct(b, "wide", 16);
	big = btf__add_int(b, "__int128", 16, 0);
	status = btf__add_enum(b, "status", 4);
	btf__add_enum_value(b, "GOOD", 0);
	add_function(b, "open_file", btf__add_typedef(b, "fd_t", s->id_int),
		     (const char *const[]){"file", "name", "w", "flags", "status", "big"},
		     (const int[]){s->id_file_ptr, s->id_name_ptr, wide, uchar, status, big}, 6);
	add_function(b, "close_file", 0, NULL, NULL, 0);
	add_function(b, "__traceiter_opened", s->id_int,
		     (const char *const[]){"__data", "file", "fd"},
		     (const int[]){btf__add_ptr(b, 0), s->id_file_ptr, s->id_int}, 3);
	btf__add_typedef(b, "btf_trace_opened",
			 btf__add_ptr(b, add_function(b, NULL, 0, (const char *const[]){"", "", ""},
						      (const int[]){btf__add_ptr(b, 0),
								    s->id_file_ptr, s->id_int},
						      3)));
}

static void setup(struct sections *s)
{
	const void *data;
	uint32_t len;

	*s = (struct sections){.arena = arena_new()};
	make_kernel(s);
	s->module = btf__new_empty_split(s->kernel);
	add_function(s->module, "module_open", s->id_int, (const char *const[]){"file", "own"},
		     (const int[]){s->id_file_ptr,
				   btf__add_ptr(s->module, btf__add_struct(s->module, "own", 8))},
		     2);
	data = btf__raw_data(s->kernel, &len);
	assert_int_equal(btf_raw_init(&s->raw, data, len), 0);
	assert_int_equal(btf_types_init(&s->types, &s->raw, NULL), 0);
}

static void teardown(struct sections *s)
{
	btf_types_free(&s->types);
	btf_types_free(&s->types_module);
	btf__free(s->module);
	btf__free(s->kernel);
	arena_free(s->arena);
}

static const struct typed_function *describe(struct sections *s, enum typed_kind kind,
					     const char *name)
{
	uint32_t id = btf_types_find(&s->types, kind, name);

	assert_int_not_equal(id, 0);
	return btf_types_describe(&s->types, kind, id, "vmlinux", s->arena);
}

static void check_field(const struct tp_field *f, const char *name, const char *type,
			uint32_t offset, uint32_t size, bool is_signed)
{
	assert_string_equal(f->name, name);
	assert_string_equal(f->type_text, type);
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->size, size);
	assert_int_equal(f->is_signed, is_signed);
}

static void test_function(void **state)
{
	const struct typed_function *f;
	struct sections s;

	(void)state;
	setup(&s);
	f = describe(&s, TYPED_FUNCTION, "open_file");
	assert_int_equal(f->n_params, 6);
	check_field(&f->params[0], "file", "struct file *", 0, 8, false);
	check_field(&f->params[1], "name", "const char *", 8, 8, false);
	assert_int_equal(f->params[0].to.levels, 1);
	assert_int_equal(f->params[0].to.size, 0);
	assert_string_equal(f->params[0].to.text, "struct file");
	assert_int_equal(f->params[1].to.levels, 1);
	assert_int_equal(f->params[1].to.size, 1);
	assert_true(f->params[1].to.is_signed);
	assert_int_equal(f->params[3].to.levels, 0);
	check_field(&f->params[2], "w", "struct wide", 16, 0, false); /* two words, by value */
	check_field(&f->params[3], "flags", "unsigned char", 32, 1, false);
	check_field(&f->params[4], "status", "enum status", 40, 4, false);
	check_field(&f->params[5], "big", "__int128", 48, 0, false);
	check_field(&f->result, "", "fd_t", 0, 4, true);
	f = describe(&s, TYPED_FUNCTION, "close_file");
	assert_int_equal(f->n_params, 0);
	check_field(&f->result, "", "void", 0, 0, false);
	teardown(&s);
}

/* The names come from the function that calls the probes; the first parameter is not theirs. */
static void test_raw_tracepoint(void **state)
{
	const struct typed_function *f;
	struct sections s;

	(void)state;
	setup(&s);
	f = describe(&s, TYPED_TRACEPOINT, "opened");
	assert_string_equal(f->name, "opened");
	assert_int_equal(f->n_params, 2);
	check_field(&f->params[0], "file", "struct file *", 0, 8, false);
	check_field(&f->params[1], "fd", "int", 8, 4, true);
	teardown(&s);
}

/* The first few names are scanned for, later ones looked up: the same answers. */
static void test_scan_and_index(void **state)
{
	struct sections s;

	(void)state;
	setup(&s);
	for (int i = 0; i < 6; i++) {
		uint32_t id = btf_types_find(&s.types, TYPED_FUNCTION, "close_file");

		assert_int_not_equal(id, 0);
		assert_string_equal(btf__name_by_offset(s.kernel,
							btf__type_by_id(s.kernel, id)->name_off),
				    "close_file");
		assert_int_equal(btf_types_find(&s.types, TYPED_TRACEPOINT, "close_file"), 0);
		assert_int_equal(btf_types_find(&s.types, TYPED_FUNCTION, "opened"), 0);
		assert_int_equal(btf_types_find(&s.types, TYPED_FUNCTION, ""), 0);
	}
	teardown(&s);
}

static void count_name(const char *name, uint32_t id, void *ctx)
{
	assert_true(*name && id);
	++*(uint32_t *)ctx;
}

static void test_each(void **state)
{
	uint32_t functions = 0, events = 0;
	struct sections s;

	(void)state;
	setup(&s);
	btf_types_each(&s.types, TYPED_FUNCTION, count_name, &functions);
	btf_types_each(&s.types, TYPED_TRACEPOINT, count_name, &events);
	assert_int_equal(functions, 3);
	assert_int_equal(events, 1);
	teardown(&s);
}

/* No type lies beyond the section's end, whatever the ids say. */
static void test_nonsense(void **state)
{
	struct sections s;

	(void)state;
	setup(&s);
	assert_null(btf_types_describe(&s.types, TYPED_FUNCTION, 0, "vmlinux", s.arena));
	assert_null(btf_types_describe(&s.types, TYPED_FUNCTION, 1, "vmlinux", s.arena)); /* int */
	assert_null(btf_types_describe(&s.types, TYPED_FUNCTION, 100000, "vmlinux", s.arena));
	teardown(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),       cmocka_unit_test(test_raw_tracepoint),
		cmocka_unit_test(test_scan_and_index), cmocka_unit_test(test_each),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
