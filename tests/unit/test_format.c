/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of values, printf conversions and the text writer: fixed expectations for sonde's own
 * formats, and every combination of flags, widths and precisions against the C library's printf.
 * The buffer is tiny, so that every case also tests a full buffer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "runtime/view/format.h"
#include "runtime/output/out.h"

static const struct type t_int64 = {.kind = TY_INT, .size = 8, .align = 8, .is_signed = true};
static const struct type t_uint64 = {.kind = TY_INT, .size = 8, .align = 8};
static const struct type t_bool = {.kind = TY_BOOL, .size = 1, .align = 1};
static const struct type t_comm = {.kind = TY_STRING, .size = 16, .align = 1};
static const struct type t_kstack = {.kind = TY_KSTACK, .size = 8, .align = 8};
static const struct type t_ustack = {.kind = TY_USTACK, .size = 8, .align = 8};
static const struct type t_count = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_COUNT};

/* ---- helpers ------------------------------------------------------------------------- */

struct sink {
	struct text text; /* first */
	char small[5];
	char all[4096];
	size_t n;
};

static void sink_make_room(struct text *t)
{
	struct sink *s = (struct sink *)t;

	assert_true(s->n + t->n < sizeof(s->all));
	memcpy(s->all + s->n, t->bytes, t->n);
	s->n += t->n;
	s->all[s->n] = '\0';
	t->n = 0;
}

static void sink_init(struct sink *s)
{
	s->n = 0;
	s->text = (struct text){
		.bytes = s->small,
		.capacity = sizeof(s->small),
		.make_room = sink_make_room,
	};
}

static struct view view_of_int(const struct type *type, uint64_t x)
{
	return (struct view){.type = type, .integer = x};
}

static struct view view_of_string(const char *s)
{
	return (struct view){.type = &t_comm, .string = {.text = s, .len = (uint32_t)strlen(s)}};
}

static void expect_view(struct view v, const char *want)
{
	struct sink s;

	sink_init(&s);
	format_view(&s.text, &v);
	sink_make_room(&s.text);
	assert_string_equal(s.all, want);
}

static void expect_piece(struct format_piece p, struct view v, const char *want)
{
	struct plan_event e = {.kind = PE_PRINTF, .pieces = &p, .n_pieces = 1};
	struct sink s;

	sink_init(&s);
	format_printf(&s.text, &e, &v);
	sink_make_room(&s.text);
	assert_int_equal(s.n, strlen(want));
	assert_string_equal(s.all, want);
}

/* `flags` from "-+ #0", sizes -1 for none. */
static struct format_piece piece(const char *flags, int32_t width, int32_t precision, uint32_t bits,
				 char conv)
{
	return (struct format_piece){
		.conv = conv,
		.left = strchr(flags, '-'),
		.plus = strchr(flags, '+'),
		.space = strchr(flags, ' '),
		.alt = strchr(flags, '#'),
		.zero = strchr(flags, '0'),
		.width = width,
		.precision = precision,
		.bits = bits,
	};
}

/* ---- default text -------------------------------------------------------------------- */

static void test_scalars(void **state)
{
	(void)state;
	expect_view(view_of_int(&t_int64, 0), "0");
	expect_view(view_of_int(&t_int64, (uint64_t)-5), "-5");
	expect_view(view_of_int(&t_int64, 1ull << 63), "-9223372036854775808");
	expect_view(view_of_int(&t_uint64, UINT64_MAX), "18446744073709551615");
	expect_view(view_of_int(&t_uint64, 100), "100");
	expect_view(view_of_int(&t_count, 1234567), "1234567");
	expect_view(view_of_int(&t_bool, 1), "true");
	expect_view(view_of_int(&t_bool, 0), "false");
	expect_view(view_of_string("bash"), "bash");
	expect_view(view_of_string(""), "");
}

