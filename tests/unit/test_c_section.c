/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C section: layouts of the types that it defines, beside those that the compiler of this test
 * gives the same text; values of its constants and of #if; limits against hostile text.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/ast.h"
#include "parser/lang/c_type.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Define types for this test, and keep their text for the script. */
#define TYPES(...)  \
	__VA_ARGS__ \
	static const char types_text[] = #__VA_ARGS__;

// clang-format off
TYPES(
typedef unsigned char byte_t;
enum color { RED, GREEN = 5, BLUE };
enum wide { BIG = 0x100000000, SMALL = 1 };
enum __attribute__((packed)) tiny { TINY = 200 };
struct plain { char c; int i; char d; long l; short s; };
struct packed { char c; int i; long l; short s; } __attribute__((packed));
struct __attribute__((packed)) before { char c; long l; };
struct one_packed { char c; int i __attribute__((packed)); long l; };
struct aligned { char c; int i __attribute__((aligned(16))); char d; } __attribute__((aligned(32)));
struct packed_aligned { char c; int i; } __attribute__((packed, aligned(4)));
struct array { char name[13]; int grid[3][5]; byte_t bytes[7]; short *pointers[2]; };
struct bits { unsigned a : 3; unsigned b : 7; int c : 30; char d; unsigned long e : 33; short f : 9;
	_Bool g : 1; unsigned : 0; unsigned char h : 4; unsigned char i : 5; unsigned : 5; int j : 2; };
struct packed_bits { char c; unsigned a : 3; int b : 30; unsigned long e : 40; short f : 9; }
	__attribute__((packed));
union either { char c[5]; int i; struct plain p; unsigned b : 11; };
struct nested { int a; struct { char x; union { long y; char z[3]; }; } in; union { int u; float f; };
	struct plain p[2]; enum color color; enum wide wide; enum tiny tiny; };
struct functions { int (*f)(int, struct plain *); void (*(*g)(long))(char); int (*table[4])(void);
	int (*pointer)[6]; double d; };
struct list { struct list *next, **previous; const volatile char *const *text; long double wide; };
struct flexible { unsigned short n; long items[]; };
struct count { char a[sizeof(struct plain) + BLUE]; int b[(1 << 3) - 2 * 3]; char c[sizeof(int *) == 8 ? 3 : 1];
	char d[GREEN > RED && !0 ? ~0 + 5 : 9 / 0u]; };
struct words { unsigned long int a; long unsigned b; long long c; short int d; signed char e; unsigned f; };
)
// clang-format on

struct expected {
	const char *type, *member;
	uint32_t offset, size; /* of the member; member NULL: the type's alignment and size */
};

#define WHOLE(t) {"struct " #t, NULL, _Alignof(struct t), sizeof(struct t)}
#define PLACE(t, m) {"struct " #t, #m, offsetof(struct t, m), sizeof(((struct t *)NULL)->m)}

static const struct expected places[] = {
	WHOLE(plain),
	PLACE(plain, i),
	PLACE(plain, s),
	WHOLE(packed),
	PLACE(packed, l),
	WHOLE(before),
	PLACE(before, l),
	WHOLE(one_packed),
	PLACE(one_packed, i),
	PLACE(one_packed, l),
	WHOLE(aligned),
	PLACE(aligned, i),
	PLACE(aligned, d),
	WHOLE(packed_aligned),
	PLACE(packed_aligned, i),
	WHOLE(array),
	PLACE(array, name),
	PLACE(array, grid),
	PLACE(array, bytes),
	PLACE(array, pointers),
	WHOLE(bits),
	PLACE(bits, d),
	WHOLE(packed_bits),
	WHOLE(nested),
	PLACE(nested, in.y),
	PLACE(nested, in.z),
	PLACE(nested, u),
	PLACE(nested, f),
	PLACE(nested, p),
	PLACE(nested, wide),
	PLACE(nested, tiny),
	WHOLE(functions),
	PLACE(functions, g),
	PLACE(functions, table),
	PLACE(functions, pointer),
	PLACE(functions, d),
	WHOLE(list),
	PLACE(list, previous),
	PLACE(list, text),
	PLACE(list, wide),
	WHOLE(flexible),
	{"struct flexible", "items", offsetof(struct flexible, items), 0},
	WHOLE(count),
	PLACE(count, a),
	PLACE(count, b),
	PLACE(count, c),
	PLACE(count, d),
	WHOLE(words),
	PLACE(words, c),
	PLACE(words, e),
	{"union either", NULL, _Alignof(union either), sizeof(union either)},
};

