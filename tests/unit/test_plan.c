/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_make(): layouts of keys, values, records and the state of spans; which kind of program a
 * probe becomes; what is shared and fused; what the runtime has to provide. How the plan prints is
 * a golden test.
 */
#include "parser/lang/syscalls.h"
#include "bpf_helpers/shared.h"
#include "tests/unit/fake_kernel.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/probe.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <linux/bpf.h>
#include <string.h>
#include <cmocka.h>

static const struct plan *plan_of(struct world *w, const char *text)
{
	print_message("%s\n", text);
	world_init(w);
	assert_non_null(world_plan(w, text, NULL));
	return w->plan;
}

static void check_field(const struct plan_field *f, uint32_t offset, uint32_t size)
{
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->size, size);
}

/* ---- maps ---- */

static void test_keys(void **state)
{
	static const struct {
		const char *keys;
		uint32_t size, n, offsets[3];
	} rows[] = {
		{"pid", 8, 1, {4}},    /* behind the epoch */
		{"nsecs", 16, 1, {8}}, /* aligned */
		{"comm", 24, 1, {8}},  /* strings are written in words */
		{"pid, nsecs", 16, 2, {4, 8}},
		{"nsecs, pid", 24, 2, {8, 16}}, /* padded at the end */
		{"pid == 1, pid", 12, 2, {4, 8}},
		{"pid == 1, comm, kstack", 32, 3, {4, 8, 24}},
		{"\"ab\", pid == 1, pid", 16, 3, {8, 11, 12}},
		{"kstack, ustack, pid == 1", 32, 3, {8, 16, 24}},
		{"\"ab\"", 12, 1, {8}}, /* 8 + 3, to the epoch's alignment */
	};
	const struct plan_map *m;
	char text[200];
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "k:vfs_read { @[%s] = count() }", rows[i].keys);
		m = &plan_of(&w, text)->maps[0];
		assert_int_equal(m->kind, PM_SLOT_HASH);
		assert_int_equal(m->key_size, rows[i].size);
		assert_int_equal(m->n_keys, rows[i].n);
		for (uint32_t j = 0; j < m->n_keys; j++)
			check_field(&m->keys[j], rows[i].offsets[j], m->keys[j].type->size);
		assert_int_equal(m->max_entries, LIMIT_MAP_KEYS);
		world_free(&w);
	}
}

static void test_values(void **state)
{
	static const struct {
		const char *body;
		enum plan_map_kind kind;
		uint32_t key_size, value_size, touched;
		uint32_t bpf_type, flags;
	} rows[] = {
		{"@ = count()", PM_PERCPU_ARRAY, 4, 16, 8, BPF_MAP_TYPE_PERCPU_ARRAY, 0},
		{"@ = sum(pid)", PM_PERCPU_ARRAY, 4, 16, 8, BPF_MAP_TYPE_PERCPU_ARRAY, 0},
		{"@ = pid", PM_ARRAY, 4, 16, 8, BPF_MAP_TYPE_ARRAY, 0},
		{"@ = comm", PM_ARRAY, 4, 24, 16, BPF_MAP_TYPE_ARRAY, 0},
		{"@ = \"abcdefgh\"", PM_ARRAY, 4, 24, 16, BPF_MAP_TYPE_ARRAY,
		 0}, /* 9 bytes, rounded up */
		{"@ = pid == 1", PM_ARRAY, 4, 16, 8, BPF_MAP_TYPE_ARRAY, 0},
		{"@[pid] = comm", PM_HASH, 8, 16, 0, BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC},
		{"@[pid] = kstack", PM_HASH, 8, 8, 0, BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC},
		{"@[pid]++", PM_HASH, 8, 8, 0, BPF_MAP_TYPE_HASH, BPF_F_NO_PREALLOC},
	};
	const struct plan_map *m;
	char text[200];
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "k:vfs_read { %s }", rows[i].body);
		m = &plan_of(&w, text)->maps[0];
		assert_int_equal(m->kind, rows[i].kind);
		assert_int_equal(m->key_size, rows[i].key_size);
		assert_int_equal(m->bpf_type, rows[i].bpf_type);
		assert_int_equal(m->flags, rows[i].flags);
		assert_int_equal(m->value_size, rows[i].value_size);
		assert_int_equal(m->touched_offset, rows[i].touched);
		assert_int_equal(m->max_entries, m->n_keys ? LIMIT_MAP_KEYS : SONDE_EPOCH_SLOTS);
		world_free(&w);
	}
}