static void expect_form(enum stack_form form, const char *want)
{
	static const struct view_frame user[] = {
		{.ip = 0x7f01, .name = "read", .offset = 14, .module = "/usr/lib/libc.so.6"},
		{.ip = 0x7f09, .name = "__vdso_time", .offset = 1, .module = "[vdso]"},
		{.ip = 0x5502, .name = "in", .file = "src/a.c", .line = 7, .is_inlined = true},
		{.ip = 0x5502, .name = "out", .offset = 2, .file = "src/a.c", .line = 9},
		{.ip = 0x5503, .offset = 0x503, .module = "/bin/x"},
		{.ip = 0},
	};
	struct view v = {.type = type_ustack_as(form),
			 .stack = {.frames = user, .n = 6, .is_user = true}};

	expect_view(v, want);
}

static void test_stack_forms(void **state)
{
	static const struct view_frame kernel[] = {
		{.ip = 0xffffffff81000010, .name = "f", .offset = 16},
		{.ip = 0xffffffffc0000001, .name = "g", .offset = 1, .module = "ext4"}};
	struct view v = {.type = type_kstack_as(FORM_perf), .stack = {.frames = kernel, .n = 2}};

	(void)state;
	expect_form(FORM_bpftrace, "\n        read+14\n        __vdso_time+1 [vdso]\n"
				   "        in+0\n        out+2\n        0x5503 (x+0x503)\n"
				   "        0x0\n");
	expect_form(FORM_perf, "\n\t7f01 read+14 (/usr/lib/libc.so.6)\n"
			       "\t7f09 __vdso_time+1 ([vdso])\n\t5502 in+0 ([unknown])\n"
			       "\t5502 out+2 ([unknown])\n\t5503 [unknown] (/bin/x)\n"
			       "\t0 [unknown] ([unknown])\n");
	expect_form(FORM_raw, "\n7f01\n7f09\n5502\n5502\n5503\n0\n");
	expect_form(FORM_src, "\n        read+14\n        __vdso_time+1 [vdso]\n"
			      "        in (a.c:7) [inlined]\n        out (a.c:9)\n"
			      "        0x5503 (x+0x503)\n        0x0\n");
	expect_view(v, "\n\tffffffff81000010 f+16\n\tffffffffc0000001 g+1 (ext4)\n");
}

static void test_stacks(void **state)
{
	const struct view_frame kernel[] = {{.ip = 0xffffffff81000001, .name = "f", .offset = 1},
					    {.ip = 0xffffffffC0000Abc}};
	const struct view_frame user[] = {
		{.ip = 0x401005, .name = "main", .offset = 5, .module = "/bin/a"},
		{.ip = 0x7f0000001234, .offset = 0x1234, .module = "/usr/lib/libc.so.6"},
		{.ip = 0x7ffe00000010, .offset = 0x10, .module = "[vdso]"}};
	struct view v = {.type = &t_kstack, .stack = {.frames = kernel, .n = 2}};

	(void)state;
	expect_view(v, "\n        f+1\n        0xffffffffc0000abc\n");
	v = (struct view){.type = &t_ustack, .stack = {.frames = user, .n = 3, .is_user = true}};
	expect_view(v, "\n        main+5\n        0x7f0000001234 (libc.so.6+0x1234)\n"
		       "        0x7ffe00000010 ([vdso]+0x10)\n");
	v.stack = (struct view_stack){.is_user = true};
	expect_view(v, "\n");
	v.stack.is_lost = true;
	expect_view(v, "\n        [stack lost]\n");
}

/* ---- printf -------------------------------------------------------------------------- */

static void test_integers(void **state)
{
	(void)state;
	expect_piece(piece("", -1, -1, 64, 'd'), view_of_int(&t_int64, 5000000000), "5000000000");
	expect_piece(piece("", -1, -1, 32, 'd'), view_of_int(&t_int64, 5000000000), "705032704");
	expect_piece(piece("0", 5, -1, 64, 'd'), view_of_int(&t_int64, (uint64_t)-5), "-0005");
	expect_piece(piece("#", -1, -1, 64, 'x'), view_of_int(&t_int64, 255), "0xff");
	expect_piece(piece("#", -1, -1, 64, 'x'), view_of_int(&t_int64, 0), "0");
	expect_piece(piece("+", -1, -1, 64, 'd'), view_of_int(&t_int64, 7), "+7");
	expect_piece(piece(" ", -1, -1, 64, 'd'), view_of_int(&t_int64, 7), " 7");
	expect_piece(piece("", -1, -1, 8, 'u'), view_of_int(&t_int64, (uint64_t)-1), "255");
	expect_piece(piece("", -1, -1, 16, 'i'), view_of_int(&t_int64, 0x18000), "-32768");
	expect_piece(piece("#", -1, 0, 64, 'o'), view_of_int(&t_int64, 0), "0");
	expect_piece(piece("", -1, -1, 64, 'd'), view_of_int(&t_bool, 1), "1");
	expect_piece(piece("", 300, 200, 64, 'd'), view_of_int(&t_int64, 1),
		     "                                                  "
		     "                                                  "
		     "00000000000000000000000000000000000000000000000000"
		     "00000000000000000000000000000000000000000000000000"
		     "00000000000000000000000000000000000000000000000000"
		     "00000000000000000000000000000000000000000000000001");
}