/* Check a script with these C definitions; the number of errors. */
static uint32_t check(struct world *w, const char *definitions, const char *body)
{
	char *script = malloc(strlen(definitions) + strlen(body) + 64);
	uint32_t n;

	sprintf(script, "%s\nBEGIN { %s exit(); }\n", definitions, body);
	n = world_check(w, script);
	if (n)
		diags_print(&w->diags, stderr, false);
	free(script);
	return n;
}

static const struct type *find(struct world *w, const char *name)
{
	bool is_union = strncmp(name, "union ", 6) == 0;
	const struct type *t = c_types_find(w->program->c_types, is_union ? C_UNION : C_STRUCT,
					    strchr(name, ' ') + 1);

	print_message("%s\n", name);
	assert_non_null(t);
	return t;
}

/* `path` is a.b.c */
static struct type_member find_member(const struct type *t, const char *path)
{
	struct type_member m = {.type = t};
	char name[64];

	while (*path) {
		struct type_member inner;
		size_t len = strcspn(path, ".");

		snprintf(name, sizeof(name), "%.*s", (int)len, path);
		print_message("  .%s\n", name);
		assert_true(layout_find(m.type, name, &inner));
		inner.offset += m.offset;
		m = inner;
		path += len + (path[len] == '.');
	}
	return m;
}

static void test_layouts(void **state)
{
	struct world w;

	world_init(&w);
	assert_int_equal(check(&w, types_text, ""), 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct type *t = find(&w, places[i].type);

		if (places[i].member) {
			struct type_member m = find_member(t, places[i].member);

			assert_int_equal(m.offset, places[i].offset);
			assert_int_equal(m.type->size, places[i].size);
		} else {
			assert_int_equal(t->size, places[i].size);
			assert_int_equal(t->layout->align, places[i].offset);
		}
	}
	world_free(&w);
}

/* The bits of `size` bytes at `memory` that are set: the first and their number. */
static void find_bits(const void *memory, size_t size, uint32_t *first, uint32_t *n)
{
	const unsigned char *bytes = memory;

	*n = 0;
	for (uint32_t i = 0; i < size * 8; i++)
		if (bytes[i / 8] >> (i % 8) & 1)
			*first = (*n)++ ? *first : i;
}

