/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object that `sonde --emit elf` writes, opened by libbpf without root: programs and their
 * sections, maps and their BTF, the license. The program is SONDE in the environment, else the one in
 * the build directory above this test's.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "bpf_helpers/shared.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 20, MAX_PATH = 4096 };

static int say_nothing(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level, (void)format, (void)args;
	return 0;
}

static const char *sonde(void)
{
	static char path[MAX_PATH + 32];
	ssize_t n;

	if (getenv("SONDE"))
		return getenv("SONDE");
	n = readlink("/proc/self/exe", path, MAX_PATH - 1);
	assert_true(n > 0);
	path[n] = '\0';
	/* BUILD/tests/object/test_elf */
	for (int i = 0; i < 3; i++)
		*strrchr(path, '/') = '\0';
	strcat(path, "/sonde");
	return path;
}

/* The bytes of the object of a script, made with more options. */
static const char *bytes_with(const char *options, const char *script, size_t *n)
{
	static char bytes[MAX_BYTES];
	const char *facts = getenv("SONDE_FACTS");
	char command[2 * MAX_PATH + 1024];
	FILE *f;

	snprintf(command, sizeof(command), "'%s' %s%s --emit elf %s -e '%s'", sonde(),
		 facts ? "--kernel-facts " : "", facts ? facts : "", options, script);
	f = popen(command, "re");
	assert_non_null(f);
	*n = fread(bytes, 1, sizeof(bytes), f);
	assert_int_equal(pclose(f), 0);
	return bytes;
}

/* The object; the caller closes it. */
static struct bpf_object *open_with(const char *options, const char *script)
{
	struct bpf_object *object;
	size_t n;
	const char *bytes = bytes_with(options, script, &n);

	libbpf_set_print(say_nothing);
	object = bpf_object__open_mem(bytes, n, NULL);
	assert_int_equal(libbpf_get_error(object), 0);
	return object;
}

/* The bytes of CO-RE relocations in the object of a script: libbpf exports no way to the header of
 * .BTF.ext, which has the length in its eighth word. */
static uint32_t core_bytes(const char *script)
{
	static const uint8_t magic[] = {0x9f, 0xeb, 1, 0, 32, 0, 0, 0};
	uint32_t header[8] = {0};
	const void *found;
	size_t n;
	const char *bytes = bytes_with("", script, &n);

	found = memmem(bytes, n, magic, sizeof(magic));
	if (found)
		memcpy(header, found, sizeof(header));
	return header[7];
}

static struct bpf_object *open_script(const char *script)
{
	return open_with("", script);
}

static struct bpf_map *find_map(const struct bpf_object *o, const char *name)
{
	struct bpf_map *m = bpf_object__find_map_by_name(o, name);

	if (!m)
		fail_msg("no map %s", name);
	return m;
}

static void test_begin(void **state)
{
	struct bpf_object *o = open_script("BEGIN { printf(\"x\\n\"); exit(); }");
	struct bpf_program *p = bpf_object__next_program(o, NULL);

	(void)state;
	assert_non_null(p);
	assert_null(bpf_object__next_program(o, p));
	assert_string_equal(bpf_program__section_name(p), "raw_tp");
	assert_int_equal(bpf_program__type(p), BPF_PROG_TYPE_RAW_TRACEPOINT);
	assert_true(bpf_program__insn_cnt(p) > 2);
	assert_int_equal(bpf_map__type(find_map(o, "sonde_events")), BPF_MAP_TYPE_ARRAY);
	assert_int_equal(bpf_map__type(find_map(o, "sonde_wake")), BPF_MAP_TYPE_RINGBUF);
	bpf_object__close(o);
}

static void test_maps(void **state)
{
	struct bpf_object *o = open_script("BEGIN { @a = 1; @b[1] = 2; @c = count(); "
					   "@d[comm, 1] = count(); @ = sum(1); exit(); }");

	(void)state;
	assert_int_equal(bpf_map__type(find_map(o, "map_a")), BPF_MAP_TYPE_ARRAY);
	assert_int_equal(bpf_map__type(find_map(o, "map_b")), BPF_MAP_TYPE_HASH);
	assert_int_equal(bpf_map__type(find_map(o, "map_c")), BPF_MAP_TYPE_PERCPU_ARRAY);
	assert_int_equal(bpf_map__type(find_map(o, "map_d")), BPF_MAP_TYPE_HASH);
	assert_int_equal(bpf_map__type(find_map(o, "map_")), BPF_MAP_TYPE_PERCPU_ARRAY);
	assert_int_equal(bpf_map__key_size(find_map(o, "map_a")), 4);
	/* the epoch and its padding, the integer */
	assert_int_equal(bpf_map__key_size(find_map(o, "map_b")), 16);
	assert_int_equal(bpf_map__value_size(find_map(o, "map_b")), 8);
	/* epoch, padding, comm, integer */
	assert_int_equal(bpf_map__key_size(find_map(o, "map_d")), 32);
	assert_true(bpf_map__max_entries(find_map(o, "map_d")) >= 1 << 17);
	bpf_object__close(o);
}

