/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks over a parsed tree: inferred types, scopes of variables, which part of a predicate is
 * tested at a span's start, suggestions, limits. Golden tests (golden/errors) have the messages;
 * this file has the tags of errors that a script file cannot cause.
 */
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/sema/sema.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* ---- types ---- */

static const struct map *find_map(const struct world *w, const char *name)
{
	for (uint32_t i = 0; i < w->program->n_maps; i++)
		if (!strcmp(w->program->maps[i]->name, name))
			return w->program->maps[i];
	fail_msg("no map %s", name);
	return NULL;
}

/* Keys, then the value, of map @m, or the type of variable $v, in "k:vfs_read { BODY }". */
static const char *type_in(struct world *w, const char *body, const char *name)
{
	char script[400];
	const struct map *m;
	const char *s = "";

	print_message("%s\n", body);
	snprintf(script, sizeof(script), "k:vfs_read { %s }", body);
	if (world_check(w, script))
		diags_print(&w->diags, stderr, false);
	assert_int_equal(w->diags.n_errors, 0);
	if (name[0] == '$') {
		const struct probe *p = w->program->probes[0];

		for (uint32_t i = 0; i < p->n_vars; i++)
			if (!strcmp(p->vars[i]->name, name))
				return type_str(w->arena, p->vars[i]->type);
		fail_msg("no variable %s", name);
	}
	m = find_map(w, name);
	for (uint32_t i = 0; i < m->n_keys; i++)
		s = arena_printf(w->arena, "%s%s, ", s, type_str(w->arena, m->key_types[i]));
	return arena_printf(w->arena, "%s%s", s, type_str(w->arena, m->value));
}

struct type_row {
	const char *body, *name, *want;
};

static void check_types(const struct type_row *rows, size_t n)
{
	struct world w;

	for (size_t i = 0; i < n; i++) {
		world_init(&w);
		assert_string_equal(type_in(&w, rows[i].body, rows[i].name), rows[i].want);
		world_free(&w);
	}
}

#define CHECK_TYPES(rows) check_types(rows, sizeof(rows) / sizeof(*(rows)))

static void test_variables(void **state)
{
	static const struct type_row rows[] = {
		{"$x = 1", "$x", "int64"},
		{"$x = pid", "$x", "uint64"},
		{"$x = -1", "$x", "int64"},
		{"$x = pid - 1", "$x", "int64"},
		{"$x = pid + 1", "$x", "uint64"},
		{"$x = 1 + 2", "$x", "int64"},
		{"$x = pid == 1", "$x", "bool"},
		{"$x = pid == 1; $x = 5", "$x", "int64"},
		{"$x = comm", "$x", "string[16]"},
		{"$x = \"a\"; $x = \"abc\"; $x = \"ab\"", "$x", "string[4]"},
		{"$x = kstack", "$x", "kstack"},
		{"$x++", "$x", "int64"},
		{"$x = ~pid", "$x", "uint64"},
		{"$x = !pid", "$x", "bool"},
		{"$x = -pid", "$x", "int64"},
		{"$x = 18446744073709551615", "$x", "uint64"},
		{"$x = pid; $x = -1", "$x", "int64"},
		{"$x = pid ? nsecs : 0", "$x", "uint64"},
		{"$x = pid ? 0 : nsecs", "$x", "uint64"},
		{"$x = pid ? 1 : -1", "$x", "int64"},
		{"$x = pid()", "$x", "uint64"},
	};

	(void)state;
	CHECK_TYPES(rows);
}

/* A literal takes the sign of what it meets, in either order, and through other names. */
static void test_literals(void **state)
{
	static const struct type_row rows[] = {
		{"$x = 0; $x = nsecs", "$x", "uint64"},
		{"$x = nsecs; $x = 0", "$x", "uint64"},
		{"$x = 0; $x = -1; $x = nsecs", "$x", "int64"},
		{"$x = nsecs; $x = -1; $x = 0", "$x", "int64"},
		{"$x = 0; $y = $x; $x = nsecs", "$y", "uint64"},
		{"@x = 0; @x = nsecs", "@x", "uint64"},
		{"@x = 0; @x++", "@x", "int64"},
		{"@[1] = 1; @[nsecs] = 1", "@", "uint64, int64"},
		{"@[nsecs] = 1; @[1] = 1", "@", "uint64, int64"},
		{"@[pid] = 1; @[5000000000] = 1", "@", "uint64, int64"}, /* would not fit uint32 */
		{"@[5000000000] = 1; @[pid] = 1", "@", "uint64, int64"},
		{"@[-1] = 1; @[pid] = 1", "@", "int64, int64"},
		{"@[pid ? 1 : 2] = 1; @[nsecs] = 1", "@", "uint64, int64"},
	};

	(void)state;
	CHECK_TYPES(rows);
}