#define CHECK_BITS(w, t, m)                                                         \
	do {                                                                        \
		struct t value = {.m = -1};                                         \
		struct type_member member = find_member(find(w, "struct " #t), #m); \
		uint32_t first = 0, n;                                              \
                                                                                    \
		find_bits(&value, sizeof(value), &first, &n);                       \
		assert_int_equal(member.offset * 8 + member.bit, first);            \
		assert_int_equal(member.bits, n);                                   \
	} while (0)

static void test_bit_fields(void **state)
{
	struct world w;

	world_init(&w);
	assert_int_equal(check(&w, types_text, ""), 0);
	CHECK_BITS(&w, bits, a);
	CHECK_BITS(&w, bits, b);
	CHECK_BITS(&w, bits, c);
	CHECK_BITS(&w, bits, e);
	CHECK_BITS(&w, bits, f);
	CHECK_BITS(&w, bits, h);
	CHECK_BITS(&w, bits, i);
	CHECK_BITS(&w, bits, j);
	CHECK_BITS(&w, packed_bits, a);
	CHECK_BITS(&w, packed_bits, b);
	CHECK_BITS(&w, packed_bits, e);
	CHECK_BITS(&w, packed_bits, f);
	world_free(&w);
}

/* Types of members, as messages print them. */
static void test_types(void **state)
{
	static const struct {
		const char *type, *member, *want;
	} rows[] = {
		{"struct array", "name", "string[13]"},
		{"struct array", "grid", "int32[5][3]"},
		{"struct array", "bytes", "uint8[7]"},
		{"struct list", "next", "struct list *"},
		{"struct nested", "color", "enum color"},
		{"struct words", "b", "uint64"},
		{"struct words", "e", "int8"},
		{"union either", "p", "struct plain"},
	};
	struct world w;

	world_init(&w);
	assert_int_equal(check(&w, types_text, ""), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct type_member m = find_member(find(&w, rows[i].type), rows[i].member);

		assert_string_equal(type_str(w.arena, m.type), rows[i].want);
	}
	world_free(&w);
}

static void test_constants(void **state)
{
	static const struct {
		const char *name;
		int64_t value;
	} rows[] = {{"RED", RED}, {"BLUE", BLUE}, {"BIG", BIG}, {"SMALL", SMALL}, {"TINY", TINY}};
	struct world w;

	world_init(&w);
	assert_int_equal(check(&w, types_text, ""), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct c_name *c = c_types_constant(w.program->c_types, rows[i].name);

		print_message("%s\n", rows[i].name);
		assert_non_null(c);
		assert_int_equal(c->value, rows[i].value);
	}
	world_free(&w);
}

/* Conditions, and whether they are true. */
static const struct {
	const char *text;
	bool is_true;
} conditions[] = {
	{"1 + 2 * 3 == 7 && (1 + 2) * 3 == 9", true},
	{"-1 < 0", true},
	{"-1 < 0u", false},
	{"1 ? 2 : 1 / 0", true},
	{"0 && 1 / 0", false},
	{"1 || 1 / 0", true},
	{"(0x10 | 3) == 19 && 010 == 8 && 'a' == 97 && '\\n' == 10 && '\\x41' == 'A'", true},
	{"7 % 4 == 3 && -7 / 2 == -3 && 1 << 4 >> 2 == 4 && (6 ^ 3) == 5 && ~0 == -1", true},
	{"UNKNOWN_NAME", false},
	{"!UNKNOWN_NAME && !defined(UNKNOWN_NAME) && !defined UNKNOWN_NAME", true},
	{"18446744073709551615u > 0 && 0xffffffffffffffff / 2 == 0x7fffffffffffffff", true},
	{"1 ? 0 : 1 ? 1 : 0", false},
	{"(2 > 1) == (1 <= 1) && 3 != 4 && 1 >= 1", true},
	{"- - 1 == 1 && !!5 == 1 && +1", true},
	{"defined(SONDE) && SONDE", true},
	{"(-9223372036854775807 - 1) / -1 < 0", true},
};

static bool is_true(const char *condition)
{
	char text[300];
	struct world w;
	bool found;

	print_message("%s\n", condition);
	snprintf(text, sizeof(text), "#if %s\nenum { YES };\n#else\nenum { NO };\n#endif",
		 condition);
	world_init(&w);
	assert_int_equal(check(&w, text, ""), 0);
	found = c_types_constant(w.program->c_types, "YES") != NULL;
	assert_true(found != (c_types_constant(w.program->c_types, "NO") != NULL));
	world_free(&w);
	return found;
}

static void test_conditions(void **state)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		assert_int_equal(is_true(conditions[i].text), conditions[i].is_true);
}

/* ---- hostile text ---- */

/* `begin`, `open` many times, `middle`, `close` as many times, `end`. */
static char *nest(const char *begin, const char *open, const char *middle, const char *close,
		  const char *end)
{
	enum { N = 5000 };
	size_t len = strlen(begin) + strlen(middle) + strlen(end);
	char *text = malloc(len + N * (strlen(open) + strlen(close)) + 1),
	     *at = stpcpy(text, begin);

	for (int i = 0; i < N; i++)
		at = stpcpy(at, open);
	at = stpcpy(at, middle);
	for (int i = 0; i < N; i++)
		at = stpcpy(at, close);
	strcpy(at, end);
	return text;
}

static void refuse(const char *tag, const char *text)
{
	struct world w;

	print_message("%.60s…\n", text);
	world_init(&w);
	assert_true(check(&w, text, "") > 0);
	assert_string_equal(w.diags.items[0].tag, tag);
	world_free(&w);
}

static void refuse_nested(const char *begin, const char *open, const char *middle,
			  const char *close, const char *end)
{
	char *text = nest(begin, open, middle, close, end);

	refuse("limit-nesting", text);
	free(text);
}

static void test_hostile(void **state)
{
	refuse_nested("struct s { int a[", "(", "1", ")", "]; };");
	refuse_nested("struct s { int a[", "-", "1", "", "]; };");
	refuse_nested("struct s { int a[", "1?", "1", ":1", "]; };");
	refuse_nested("struct s { int a[", "sizeof(int[", "1", "])", "]; };");
	refuse_nested("typedef ", "struct {", "int x;", "} x;", "");
	refuse_nested("typedef int ", "(*", "x", ")", ";");
	refuse_nested("typedef int x", "[1]", "", "", ";");
	refuse_nested("", "#if 1\n", "", "#endif\n", "");
	refuse("limit-c-type", "typedef int x[65536][65536][65536][65536];");
	refuse("limit-c-type", "typedef int x[0xffffffffffffffff];");
	refuse("limit-c-type", "struct s { char a[1073741000]; char b[1000]; };");
	refuse("c-type", "struct s { struct s x; };");
	refuse("c-type", "struct s { struct t { struct s x; } y; };");
	refuse("c-type", "struct s { int a[-1]; };");
	refuse("limit-macros", "#define A B B B B B B B B\n#define B C C C C C C C C\n"
			       "#define C D D D D D D D D\n#define D E E E E E E E E\n"
			       "#define E F F F F F F F F\n#define F G G G G G G G G\n"
			       "#define G 1 1 1 1 1 1 1 1\nenum { X = A };");
}

/* A call of `macro`, 60 levels deep. */
static void refuse_calls(const char *macro)
{
	char text[2000], *at = text + snprintf(text, sizeof(text), "%s\nenum { X = ", macro);

	for (int i = 0; i < 60; i++)
		at = stpcpy(at, "T(");
	*at++ = 'a';
	memset(at, ')', 60);
	strcpy(at + 60, " };");
	refuse("limit-macros", text);
}

static void test_hostile_macros(void **state)
{
	refuse_calls("#define S(x) #x\n#define T(x) S(x)");
	refuse_calls("#define P(x) x ## x\n#define T(x) P(x)");
	refuse_calls("#define T(x) x x");
	refuse_calls("#define T(...) __VA_ARGS__, __VA_ARGS__");
	refuse_nested("#define T(x) x\nenum { X = ", "T(", "1", ")", " };");
	refuse_nested("#define T(x, ...) x\nenum { X = ", "T(1, ", "1", ")", " };");
	refuse("macro-recursive", "#define A(x) B(x)\n#define B(x) A(x)\nenum { X = A(1) };");
	refuse("macro-recursive", "#define A CAT(A, )\n#define CAT(a, b) a ## b\nenum { X = A };");
	refuse("macro-call", "#define A(x, ...) x\n#define B A\nenum { X = B(1 };");
	refuse("macro-call", "#define A(x) x\n#define B A(\nenum { X = B 1) };");
}

/* Values of macros in the script are limited as well. */
static void test_values(void **state)
{
	static const char doubling[] = "#define A (B + B + B + B)\n#define B (C + C + C + C)\n"
				       "#define C (D + D + D + D)\n#define D (E + E + E + E)\n"
				       "#define E (F + F + F + F)\n#define F (G + G + G + G)\n"
				       "#define G (H + H + H + H)\n#define H (I + I + I + I)\n"
				       "#define I (1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1)\n";
	static const char tildes[] = "~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~";
	char deep[4000] = "";
	struct world w;

	world_init(&w);
	assert_int_equal(check(&w, doubling, "print(A);"), 1);
	assert_string_equal(w.diags.items[0].tag, "limit-macros");
	world_free(&w);
	for (int n = 0; n <= LIMIT_NESTING / 40; n++)
		snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "#define M%d %sM%d\n", n,
			 tildes, n + 1);
	snprintf(deep + strlen(deep), sizeof(deep) - strlen(deep), "#define M%d 1\n",
		 LIMIT_NESTING / 40 + 1);
	world_init(&w);
	assert_int_equal(check(&w, deep, "print(M0);"), 1);
	assert_string_equal(w.diags.items[0].tag, "limit-nesting");
	world_free(&w);
}