/* Both strings of a statement at a time, in the longest of the probes; beside them a slot's head. */
static void test_scratch_is_as_large_as_needed(void **state)
{
	struct bpf_object *o = open_script("BEGIN { print(str(0, 100)); print(str(0, 80)); } "
					   "END { printf(\"%s%s\", str(0, 100), str(0, 200)); }");
	struct bpf_map *scratch = find_map(o, "sonde_scratch");

	(void)state;
	assert_int_equal(bpf_map__type(scratch), BPF_MAP_TYPE_PERCPU_ARRAY);
	assert_int_equal(bpf_map__value_size(scratch), 104 + 200 + 8);
	bpf_object__close(o);
}

static void test_no_scratch(void **state)
{
	struct bpf_object *o = open_script("BEGIN { @a[comm, 1] = (comm, pid); exit(); }");

	(void)state;
	assert_null(bpf_object__find_map_by_name(o, "sonde_scratch"));
	bpf_object__close(o);
}

static void test_btf(void **state)
{
	struct bpf_object *o = open_script("BEGIN { @d[comm, 1] = count(); @n = 1; exit(); }");
	const struct btf *btf = bpf_object__btf(o);
	const struct btf_type *section;
	bool has_d = false, has_n = false;
	int id;

	(void)state;
	assert_non_null(btf);
	id = btf__find_by_name_kind(btf, ".maps", BTF_KIND_DATASEC);
	assert_true(id > 0);
	section = btf__type_by_id(btf, (uint32_t)id);
	for (int i = 0; i < btf_vlen(section); i++) {
		const struct btf_type *var =
			btf__type_by_id(btf, btf_var_secinfos(section)[i].type);
		const char *name = btf__name_by_offset(btf, var->name_off);

		has_d |= strcmp(name, "map_d") == 0;
		has_n |= strcmp(name, "map_n") == 0;
	}
	assert_true(has_d && has_n);
	assert_true(btf__find_by_name_kind(btf, "p0_begin", BTF_KIND_FUNC) > 0);
	bpf_object__close(o);
}

static void test_only_what_is_used(void **state)
{
	struct bpf_object *o = open_script("BEGIN { @n = 1; exit(); }");

	(void)state;
	assert_null(bpf_object__find_map_by_name(o, "sonde_events"));
	assert_null(bpf_object__find_map_by_name(o, "sonde_stacks"));
	bpf_object__close(o);
}

/* In a long script some helpers are functions of their own, in a short one none. */
static void test_outlined(void **state)
{
	char script[8192] = "";
	size_t n = 0;
	struct bpf_object *o;

	(void)state;
	o = open_script("BEGIN { @[comm] = count(); @n[comm] = count(); @m[comm] = count(); }");
	assert_true(btf__find_by_name(bpf_object__btf(o), "sonde_agg_add") < 0);
	bpf_object__close(o);
	for (int i = 0; i < 60; i++)
		n += (size_t)
			snprintf(script + n, sizeof(script) - n,
				 "BEGIN { @m%d[comm, cpu] = count(); printf(\"%%s\", comm); } ", i);
	o = open_script(script);
	assert_true(btf__find_by_name(bpf_object__btf(o), "sonde_agg_add") > 0);
	assert_true(btf__find_by_name(bpf_object__btf(o), "sonde_task_comm") > 0);
	bpf_object__close(o);
}

/* The probes of system calls share programs. They use the same part of the stack one after the other,
 * so that calls of outlined functions fit beside them. */
static void test_shared_stack(void **state)
{
	static const char *const events[] = {"enter_openat", "enter_getppid", "exit_openat"};
	char script[8192] = "";
	size_t n = 0;
	struct bpf_object *o;

	(void)state;
	for (int i = 0; i < 24; i++)
		n += (size_t)snprintf(
			script + n, sizeof(script) - n,
			"tracepoint:syscalls:sys_%s { @m%d[comm, pid] = count(); "
			"$since = nsecs - @last[tid, %d]; @last[tid, %d] = nsecs; "
			"if ($since > 1ms && strncmp(comm, \"sh\", 2) == 0) { @[probe] = hist($since); } "
			"@s[kstack(3)] = count(); printf(\"%%s %%d\", comm, pid); } ",
			events[i % 3], i, i, i);
	o = open_script(script);
	assert_true(btf__find_by_name(bpf_object__btf(o), "sonde_agg_add") > 0);
	bpf_object__close(o);
}

static void test_stacks(void **state)
{
	struct bpf_object *o = open_script("BEGIN { @[kstack, ustack] = count(); exit(); }");

	(void)state;
	find_map(o, "sonde_stacks");
	/* epoch, padding, two hashes */
	assert_int_equal(bpf_map__key_size(find_map(o, "map_")), 24);
	bpf_object__close(o);
}