/* Maps stand in the order in which the script names them, their keys in the order written. */
static void test_order(void **state)
{
	struct world w;
	const struct plan *p =
		plan_of(&w, "k:vfs_read { @b[comm, pid] = @a; @a = 1; @ = count() }");

	(void)state;
	assert_int_equal(p->n_maps, 3);
	assert_string_equal(p->maps[0].name, "@a"); /* the value is looked at first */
	assert_string_equal(p->maps[1].name, "@b");
	assert_string_equal(p->maps[2].name, "@");
	assert_string_equal(p->maps[1].symbol, "map_b");
	assert_string_equal(p->maps[2].symbol, "map_");
	assert_int_equal(p->maps[1].keys[0].type->kind, TY_STRING);
	assert_int_equal(p->maps[1].keys[1].type->kind, TY_INT);
	world_free(&w);
}

/* ---- records ---- */

static void test_records(void **state)
{
	struct world w;
	const struct plan *p =
		plan_of(&w, "k:vfs_read { printf(\"%d %s %s %d|\", pid, comm, pid == 1, "
			    "-1); print(kstack); printf(\"x\"); print(\"abc\") }");
	const struct plan_event *e = &p->events[0];

	(void)state;
	assert_int_equal(p->n_events, 4);
	assert_int_equal(e->kind, PE_PRINTF);
	assert_int_equal(e->n_fields, 4);
	check_field(&e->fields[0], 8, 8); /* uint32 is sent as 64 bits */
	assert_false(e->fields[0].type->is_signed);
	check_field(&e->fields[1], 16, 16);
	check_field(&e->fields[2], 32, 1);
	check_field(&e->fields[3], 40, 8);
	assert_true(e->fields[3].type->is_signed);
	assert_int_equal(e->size, 48);
	assert_int_equal(e->n_pieces, 5);
	assert_int_equal(e->pieces[4].conv, 0);
	assert_int_equal(p->events[1].kind, PE_PRINT_VALUE);
	assert_int_equal(p->events[1].size, 16);
	assert_int_equal(p->events[2].size, sizeof(struct sonde_event));
	check_field(&p->events[3].fields[0], 8, 4);
	assert_int_equal(p->events[3].size, 16);
	assert_true(p->needs.ring_buffer);
	world_free(&w);
}

static void check_events(const char *body, uint32_t n, const enum plan_event_kind *kinds)
{
	char text[200];
	struct world w;
	const struct plan *p;

	snprintf(text, sizeof(text), "i:s:1 { %s } k:vfs_read { @a = count(); @b = count() }",
		 body);
	p = plan_of(&w, text);
	assert_int_equal(p->n_events, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(p->events[i].kind, kinds[i]);
		assert_int_equal(p->events[i].size, sizeof(struct sonde_map_event));
	}
	world_free(&w);
}

static void test_fusing(void **state)
{
	static const enum plan_event_kind both[] = {PE_PRINT_CLEAR},
					  two[] = {PE_PRINT_MAP, PE_CLEAR_MAP},
					  other[] = {PE_CLEAR_MAP, PE_PRINT_MAP},
					  pairs[] = {PE_PRINT_CLEAR, PE_PRINT_CLEAR},
					  more[] = {PE_PRINT_CLEAR, PE_CLEAR_MAP},
					  again[] = {PE_PRINT_MAP, PE_PRINT_CLEAR};

	(void)state;
	check_events("print(@a); clear(@a)", 1, both);
	check_events("print(@a); clear(@b)", 2, two);
	check_events("clear(@a); print(@a)", 2, other);
	check_events("print(@a); clear(@a); print(@b); clear(@b)", 2, pairs);
	check_events("print(@a); clear(@a); clear(@a)", 2, more);
	check_events("print(@a); print(@a); clear(@a)", 2, again);
	check_events("print(@a); $x = 1; clear(@a)", 2, two);
	check_events("print(@a); if (cpu) { clear(@a) }", 2, two);
	check_events("if (cpu) { print(@a); clear(@a) }", 1, both);
}

