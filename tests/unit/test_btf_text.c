/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/btf/btf_text.c: fixed types and their C text, types that refer to themselves, and all
 * functions of the running kernel's BTF, which libbpf's btf_dump must print alike but for blanks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <bpf/btf.h>
#include "runtime/btf/btf_raw.h"
#include "runtime/btf/btf_text.h"
#include "runtime/btf/btf_types.h"

#define VMLINUX "/sys/kernel/btf/vmlinux"

/* ---- sections made here --------------------------------------------------------------------- */

/* Written by libbpf. */
struct section {
	struct btf *btf;
	struct btf_raw raw;
	struct btf_types types;
	uint32_t *copy;
};

static void finish(struct section *s)
{
	uint32_t size;
	const void *data = btf__raw_data(s->btf, &size);

	assert_non_null(data);
	s->copy = malloc(size);
	assert_non_null(s->copy);
	memcpy(s->copy, data, size);
	assert_int_equal(btf_raw_init(&s->raw, s->copy, size), 0);
	assert_int_equal(btf_types_init(&s->types, &s->raw, NULL), 0);
}

static void drop(struct section *s)
{
	btf_types_free(&s->types);
	free(s->copy);
	btf__free(s->btf);
}

static void begin(struct section *s)
{
	*s = (struct section){.btf = btf__new_empty()};
	assert_non_null(s->btf);
	assert_int_equal(btf__add_int(s->btf, "int", 4, BTF_INT_SIGNED), 1);
	assert_int_equal(btf__add_int(s->btf, "char", 1, BTF_INT_SIGNED), 2);
}

typedef void print_fn(const struct btf_types *t, uint32_t id, FILE *out);

static void expect(const struct section *s, uint32_t id, print_fn *print, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	print(&s->types, id, f);
	fclose(f);
	assert_string_equal(text, expected);
	free(text);
}

static void params(const struct btf_types *t, uint32_t id, FILE *out)
{
	btf_text_params(t, id, 0, false, out);
}

static void numbered(const struct btf_types *t, uint32_t id, FILE *out)
{
	btf_text_params(t, id, 1, true, out);
}

static void members(const struct btf_types *t, uint32_t id, FILE *out)
{
	btf_text_members(t, id, 0, out);
}

/* int *f(const struct sock *sk, char *const *words, int (*call)(int, ...), int (*row)[4], int) */
static uint32_t add_function(struct btf *b)
{
	int sock = btf__add_struct(b, "sock", 8), text, call, row, words, proto;

	btf__add_field(b, "x", 1, 0, 0);
	btf__add_func_proto(b, 1);
	btf__add_func_param(b, "n", 1);
	btf__add_func_param(b, NULL, 0);
	call = btf__add_ptr(b, btf__type_cnt(b) - 1);
	row = btf__add_ptr(b, btf__add_array(b, 1, 1, 4));
	text = btf__add_ptr(b, 2);
	words = btf__add_ptr(b, btf__add_const(b, text));
	sock = btf__add_ptr(b, btf__add_const(b, sock));
	proto = btf__add_func_proto(b, btf__add_ptr(b, 1));
	proto = btf__type_cnt(b) - 1;
	btf__add_func_param(b, "sk", sock);
	btf__add_func_param(b, "words", words);
	btf__add_func_param(b, "call", call);
	btf__add_func_param(b, "row", row);
	btf__add_func_param(b, NULL, 1);
	return (uint32_t)btf__add_func(b, "f", BTF_FUNC_GLOBAL, proto);
}

static void test_function(void **state __attribute__((unused)))
{
	struct section s;
	uint32_t f, nothing;

	begin(&s);
	f = add_function(s.btf);
	btf__add_func_proto(s.btf, 0);
	nothing = (uint32_t)btf__add_func(s.btf, "g", BTF_FUNC_GLOBAL, btf__type_cnt(s.btf) - 1);
	finish(&s);
	assert_int_equal(btf_types_find(&s.types, TYPED_FUNCTION, "f"), f);
	assert_int_equal(btf_types_find(&s.types, TYPED_FUNCTION, "g"), nothing);
	assert_int_equal(btf_types_find(&s.types, TYPED_FUNCTION, "sock"), 0);
	expect(&s, f, params,
	       "    const struct sock * sk\n    char * const * words\n    int (* call)(int, ...)\n"
	       "    int (* row)[4]\n    int arg4\n");
	expect(&s, f, numbered,
	       "    char * const * arg0\n    int (* arg1)(int, ...)\n    int (* arg2)[4]\n    int arg3\n");
	expect(&s, f, btf_text_result, "    int * retval\n");
	expect(&s, nothing, params, "");
	expect(&s, nothing, btf_text_result, "    void\n");
	expect(&s, 1, params, "");
	expect(&s, 9999, btf_text_result, "");
	drop(&s);
}