static void test_several_programs(void **state)
{
	struct bpf_object *o = open_script(
		"BEGIN { @n = 1; } interval:s:1 { @n = 2; } interval:s:2 { @n = cpu; } END { }");
	struct bpf_program *p = NULL;
	int n = 0, n_perf = 0, n_raw = 0;

	(void)state;
	while ((p = bpf_object__next_program(o, p))) {
		n++;
		n_perf += strcmp(bpf_program__section_name(p), "perf_event") == 0;
		n_raw += strcmp(bpf_program__section_name(p), "raw_tp") == 0;
	}
	assert_int_equal(n, 4);
	assert_int_equal(n_perf, 1);
	assert_int_equal(n_raw, 3);
	bpf_object__close(o);
}

/* A descendant that could not be marked is no span lost of the first probe: the cause is the place
 * of the counter in the element that is added to. */
static void test_scope_losses(void **state)
{
	struct bpf_object *o = open_with("-c true", "tracepoint:sched:sched_switch { @ = 1; }");
	struct bpf_program *p = bpf_object__find_program_by_name(o, "p0_scope_fork");
	const struct bpf_insn *insns;
	uint32_t n_found = 0;

	(void)state;
	assert_non_null(p);
	insns = bpf_program__insns(p);
	for (size_t i = 0; i < bpf_program__insn_cnt(p); i++) {
		bool is_add = insns[i].code == (BPF_STX | BPF_ATOMIC | BPF_DW);

		n_found += is_add && insns[i].off == 8 * SONDE_LOSS_SCOPE;
		assert_false(is_add && insns[i].off == 8 * SONDE_LOSS_TASK_STORAGE);
	}
	assert_int_equal(n_found, 1);
	bpf_object__close(o);
}

static uint32_t count_calls(const struct bpf_object *o, const char *prog, int helper)
{
	struct bpf_program *p = bpf_object__find_program_by_name(o, prog);
	const struct bpf_insn *insns;
	uint32_t n = 0;

	assert_non_null(p);
	insns = bpf_program__insns(p);
	for (size_t i = 0; i < bpf_program__insn_cnt(p); i++)
		n += insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg &&
		     insns[i].imm == helper;
	return n;
}

/* Each attach point of a probe reads the memory that its own addresses are in. */
static void test_spaces(void **state)
{
	struct bpf_object *o =
		open_script("BEGIN, tracepoint:syscalls:sys_enter_openat { @ = str(0x1000); }");

	(void)state;
	assert_int_equal(count_calls(o, "p0_begin", BPF_FUNC_probe_read_kernel_str), 1);
	assert_int_equal(count_calls(o, "p0_begin", BPF_FUNC_probe_read_user_str), 0);
	assert_int_equal(count_calls(o, "p1_sys_enter", BPF_FUNC_probe_read_user_str), 1);
	bpf_object__close(o);
	/* a number of unknown origin is the kernel's at a system call, whose arguments are known */
	o = open_script(
		"tracepoint:syscalls:sys_enter_openat { @ = *0x1000; @n = *args.filename; }");
	assert_int_equal(count_calls(o, "p0_sys_enter", BPF_FUNC_probe_read_kernel), 1);
	assert_int_equal(count_calls(o, "p0_sys_enter", BPF_FUNC_probe_read_user), 1);
	bpf_object__close(o);
}

/* plan_uses_core() must know which scripts read structs of the kernel: a script without probes of
 * threads and without builtins of them does not. */
static void test_core(void **state)
{
	static const char *const without[] = {
		"BEGIN { print(kstack); print(kstack(3)); }",
		"interval:ms:50 { @[kstack] = count(); }",
		"BEGIN { print(jiffies); print(numaid); print(nsecs); print(rand); print(ncpus); }",
		"BEGIN { @ = hist(1); @a[1] = sum(2); print(cpu); } END { print(@); }",
		"test:one { if (strcontains(\"abc\", \"b\")) { print(1); } }",
	};
	static const char *const with[] = {
		"tracepoint:sched:sched_switch { @[kstack] = count(); }",
		"profile:hz:99 { @[kstack] = count(); }",
		"interval:ms:50 { @[comm] = count(); }",
		"BEGIN { print(comm(1)); }",
		"BEGIN { print(ustack); }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(without) / sizeof(*without); i++)
		if (core_bytes(without[i]))
			fail_msg("%s reads structs of the kernel", without[i]);
	for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
		if (!core_bytes(with[i]))
			fail_msg("%s reads no struct of the kernel", with[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_btf),
		cmocka_unit_test(test_only_what_is_used),
		cmocka_unit_test(test_outlined),
		cmocka_unit_test(test_shared_stack),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_several_programs),
		cmocka_unit_test(test_scope_losses),
		cmocka_unit_test(test_spaces),
		cmocka_unit_test(test_core),
		cmocka_unit_test(test_no_scratch),
		cmocka_unit_test(test_scratch_is_as_large_as_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