/* Which strings of printf are raw: only literals, and what str() itself has read. */
static void test_origins(void **state)
{
	static const struct {
		const char *argument;
		enum format_origin origin;
	} rows[] = {
		{"comm", FORMAT_FROM_NAME},
		{"probe", FORMAT_FROM_NAME},
		{"func", FORMAT_FROM_NAME},
		{"ksym(arg0)", FORMAT_FROM_NAME},
		{"username", FORMAT_FROM_NAME},
		{"$s", FORMAT_FROM_NAME},
		{"@s", FORMAT_FROM_NAME},
		{"str(comm)", FORMAT_FROM_NAME},
		{"str(arg0)", FORMAT_FROM_MEMORY},
		{"str(arg0, 8)", FORMAT_FROM_MEMORY},
		{"(pid ? str(arg0) : comm)", FORMAT_FROM_NAME},
		{"(pid ? str(arg0) : \"-\")", FORMAT_FROM_MEMORY},
		{"\"a\"", FORMAT_FROM_SCRIPT},
		{"(pid ? \"a\" : \"b\")", FORMAT_FROM_SCRIPT},
	};
	char text[200];
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text),
			 "k:vfs_read { $s = str(arg0); @s = $s; printf(\"%%d %%-*s\", 1, 5, %s) }",
			 rows[i].argument);
		assert_int_equal(plan_of(&w, text)->events[0].pieces[1].origin, rows[i].origin);
		world_free(&w);
	}
}

static void test_record_limit(void **state)
{
	char text[8000] = "BEGIN { let $s : string[65536]; printf(\"", *end = text + strlen(text);
	struct world w;

	(void)state;
	for (int i = 0; i < 8; i++)
		end += sprintf(end, "%%s");
	end += sprintf(end, "\"");
	for (int i = 0; i < 8; i++)
		end += sprintf(end, ", $s");
	strcpy(end, ") }");
	world_init(&w);
	assert_null(world_plan(&w, text, NULL));
	assert_string_equal(w.diags.items[0].tag, "limit-event");
	world_free(&w);
}

/* ---- programs ---- */

static void test_tracepoint_kinds(void **state)
{
	static const struct {
		const char *text;
		enum plan_prog_kind kind;
		const char *section;
	} rows[] = {
		{"t:skb:kfree_skb { @ = count() }", PP_RAW_TP, "raw_tp/kfree_skb"},
		{"t:sched:sched_switch { @[args.prev_pid] = count() }", PP_TP_BTF,
		 "tp_btf/sched_switch"},
		{"t:sched:sched_switch /args.next_pid/ { @ = count() }", PP_TP_BTF,
		 "tp_btf/sched_switch"},
		{"t:sched:sched_switch { if (1) { @ = args.next_pid } }", PP_TP_BTF,
		 "tp_btf/sched_switch"},
		{"t:sched:sched_switch { @ = sum(delta) }", PP_SWITCH_SPAN, "tp_btf/sched_switch"},
		{"t:sched:sched_switch /delta > 5/ { @ = count() }", PP_SWITCH_SPAN,
		 "tp_btf/sched_switch"},
		{"t:skb:kfree_skb { @[args.protocol] = count() }", PP_TRACEPOINT,
		 "tracepoint/skb/kfree_skb"},
		{"t:sched:sched_process_exec { @ = count() }", PP_TRACEPOINT,
		 "tracepoint/sched/sched_process_exec"},
		{"t:syscalls:sys_enter_openat { @ = count() }", PP_SYSCALL_ENTER,
		 "tp_btf/sys_enter"},
		{"t:syscalls:sys_enter_openat { @ = args.flags }", PP_SYSCALL_ENTER,
		 "tp_btf/sys_enter"},
		{"t:syscalls:sys_exit_openat { @ = args.ret }", PP_SYSCALL_EXIT, "tp_btf/sys_exit"},
		{"t:syscalls:sys_enter_unheard_of { @ = count() }", PP_TRACEPOINT,
		 "tracepoint/syscalls/sys_enter_unheard_of"},
		{"t:raw_syscalls:sys_enter { @ = count() }", PP_RAW_TP, "raw_tp/sys_enter"},
		{"t:raw_syscalls:sys_enter { @ = args.id }", PP_TP_BTF, "tp_btf/sys_enter"},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct plan_prog *g = &plan_of(&w, rows[i].text)->progs[0];

		assert_int_equal(g->kind, rows[i].kind);
		assert_string_equal(g->section, rows[i].section);
		world_free(&w);
	}
}