static void test_pointers_and_chars(void **state)
{
	struct format_piece c = piece("", -1, -1, 64, 'c');
	struct plan_event e = {.kind = PE_PRINTF, .pieces = &c, .n_pieces = 1};
	struct view nul = view_of_int(&t_int64, 0);
	struct sink s;

	(void)state;
	expect_piece(piece("", -1, -1, 64, 'p'), view_of_int(&t_uint64, 0), "0x0");
	expect_piece(piece("", -1, -1, 64, 'p'), view_of_int(&t_uint64, 0xDEADBEEF), "0xdeadbeef");
	expect_piece(piece("", 8, -1, 64, 'p'), view_of_int(&t_uint64, 0xab), "    0xab");
	expect_piece(piece("-", 8, -1, 64, 'p'), view_of_int(&t_uint64, 0xab), "0xab    ");
	expect_piece(c, view_of_int(&t_int64, 'A' + 256), "A");
	expect_piece(piece("", 3, -1, 64, 'c'), view_of_int(&t_int64, 'A'), "  A");
	expect_piece(piece("-", 3, -1, 64, 'c'), view_of_int(&t_int64, 'A'), "A  ");
	sink_init(&s);
	format_printf(&s.text, &e, &nul);
	assert_int_equal(s.text.n, 1);
	assert_int_equal(s.small[0], 0);
}

static void test_strings(void **state)
{
	const struct view_frame f = {.ip = 1, .name = "g", .offset = 2};
	struct view stack = {.type = &t_kstack, .stack = {.frames = &f, .n = 1}};

	(void)state;
	expect_piece(piece("", -1, -1, 64, 's'), view_of_string("systemd-journal"),
		     "systemd-journal");
	expect_piece(piece("-", 10, 3, 64, 's'), view_of_string("abcdef"), "abc       ");
	expect_piece(piece("", 6, -1, 64, 's'), view_of_string("abc"), "   abc");
	expect_piece(piece("", 2, -1, 64, 's'), view_of_string("abc"), "abc");
	expect_piece(piece("", -1, 0, 64, 's'), view_of_string("abc"), "");
	expect_piece(piece("", -1, 9, 64, 's'), view_of_string("abc"), "abc");
	expect_piece(piece("", 7, -1, 64, 's'), view_of_int(&t_bool, 1), "   true");
	expect_piece(piece("-", 4, -1, 64, 's'), view_of_int(&t_int64, (uint64_t)-5), "-5  ");
	expect_piece(piece("", -1, -1, 64, 's'), view_of_int(&t_uint64, UINT64_MAX),
		     "18446744073709551615");
	expect_piece(piece("", -1, -1, 64, 's'), view_of_int(&t_count, 3), "3");
	expect_piece(piece("", 30, -1, 64, 's'), stack, "\n        g+2\n");
}

static void expect_on_terminal(struct format_piece p, const char *s, const char *want)
{
	struct plan_event e = {.kind = PE_PRINTF, .pieces = &p, .n_pieces = 1};
	struct view v = view_of_string(s);
	struct sink sink;

	sink_init(&sink);
	sink.text.is_terminal = true;
	format_printf(&sink.text, &e, &v);
	sink_make_room(&sink.text);
	assert_string_equal(sink.all, want);
}