/* A union without a name, bits, values without a name, an array of pointers. */
static void test_definition(void **state __attribute__((unused)))
{
	struct section s;
	int inner, values, names, outer, wide;

	begin(&s);
	inner = btf__add_union(s.btf, NULL, 4);
	btf__add_field(s.btf, "a", 1, 0, 0);
	btf__add_field(s.btf, "b", 2, 0, 0);
	values = btf__add_enum(s.btf, NULL, 4);
	btf__add_enum_value(s.btf, "ONE", 1);
	btf__add_enum_value(s.btf, "LESS", -1);
	names = btf__add_array(s.btf, 1, btf__add_ptr(s.btf, 2), 3);
	outer = btf__add_struct(s.btf, "outer", 40);
	btf__add_field(s.btf, NULL, inner, 0, 0);
	btf__add_field(s.btf, "bits", 1, 32, 3);
	btf__add_field(s.btf, "which", values, 64, 0);
	btf__add_field(s.btf, "names", names, 128, 0);
	wide = btf__add_enum64(s.btf, "wide", 8, false);
	btf__add_enum64_value(s.btf, "BIG", 0xf000000000000000ull);
	finish(&s);
	expect(&s, (uint32_t)outer, btf_text_definition,
	       "struct outer {\n\tunion {\n\t\tint a;\n\t\tchar b;\n\t};\n\tint bits: 3;\n"
	       "\tenum {\n\t\tONE = 1,\n\t\tLESS = -1,\n\t} which;\n\tchar *names[3];\n};\n");
	expect(&s, (uint32_t)outer, members,
	       "    int a\n    int bits\n    enum {…} which\n    char * names[3]\n");
	expect(&s, (uint32_t)wide, btf_text_definition,
	       "enum wide {\n\tBIG = 17293822569102704640,\n};\n");
	expect(&s, 1, btf_text_definition, "");
	drop(&s);
}

/* `typedef`s would not loop, pointers may: a chain without an end is cut. */
static void test_loop(void **state __attribute__((unused)))
{
	struct section s;
	int loop, holder;

	begin(&s);
	loop = btf__add_ptr(s.btf, btf__type_cnt(s.btf) + 1);
	btf__add_const(s.btf, loop);
	holder = btf__add_struct(s.btf, "holder", 8);
	btf__add_field(s.btf, "x", loop, 0, 0);
	finish(&s);
	expect(&s, (uint32_t)holder, btf_text_definition,
	       "struct holder {\n\tvoid /* a type too long to be shown */;\n};\n");
	drop(&s);
}

/* ---- the running kernel's -------------------------------------------------------------------- */

__attribute__((format(printf, 2, 0))) static void write_text(void *ctx, const char *fmt,
							     va_list args)
{
	vfprintf(ctx, fmt, args);
}

/* And marks of pointers, which are no C, and numbers that tell types of one name apart. */
static void drop_blanks(char *s)
{
	static const char tag[] = "__attribute__((btf_type_tag(";
	char *to = s;

	for (; *s; s++) {
		if (strncmp(s, tag, strlen(tag)) == 0)
			s = strstr(s, "\")))") + 4;
		while (strncmp(s, "___", 3) == 0 && s[3] >= '0' && s[3] <= '9')
			s += 3 + strspn(s + 3, "0123456789");
		if (strncmp(s, "(void)", 6) == 0) { /* the other writes () */
			*to++ = '(';
			s += 5;
		}
		if (*s != ' ')
			*to++ = *s;
		if (!*s)
			break;
	}
	*to = '\0';
}