/* What another thread or processor would make different takes the kernel's clock. */
static void test_interval_kinds(void **state)
{
	static const struct {
		const char *text;
		enum plan_prog_kind kind;
	} rows[] = {
		{"i:s:1 { @ = count() }", PP_INTERVAL_THREAD},
		{"i:s:1 /nsecs > 5/ { print(@); @ = elapsed; clear(@) }", PP_INTERVAL_THREAD},
		{"i:s:1 { @[probe, rand] = ncpus; exit(1) }", PP_INTERVAL_THREAD},
		{"i:s:1 { printf(\"%s\", ksym(4096)); time() }", PP_INTERVAL_THREAD},
		{"i:s:1 { @ = cpu }", PP_INTERVAL},
		{"i:s:1 /pid == 5/ { @ = 1 }", PP_INTERVAL},
		{"i:s:1 { if (1) { @[comm] = count() } }", PP_INTERVAL},
		{"i:s:1 { printf(\"%d\", 1 + uid) }", PP_INTERVAL},
		{"i:s:1 { @[username] = 1 }", PP_INTERVAL},
		{"i:s:1 { @ = cgroup }", PP_INTERVAL},
		{"i:s:1 { @[kstack(3)] = count() }", PP_INTERVAL},
		{"i:s:1 { @[ustack] = count() }", PP_INTERVAL},
		{"i:s:1 { printf(\"%s\", usym(4096)) }", PP_INTERVAL},
		{"i:s:1 { @ = sum(delta) }", PP_INTERVAL},
		{"i:s:1 { let $x = 1; while ($x < 2) { $x += tid } }", PP_INTERVAL},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(plan_of(&w, rows[i].text)->progs[0].kind, rows[i].kind);
		world_free(&w);
	}
}

static void test_without_btf(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	w.kernel.has_no_btf = true;
	assert_non_null(world_plan(&w,
				   "t:sched:sched_switch { @ = args.prev_pid } "
				   "t:syscalls:sys_enter_openat { @b = count() }",
				   NULL));
	assert_int_equal(w.plan->progs[0].kind, PP_TRACEPOINT);
	assert_int_equal(w.plan->progs[0].tracepoint_id, 372);
	assert_int_equal(w.plan->progs[1].kind, PP_TRACEPOINT);
	world_free(&w);
}

/* All probes on system calls share one program a side. */
static void test_syscalls(void **state)
{
	struct world w;
	const struct plan *p =
		plan_of(&w, "t:syscalls:sys_enter_openat, t:syscalls:sys_exit_openat, "
			    "t:syscalls:sys_enter_getppid { @[probe] = count() } "
			    "k:vfs_read { @n = 1 } t:syscalls:sys_enter_openat { @m = 1 }");

	(void)state;
	assert_int_equal(p->n_probes, 5);
	assert_int_equal(p->n_progs, 3);
	assert_int_equal(p->progs[0].n_probes, 3);
	assert_int_equal(p->progs[0].probes[1], 2);
	assert_int_equal(p->progs[0].probes[2], 4);
	assert_int_equal(p->progs[1].kind, PP_SYSCALL_EXIT);
	assert_int_equal(p->probes[4].prog, 0);
	assert_int_equal(p->probes[4].ast, 2);
	assert_int_equal(p->probes[2].point, 2);
	assert_int_equal(p->probes[2].syscall.number, syscall_number("getppid"));
	assert_true(p->probes[0].syscall.number == p->probes[4].syscall.number &&
		    p->probes[0].syscall.number >= 0);
	assert_int_equal(p->probes[3].syscall.number, -1);
	world_free(&w);
}

static void test_other_programs(void **state)
{
	struct world w;
	const struct plan *p =
		plan_of(&w, "BEGIN { @ = 1 } END { @ = 2 } i:ms:10 { @ = 3 } "
			    "k:vfs_read { @ = 4 } kr:vfs_read { @ = 5 } "
			    "u:/bin/app:handle { @ = 6 } ur:/bin/app:handle { @ = 7 }");

	(void)state;
	assert_int_equal(p->n_progs, 7);
	assert_int_equal(p->progs[0].kind, PP_BEGIN);
	assert_string_equal(p->progs[0].section, "raw_tp");
	assert_int_equal(p->progs[1].kind, PP_END);
	assert_string_equal(p->progs[2].section, "raw_tp");
	assert_int_equal(p->progs[2].period_ns, 10000000);
	assert_string_equal(p->progs[3].section, "kprobe/vfs_read");
	assert_string_equal(p->progs[4].section, "kretprobe/vfs_read");
	assert_string_equal(p->progs[5].section, "uprobe//bin/app:handle");
	assert_int_equal(p->progs[5].targets[0].offset, 0x1040);
	assert_string_equal(p->progs[6].targets[0].path, "/bin/app");
	for (uint32_t i = 0; i < p->n_progs; i++)
		assert_true(strlen(p->progs[i].symbol) <= 15);
	world_free(&w);
}

/* ---- spans ---- */