/* A name cannot add a row or control a terminal; what str() reads is raw, except on a terminal. */
static void test_escapes(void **state)
{
	const struct type symbol = {.kind = TY_USYM, .size = 16, .align = 8};
	struct format_piece name = piece("", 8, -1, 64, 's'), memory = name, script = name;

	(void)state;
	memory.origin = FORMAT_FROM_MEMORY;
	script.origin = FORMAT_FROM_SCRIPT;
	expect_view(view_of_string("a]: 1\n@[sshd"), "a]: 1\\n@[sshd");
	expect_view(view_of_string("a\033[2J"), "a\\x1b[2J");
	expect_view(view_of_string("caf\xc3\xa9 \xff"), "caf\xc3\xa9 \\xff");
	expect_view((struct view){.type = &symbol, .string = {"f\n", 2}}, "f\\n");
	expect_piece(name, view_of_string("a\nb"), "    a\\nb");
	expect_piece(name, view_of_string("a\033\033b"), "a\\x1b\\x1bb");
	expect_piece(piece("-", 6, 2, 64, 's'), view_of_string("a\nb"), "a\\n   ");
	expect_piece(memory, view_of_string("a\n\033\xffz"), "   a\n\033\xffz");
	expect_piece(script, view_of_string("\033[1m"), "    \033[1m");
	expect_on_terminal(name, "a\nb\033", "a\\nb\\x1b");
	expect_on_terminal(memory, "a\nb\033\x9b\xff", "a\nb\\x1b\\x9b\xff");
	expect_on_terminal(memory, "\nb", "      \nb");
	expect_on_terminal(script, "\033[1m", "    \033[1m");
}

static void test_escapes_in_stacks(void **state)
{
	const struct view_frame frames[] = {{.ip = 1, .name = "f\n]: 9", .offset = 1},
					    {.ip = 2, .module = "/a/b\n\033", .offset = 2}};
	struct view v = {.type = &t_ustack, .stack = {.frames = frames, .n = 2, .is_user = true}};

	(void)state;
	expect_view(v, "\n        f\\n]: 9+1\n        0x2 (b\\n\\x1b+0x2)\n");
}

/* The output of a failed test keeps its lines. */
static void test_escapes_in_tests(void **state)
{
	const char *const failed[] = {"a\033b"};
	struct view_test t = {.stage = VIEW_TEST_RESULT, .name = failed[0], .output = "x\n\ty\033"};
	FILE *file = tmpfile();
	struct out *o = out_text_new(file, NULL, NULL);
	char got[256] = "";

	(void)state;
	assert_int_equal(o->test(o, &t), 0);
	t = (struct view_test){
		.stage = VIEW_TEST_END, .n = 1, .failed = failed, .n_failed = 1, .name = ""};
	assert_int_equal(o->test(o, &t), 0);
	o->close(o);
	assert_true(pread(fileno(file), got, sizeof(got) - 1, 0) > 0);
	assert_null(strchr(got, '\033'));
	assert_ptr_equal(strstr(got, "x\n\ty\\x1b\n[  FAILED  ] a\\x1bb ("), got);
	fclose(file);
}

static void test_pieces(void **state)
{
	struct format_piece pieces[] = {
		{.text = "[", .text_len = 1, .conv = 's', .width = -1, .precision = -1, .field = 1},
		{.text = "] took ",
		 .text_len = 7,
		 .conv = 'd',
		 .width = 4,
		 .precision = -1,
		 .bits = 64,
		 .field = 0},
		{.text = " ns 100%\n", .text_len = 9}};
	struct plan_event e = {.kind = PE_PRINTF, .pieces = pieces, .n_pieces = 3};
	struct view fields[] = {view_of_int(&t_int64, 42), view_of_string("cat")};
	struct sink s;

	(void)state;
	sink_init(&s);
	format_printf(&s.text, &e, fields);
	sink_make_room(&s.text);
	assert_string_equal(s.all, "[cat] took   42 ns 100%\n");
	e.n_pieces = 0;
	sink_init(&s);
	format_printf(&s.text, &e, fields);
	assert_int_equal(s.text.n + s.n, 0);
}