/* What is assigned from itself: the other operand decides. */
static void test_self_reference(void **state)
{
	static const struct type_row rows[] = {
		{"@max = nsecs > @max ? nsecs : @max", "@max", "uint64"},
		{"@n = @n + 1", "@n", "int64"},
		{"@n = @n + nsecs", "@n", "uint64"},
		{"@n = @n - 1", "@n", "int64"},
		{"@n = ~@n", "@n", "int64"},
		{"@n = !@n", "@n", "bool"},
		{"$y = @q; @q = $y + nsecs", "$y", "uint64"},
		{"@a = @b; @b = @c; @c = @d; @d = comm", "@a", "string[16]"},
		{"@k[@n] = 1; @n = @n + 1", "@k", "int64, int64"},
	};

	(void)state;
	CHECK_TYPES(rows);
}

static void test_maps(void **state)
{
	static const struct type_row rows[] = {
		{"@ = count()", "@", "count_t"},
		{"@[pid] = count()", "@", "uint32, count_t"},
		{"@[pid, comm, kstack] = count()", "@", "uint32, string[16], kstack, count_t"},
		{"@ = sum(pid)", "@", "usum_t"},
		{"@ = sum(5)", "@", "usum_t"},
		{"@ = sum(-5)", "@", "sum_t"},
		{"@ = sum(pid); @ = sum(pid - 1)", "@", "sum_t"},
		{"@a = @b; @b = pid", "@a", "uint64"}, /* read before it is written */
		{"@a[@b] = 1; @b = comm", "@a", "string[16], int64"},
		{"@a[\"x\"] = 1; @a[\"xyz\"] = 2", "@a", "string[4], int64"},
		{"@a[pid == 1] = 1", "@a", "bool, int64"},
		{"@a = 5; @a += nsecs", "@a", "uint64"},
		{"@a++", "@a", "int64"},
		{"@a = 1; print(@a); clear(@a); delete(@a)", "@a", "int64"},
		{"@a[1] = 1; delete(@a, 1); delete(@a[2])", "@a", "int64, int64"},
	};

	(void)state;
	CHECK_TYPES(rows);
}

static void test_args(void **state)
{
	const struct map *m;
	struct world w;

	(void)state;
	world_init(&w);
	assert_int_equal(world_check(&w, "t:sched:sched_switch { @[args.prev_comm, args.prev_pid, "
					 "args.prev_state] = count() }"),
			 0);
	m = find_map(&w, "@");
	assert_string_equal(type_str(w.arena, m->key_types[0]), "string[16]");
	assert_string_equal(type_str(w.arena, m->key_types[1]), "int32");
	assert_string_equal(type_str(w.arena, m->key_types[2]), "int64");
	world_free(&w);
}

static void null_types(struct expr *e, void *ctx)
{
	uint32_t *n = ctx;

	*n += !e->type;
	if (e->kind != EX_FIELD) /* the word `args` of args.FIELD has no type of its own */
		ast_each_child(e, null_types, ctx);
}

static void test_no_null_type(void **state)
{
	static const char text[] =
		"t:sched:sched_switch /args.prev_pid > 0 && none/ { printf(\"%d\", f(g($x), 1 + @u)); "
		"-comm; !\"a\"; @m[h()]++; $y = pid ? comm : 1; print(@q); $z.a; }";
	uint32_t n = 0;
	struct world w;

	(void)state;
	world_init(&w);
	assert_true(world_check(&w, text) > 5);
	null_types(w.program->probes[0]->predicate, &n);
	for (uint32_t i = 0; i < w.program->probes[0]->body.n; i++) {
		struct stmt *st = w.program->probes[0]->body.items[i];

		null_types(st->kind == ST_EXPR ? st->expr : st->assign.value, &n);
	}
	assert_int_equal(n, 0);
	world_free(&w);
}

/* Each comparison of a chain is typed once: twice would take 2^90 steps. */
static void test_long_chain(void **state)
{
	char script[1000] = "k:vfs_read { $x = 1";
	struct world w;

	(void)state;
	for (int i = 0; i < 90; i++)
		strcat(script, " == 1");
	strcat(script, " }");
	world_init(&w);
	assert_int_equal(world_check(&w, script), 0);
	world_free(&w);
}