/* ---- headers ---- */

static const char *no_compiler(struct kernel *k, struct arena *a, const char *text, const char *dir,
			       const char **why)
{
	(void)k, (void)a, (void)text, (void)dir;
	*why = "no compiler";
	return NULL;
}

/* What the preprocessor would print, with functions and variables, of an #include. */
static const char *some_header(struct kernel *k, struct arena *a, const char *text, const char *dir,
			       const char **why)
{
	(void)k, (void)a, (void)dir, (void)why;
	assert_non_null(strstr(text, "#include <errno.h>"));
	return "extern int variable __attribute__((unused));\n"
	       "static inline int f(int x) { if (x) { return 1; } return 0; }\n"
	       "int g(void); int h(int a) { return a; } struct broken { unknown_t x; };\n"
	       "#pragma GCC poison x\n"
	       "typedef __builtin_va_list list; struct after { long x[3]; } variable_of_it;\n"
	       "enum { TEN = 10 };\n"
	       "#define EDOM (MORE(TEN) * sizeof(struct after))\n"
	       "#define errno (*__errno_location ())\n"
	       "#define MORE(x) ((x) + 1)\n"
	       "#define TEN TEN\n";
}

static void test_headers(void **state)
{
	static const char script[] = "#include <errno.h>\n#if errno\n#endif\nenum { X = EDOM };";
	struct world w;

	world_init(&w);
	w.kernel.k.preprocess_c = no_compiler;
	assert_int_equal(check(&w, script, ""), 1);
	assert_string_equal(w.diags.items[0].tag, "header");
	world_free(&w);
	world_init(&w);
	w.kernel.k.preprocess_c = some_header;
	assert_int_equal(check(&w, "#include <errno.h>\n#if EDOM != 11 * 24\n#error\n#endif", ""),
			 0);
	assert_non_null(w.program->c_types->more);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),	       cmocka_unit_test(test_bit_fields),
		cmocka_unit_test(test_types),	       cmocka_unit_test(test_constants),
		cmocka_unit_test(test_conditions),     cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_values),	       cmocka_unit_test(test_headers),
		cmocka_unit_test(test_hostile_macros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