static const char *c_length(uint32_t bits)
{
	return bits == 8 ? "hh" : bits == 16 ? "h" : bits == 32 ? "" : "ll";
}

static void spell(const struct format_piece *p, char *spec, size_t size)
{
	char width[16] = "", precision[16] = "";

	if (p->width >= 0)
		snprintf(width, sizeof(width), "%d", p->width);
	if (p->precision >= 0)
		snprintf(precision, sizeof(precision), ".%d", p->precision);
	snprintf(spec, size, "%%%s%s%s%s%s%s%s%s%c", p->left ? "-" : "", p->plus ? "+" : "",
		 p->space ? " " : "", p->alt ? "#" : "", p->zero ? "0" : "", width, precision,
		 p->conv == 's' ? "" : c_length(p->bits), p->conv);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void expect_as_c(const struct format_piece *p, uint64_t x)
{
	char spec[64], want[128];

	spell(p, spec, sizeof(spec));
	snprintf(want, sizeof(want), spec, (unsigned long long)x);
	expect_piece(*p, view_of_int(&t_int64, x), want);
}

static void expect_string_as_c(const struct format_piece *p, const char *s)
{
	char spec[64], want[128];

	spell(p, spec, sizeof(spec));
	snprintf(want, sizeof(want), spec, s);
	expect_piece(*p, view_of_string(s), want);
}
#pragma GCC diagnostic pop

static void expect_values_as_c(const struct format_piece *p)
{
	static const uint64_t values[] = {0,	      1,	  7,	       8,
					  99,	      100,	  12345,       255,
					  256,	      UINT32_MAX, 1ull << 31,  INT64_MAX,
					  1ull << 63, UINT64_MAX, (uint64_t)-5};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		expect_as_c(p, values[i]);
}

/* Every integer conversion with all flags, some widths, precisions and lengths, as C does it. */
static void test_integers_like_c(void **state)
{
	static const int32_t sizes[] = {-1, 0, 1, 5, 30};

	(void)state;
	for (uint32_t i = 0; i < 6 * 32 * 5 * 5 * 4; i++) {
		uint32_t flags = i / 6 % 32, rest = i / 6 / 32;
		struct format_piece p = {
			.conv = "diuxXo"[i % 6],
			.left = flags & 1,
			.plus = flags & 2,
			.space = flags & 4,
			.alt = flags & 8,
			.zero = flags & 16,
			.width = sizes[rest % 5],
			.precision = sizes[rest / 5 % 5],
			.bits = 8u << rest / 25,
		};
		if (p.width != 0) /* "%0d" is a flag */
			expect_values_as_c(&p);
	}
}

static void test_strings_like_c(void **state)
{
	static const int32_t sizes[] = {-1, 1, 3, 5, 30};

	(void)state;
	for (uint32_t i = 0; i < 2 * 5 * 5; i++) {
		struct format_piece p = {
			.conv = 's',
			.left = i % 2,
			.width = sizes[i / 2 % 5],
			.precision = sizes[i / 10],
		};
		expect_string_as_c(&p, "");
		expect_string_as_c(&p, "abc");
		expect_string_as_c(&p, "a longer one");
	}
}

/* ---- the text writer ----------------------------------------------------------------- */

static void expect_file(FILE *f, const char *want)
{
	char got[4096];
	ssize_t n = pread(fileno(f), got, sizeof(got) - 1, 0);

	assert_true(n >= 0);
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void test_out_maps(void **state)
{
	const struct view_frame f[] = {{.ip = 1, .name = "f", .offset = 1},
				       {.ip = 2, .name = "main", .offset = 5}};
	struct view keys[] = {
		{.type = &t_kstack, .stack = {.frames = f, .n = 1}},
		{.type = &t_ustack, .stack = {.frames = f + 1, .n = 1, .is_user = true}},
		view_of_int(&t_int64, (uint64_t)-1),
		view_of_string("a b"),
	};
	struct view_row row = {.keys = keys, .value = view_of_int(&t_count, 7)};
	struct view_map m = {.name = "@", .n_keys = 2, .rows = &row, .n_rows = 1};
	FILE *file = tmpfile();
	struct out *o = out_text_new(file, NULL, NULL);

	(void)state;
	assert_non_null(o);
	assert_int_equal(o->map(o, &m), 0);
	row.keys = keys + 2;
	m.name = "@lat";
	assert_int_equal(o->map(o, &m), 0);
	m.n_keys = 0;
	assert_int_equal(o->map(o, &m), 0);
	m.n_rows = 0;
	assert_int_equal(o->map(o, &m), 0);
	assert_int_equal(o->value(o, &keys[0]), 0);
	expect_file(file, "");
	assert_int_equal(o->flush(o), 0);
	expect_file(
		file,
		"@[\n        f+1\n, -- user --\n        main+5\n]: 7\n@lat[-1, a b]: 7\n@lat: 7\n"
		"\n        f+1\n\n");
	o->close(o);
	fclose(file);
}

/* What stdio still holds comes first; what is not flushed is written by close. */
static void test_out_order(void **state)
{
	struct view v = view_of_int(&t_int64, 2);
	FILE *file = tmpfile();
	struct out *o;

	(void)state;
	fputs("1\n", file);
	o = out_text_new(file, NULL, NULL);
	assert_int_equal(o->value(o, &v), 0);
	o->close(o);
	expect_file(file, "1\n2\n");
	fclose(file);
}

static void test_out_epipe(void **state)
{
	struct view v = view_of_string("x");
	int pipe_fds[2], n = 0, err = 0;
	struct out *o;
	FILE *file;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(pipe_fds), 0);
	close(pipe_fds[0]);
	file = fdopen(pipe_fds[1], "w");
	o = out_text_new(file, NULL, NULL);
	while (!err && n++ < 1000000)
		err = o->value(o, &v);
	assert_int_equal(err, -EPIPE);
	assert_true(n > 1000); /* buffered until then */
	assert_int_equal(o->flush(o), -EPIPE);
	assert_int_equal(o->value(o, &v), -EPIPE);
	o->close(o);
	fclose(file);
}

struct reader {
	int fd;
	uint64_t sum, n_bytes;
};

/* Slowly, so that the pipe is full most of the time and writes are partial. */
static void *read_slowly(void *arg)
{
	struct reader *r = arg;
	unsigned char bytes[3000];
	ssize_t n;

	while ((n = read(r->fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			r->sum = r->sum * 31 + bytes[i];
		r->n_bytes += (uint64_t)n;
		usleep(200);
	}
	return NULL;
}

/* A non-blocking pipe whose reader is slow: nothing lost, nothing doubled, order kept. */
static void test_out_partial_writes(void **state)
{
	struct format_piece wide = piece("0", 70000, -1, 64, 'd');
	struct plan_event e = {.kind = PE_PRINTF, .pieces = &wide, .n_pieces = 1};
	struct view v = view_of_int(&t_int64, 1);
	struct reader r = {.sum = 0};
	uint64_t want = 0;
	int pipe_fds[2];
	pthread_t thread;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	fcntl(pipe_fds[1], F_SETFL, O_NONBLOCK);
	r.fd = pipe_fds[0];
	pthread_create(&thread, NULL, read_slowly, &r);
	FILE *file = fdopen(pipe_fds[1], "w");
	struct out *o = out_text_new(file, NULL, NULL);
	for (int i = 0; i < 10; i++) {
		v.integer = (uint64_t)i;
		assert_int_equal(o->printf_event(o, &e, &v), 0);
		for (int j = 0; j < 70000; j++)
			want = want * 31 + (uint64_t)(j == 69999 ? '0' + i : '0');
	}
	assert_int_equal(o->flush(o), 0);
	o->close(o);
	fclose(file);
	pthread_join(thread, NULL);
	close(pipe_fds[0]);
	assert_int_equal(r.n_bytes, 700000);
	assert_true(r.sum == want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_stack_forms),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_pointers_and_chars),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_escapes_in_stacks),
		cmocka_unit_test(test_escapes_in_tests),
		cmocka_unit_test(test_integers_like_c),
		cmocka_unit_test(test_strings_like_c),
		cmocka_unit_test(test_out_maps),
		cmocka_unit_test(test_out_order),
		cmocka_unit_test(test_out_epipe),
		cmocka_unit_test(test_out_partial_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