/* ---- names ---- */

static void test_scopes(void **state)
{
	static const char text[] =
		"k:vfs_read { $x = 1; if (pid) { $x = 2; $y = 1 } else { $y = comm } { $y = kstack } "
		"$z = $x } k:vfs_write { $x = comm }";
	const struct probe *p;
	struct world w;

	(void)state;
	world_init(&w);
	assert_int_equal(world_check(&w, text), 0);
	p = w.program->probes[0];
	assert_int_equal(p->n_vars, 5); /* $x, three $y, $z */
	for (uint32_t i = 0; i < p->n_vars; i++)
		assert_int_equal(p->vars[i]->id, i);
	assert_string_equal(type_str(w.arena, p->vars[0]->type), "int64");
	assert_string_equal(type_str(w.arena, p->vars[2]->type), "string[16]");
	assert_string_equal(type_str(w.arena, p->vars[3]->type), "kstack");
	assert_string_equal(type_str(w.arena, w.program->probes[1]->vars[0]->type), "string[16]");
	world_free(&w);
}

/* The only diagnostic of `text`. */
static const struct diag *only(struct world *w, const char *text, const char *tag)
{
	print_message("%s\n", text);
	world_init(w);
	world_check(w, text);
	if (w->diags.n != 1)
		diags_print(&w->diags, stderr, false);
	assert_int_equal(w->diags.n, 1);
	assert_string_equal(w->diags.items[0].tag, tag);
	return &w->diags.items[0];
}

static void test_suggestions(void **state)
{
	static const struct {
		const char *text, *tag, *hint;
	} rows[] = {
		{"k:vfs_read { @ = cuont() }", "unknown-function", "'count'"},
		{"k:vfs_read { @ = pidd }", "unknown-name", "'pid'"},
		{"k:vfs_read { print(zzzzzz) }", "unknown-name", "begin with $"},
		{"k:vfs_read { printf; }", "needs-call", "printf(…)"},
		{"k:vfs_read { print(uid(1)) }", "unknown-function", "without parentheses"},
		{"k:vfs_read { $start = 1; print($strat) }", "undefined-variable", "'$start'"},
		{"k:vfs_read { if (1) { let $x = 1; } print($x) }", "undefined-variable",
		 "that block"},
		{"k:vfs_read { @start = 1; print(@strat) }", "undefined-map", "'@start'"},
		{"k:vfs_read { @start = 1; @x = @strat }", "undefined-map", "'@start'"},
		{"k:vfs_read { @start[1] = 1; @x = @strat[1] }", "undefined-map", "'@start'"},
		{"t:sched:sched_switch { print(args.prev_pdi) }", "unknown-field", "'prev_pid'"},
		{"k:vfs_reed { @ = count() }", "unknown-function", NULL},
	};
	const struct diag *d;
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		d = only(&w, rows[i].text, rows[i].tag);
		if (rows[i].hint && (!d->hint || !strstr(d->hint, rows[i].hint)))
			fail_msg("hint '%s' does not say %s", d->hint ? d->hint : "", rows[i].hint);
		world_free(&w);
	}
}

/* ---- rules ---- */

static void test_warning(void **state)
{
	static const char *const texts[] = {
		"k:vfs_read { pid }",	   "k:vfs_read { 5; }",	    "k:vfs_read { @x = 1; @x }",
		"k:vfs_read { pid == 1 }", "k:vfs_read { kstack }",
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(only(&w, texts[i], "no-effect")->level, DIAG_WARNING);
		assert_int_equal(w.diags.n_errors, 0);
		world_free(&w);
	}
}

/* A chain of maps in the wrong order takes a round of inference each. */
static void test_long_dependence(void **state)
{
	char script[8000] = "k:vfs_read { ";
	struct world w;

	(void)state;
	for (int i = 0; i < LIMIT_MAPS - 1; i++)
		sprintf(script + strlen(script), "@m%d = @m%d; ", i, i + 1);
	sprintf(script + strlen(script), "@m%d = comm }", LIMIT_MAPS - 1);
	world_init(&w);
	assert_int_equal(world_check(&w, script), 0);
	assert_string_equal(type_str(w.arena, find_map(&w, "@m0")->value), "string[16]");
	world_free(&w);
}