/* As the other printer writes parameters of function `id`. */
static char *by_libbpf(const struct btf *btf, struct btf_dump *dump, FILE **f, char **text,
		       size_t *len, uint32_t id)
{
	const struct btf_type *proto = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	const struct btf_param *p = btf_params(proto);

	rewind(*f);
	for (int i = 0; i < btf_vlen(proto); i++) {
		const char *name = btf__name_by_offset(btf, p[i].name_off);
		char number[16];
		LIBBPF_OPTS(btf_dump_emit_type_decl_opts, opts);

		snprintf(number, sizeof(number), "arg%d", i);
		opts.field_name = *name ? name : number;
		if (p[i].type)
			btf_dump__emit_type_decl(dump, p[i].type, &opts);
		else
			fputs("...", *f);
		fputc('\n', *f);
	}
	fputc('\0', *f);
	fflush(*f);
	(void)len;
	return *text;
}

static void test_running_kernel(void **state __attribute__((unused)))
{
	struct btf *btf = btf__parse(VMLINUX, NULL);
	struct btf_raw raw;
	char *theirs = NULL, *ours = NULL;
	size_t theirs_len, ours_len;
	FILE *t = open_memstream(&theirs, &theirs_len), *o = open_memstream(&ours, &ours_len);
	struct btf_dump *dump = btf ? btf_dump__new(btf, write_text, t, NULL) : NULL;
	struct btf_types types;
	uint32_t n_compared = 0;

	if (!dump || btf_raw_open(&raw, VMLINUX))
		skip();
	assert_int_equal(btf_types_init(&types, &raw, NULL), 0);
	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		if (!btf_is_func(btf__type_by_id(btf, id)))
			continue;
		by_libbpf(btf, dump, &t, &theirs, &theirs_len, id);
		rewind(o);
		btf_text_params(&types, id, 0, false, o);
		fputc('\0', o);
		fflush(o);
		drop_blanks(theirs);
		drop_blanks(ours);
		assert_string_equal(ours, theirs);
		n_compared++;
	}
	assert_true(n_compared > 1000);
	btf_types_free(&types);
	btf_raw_close(&raw);
	btf_dump__free(dump);
	btf__free(btf);
	fclose(t);
	fclose(o);
	free(theirs);
	free(ours);
}

/* A module's section, from a file as the kernel has it: ids and strings go on where the base's
 * end. */
static void finish_split(struct section *s, const struct section *base)
{
	char path[] = "/tmp/sonde-unit-btf-XXXXXX";
	int fd = mkstemp(path);
	const void *data;
	uint32_t size;

	data = btf__raw_data(s->btf, &size);
	assert_non_null(data);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	assert_int_equal(btf_raw_open_split(&s->raw, path), 0);
	unlink(path);
	assert_int_equal(btf_types_init(&s->types, &s->raw, &base->types), 0);
}

static void test_module(void **state __attribute__((unused)))
{
	struct section kernel, module = {0};
	uint32_t f;
	int own;

	begin(&kernel);
	f = add_function(kernel.btf);
	finish(&kernel);
	module.btf = btf__new_empty_split(kernel.btf);
	assert_non_null(module.btf);
	own = btf__add_struct(module.btf, "own", 8);
	btf__add_field(module.btf, "x", 1, 0, 0);
	own = btf__add_ptr(module.btf, own);
	btf__add_func_proto(module.btf, 2);
	btf__add_func_param(module.btf, "mine", own);
	btf__add_func_param(module.btf, "x", 1);
	own = btf__add_func(module.btf, "of_module", BTF_FUNC_STATIC,
			    btf__type_cnt(module.btf) - 1);
	finish_split(&module, &kernel);
	assert_int_equal(btf_types_find(&module.types, TYPED_FUNCTION, "of_module"), own);
	assert_int_equal(btf_types_find(&module.types, TYPED_FUNCTION, "f"), 0);
	assert_int_equal(btf_types_find(&kernel.types, TYPED_FUNCTION, "f"), f);
	expect(&module, (uint32_t)own, params, "    struct own * mine\n    int x\n");
	expect(&module, (uint32_t)own, btf_text_result, "    char retval\n");
	expect(&module, f, btf_text_result, "    int * retval\n");
	btf_types_free(&module.types);
	btf_raw_close(&module.raw);
	btf__free(module.btf);
	drop(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_function),       cmocka_unit_test(test_definition),
		cmocka_unit_test(test_loop),	       cmocka_unit_test(test_module),
		cmocka_unit_test(test_running_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