static void test_span_state(void **state)
{
	struct world w;
	const struct plan *p = plan_of(&w, "t:sched:sched_switch { @[kstack] = sum(delta) }");

	(void)state;
	assert_int_equal(p->probes[0].state.kind, SPAN_SWITCH);
	assert_int_equal(p->probes[0].state.bpf_type, BPF_MAP_TYPE_TASK_STORAGE);
	assert_int_equal(p->probes[0].state.flags, BPF_F_NO_PREALLOC);
	assert_int_equal(p->probes[0].state.slot_bytes, 16);
	assert_int_equal(p->probes[0].state.n_stacks, 0);
	check_field(&p->probes[0].state.kstacks[0].field, 8, 8);
	assert_true(p->needs.recall);
	world_free(&w);
	p = plan_of(&w,
		    "t:sched:sched_switch /args.prev_pid > 1/ "
		    "{ @[ustack, args.prev_comm, args.prev_state, args.prev_pid] = sum(delta) }");
	check_field(&p->probes[0].state.stacks[0].field, 8, 8);
	assert_int_equal(p->probes[0].state.n_args, 3); /* each field once */
	assert_string_equal(p->probes[0].state.arg_names[0], "prev_pid");
	check_field(&p->probes[0].state.args[0], 16, 8);
	assert_string_equal(p->probes[0].state.arg_names[1], "prev_comm");
	check_field(&p->probes[0].state.args[1], 24, 16);
	check_field(&p->probes[0].state.args[2], 40, 8);
	assert_int_equal(p->probes[0].state.slot_bytes, 48);
	assert_true(p->needs.ustack && !p->needs.kstack);
	world_free(&w);
	p = plan_of(&w, "t:sched:sched_switch { @[ustack()] = sum(delta()) }");
	check_field(&p->probes[0].state.stacks[0].field, 8, 8); /* written as calls: the same */
	world_free(&w);
	p = plan_of(&w, "t:sched:sched_switch { @[ustack] = count() }");
	assert_int_equal(p->probes[0].state.kind, SPAN_NO);
	world_free(&w);
}

/* ---- needs ---- */

static void test_needs(void **state)
{
	const struct plan_options tree = {.scope_tree = true}, all = {.scope_all = true};
	struct world w;
	const struct plan *p = plan_of(&w, "BEGIN { @ = 1 } i:s:1 { @ = 2 }");

	(void)state;
	assert_false(p->needs.ring_buffer || p->needs.kstack || p->needs.ustack || p->needs.scope ||
		     p->needs.exit);
	world_free(&w);
	p = plan_of(&w, "k:vfs_read { @[kstack] = count() }");
	assert_true(p->needs.kstack && p->needs.scope && !p->needs.ring_buffer);
	world_free(&w);
	p = plan_of(&w, "k:vfs_read { @[ustack] = count() }");
	assert_true(p->needs.ustack && p->needs.ring_buffer);
	assert_int_equal(p->needs.ring_bytes, 256 << 10);
	world_free(&w);
	p = plan_of(&w, "BEGIN { exit() }");
	assert_true(p->needs.exit);
	assert_int_equal(p->n_progs, 1);
	world_free(&w);
	world_init(&w);
	p = world_plan(&w, "k:vfs_read { @ = 1 }", &tree);
	assert_int_equal(p->n_progs, 3);
	assert_int_equal(p->progs[0].kind, PP_SCOPE_FORK); /* they run before all others */
	assert_int_equal(p->progs[0].n_probes, 0);
	assert_string_equal(p->progs[0].section, "tp_btf/sched_process_fork");
	assert_int_equal(p->progs[1].kind, PP_SCOPE_EXEC);
	assert_string_equal(p->progs[1].section, "tp_btf/sched_process_exec");
	assert_int_equal(p->probes[0].prog, 2);
	world_free(&w);
	world_init(&w);
	assert_int_equal(world_plan(&w, "BEGIN { @ = 1 }", &tree)->n_progs, 1); /* nobody asks */
	world_free(&w);
	world_init(&w);
	assert_int_equal(world_plan(&w, "k:vfs_read { @[ustack(fp)] = 1 }", &all)->n_progs, 1);
	world_free(&w);
	world_init(&w);
	p = world_plan(&w, "k:vfs_read { @[ustack] = 1 }", &all);
	assert_int_equal(p->n_progs, 2);
	assert_int_equal(p->progs[1].kind, PP_EXEC);
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),	       cmocka_unit_test(test_values),
		cmocka_unit_test(test_order),	       cmocka_unit_test(test_records),
		cmocka_unit_test(test_fusing),	       cmocka_unit_test(test_origins),
		cmocka_unit_test(test_record_limit),   cmocka_unit_test(test_tracepoint_kinds),
		cmocka_unit_test(test_interval_kinds), cmocka_unit_test(test_without_btf),
		cmocka_unit_test(test_syscalls),       cmocka_unit_test(test_other_programs),
		cmocka_unit_test(test_span_state),     cmocka_unit_test(test_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