/* What needs another kernel than that of the golden tests. */
static void test_no_btf(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.kernel.has_no_btf = true;
	assert_int_equal(world_check(&w, "t:sched:sched_switch { @ = sum(delta) }"), 1);
	assert_string_equal(w.diags.items[0].tag, "no-btf");
	assert_non_null(strstr(w.diags.items[0].hint, "CONFIG_DEBUG_INFO_BTF"));
	world_free(&w);
}

static uint32_t count_errors(const char *text, const char *tag)
{
	struct world w;
	uint32_t n;

	world_init(&w);
	n = world_check(&w, text);
	if (n)
		assert_string_equal(w.diags.items[0].tag, tag);
	world_free(&w);
	return n;
}

static void test_limits(void **state)
{
	char text[60000] = "";
	char *end = text;

	(void)state;
	for (int i = 0; i < LIMIT_PROBES; i++)
		end += sprintf(end, "k:vfs_read%s", i + 1 < LIMIT_PROBES ? "," : " { $x = 1 } ");
	assert_int_equal(count_errors(text, "limit-probes"), 0);
	strcat(end, "k:vfs_write { $x = 1 } k:vfs_read { $x = 1 }");
	assert_int_equal(count_errors(text, "limit-probes"), 1);

	end = text + sprintf(text, "BEGIN { ");
	for (int i = 0; i < LIMIT_MAPS; i++)
		end += sprintf(end, "@m%d = 1; ", i);
	strcpy(end, "}");
	assert_int_equal(count_errors(text, "limit-maps"), 0);
	strcpy(end, "@n = 1 }");
	assert_int_equal(count_errors(text, "limit-maps"), 1);

	end = text + sprintf(text, "BEGIN { printf(\"%%d");
	for (int i = 2; i < LIMIT_CALL_ARGS; i++)
		end += sprintf(end, " %%d");
	end += sprintf(end, "\"");
	for (int i = 1; i < LIMIT_CALL_ARGS; i++)
		end += sprintf(end, ", 1");
	strcpy(end, ") }");
	assert_int_equal(count_errors(text, "limit-args"), 0);
	strcpy(end, ", 1) }");
	assert_int_equal(count_errors(text, "limit-args"), 1);
}

/* ---- predicates of spans ---- */

static void check_split(const char *predicate, uint32_t n, bool is_all)
{
	const struct probe *p;
	struct world w;
	char text[300];

	print_message("%s\n", predicate);
	snprintf(text, sizeof(text), "t:sched:sched_switch /%s/ { @ = sum(delta) }", predicate);
	world_init(&w);
	assert_int_equal(world_check(&w, text), 0);
	p = w.program->probes[0];
	assert_int_equal(p->points[0].ends, SPAN_SWITCH);
	assert_int_equal(p->n_start_conds, n);
	if (is_all)
		assert_ptr_equal(p->start_conds[0], p->predicate);
	world_free(&w);
}

static void test_predicate_split(void **state)
{
	struct world w;

	(void)state;
	check_split("comm == \"x\" && delta > 1ms", 1, false);
	check_split("delta > 1ms && comm == \"x\" && pid != 5", 2, false);
	check_split("comm == \"x\"", 1, true);
	check_split("delta > 1ms", 0, false);
	check_split("pid == 1 || tid == 2", 1, true);
	check_split("pid == 1 || delta > 5", 0, false); /* only what && joins */
	check_split("pid + 1 > 2 ? uid : 0", 1, true);
	check_split("nsecs > 5 && cpu == 1", 0, false); /* of the end */
	check_split("args.prev_pid > 5", 0, false);
	check_split("args.prev_pid == 1 && (pid == 5 && uid == 7)", 2, false);
	world_init(&w);
	world_check(&w, "t:sched:sched_switch /pid == 1/ { @ = count() }");
	assert_int_equal(w.program->probes[0]->n_start_conds, 0); /* no span */
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),      cmocka_unit_test(test_literals),
		cmocka_unit_test(test_self_reference), cmocka_unit_test(test_maps),
		cmocka_unit_test(test_args),	       cmocka_unit_test(test_no_null_type),
		cmocka_unit_test(test_long_chain),     cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_suggestions),    cmocka_unit_test(test_warning),
		cmocka_unit_test(test_no_btf),	       cmocka_unit_test(test_long_dependence),
		cmocka_unit_test(test_limits),	       cmocka_unit_test(test_predicate_split),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
