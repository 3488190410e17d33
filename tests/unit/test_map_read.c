/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots of real maps: merging of CPUs' words, epochs, plain values, arrays, deletion, and that
 * nothing is lost or doubled while another thread changes the map. The walk that kernels without
 * batches need runs in a child whose seccomp filter refuses them. Needs the right to create maps;
 * without it the test says so and exits 77.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/view/map_read.h"

static const struct type t_uint64 = {.kind = TY_INT, .size = 8, .align = 8};
static const struct type t_uint32 = {.kind = TY_INT, .size = 4, .align = 4};
static const struct type t_count = {.kind = TY_AGG, .size = 8, .align = 8, .agg = AGG_COUNT};

enum { EXIT_SKIP = 77 };

struct key {
	uint32_t epoch, number;
};

static struct plan_field number_field[] = {
	{.type = &t_uint32, .offset = offsetof(struct key, number), .size = 4}};

static struct plan_map hash_plan(enum plan_map_kind kind, uint32_t value_size, uint32_t max_entries)
{
	return (struct plan_map){
		.name = "@m",
		.kind = kind,
		.keys = number_field,
		.n_keys = 1,
		.key_size = sizeof(struct key),
		.value = kind == PM_SLOT_HASH ? &t_count : &t_uint64,
		.value_size = value_size,
		.max_entries = max_entries,
	};
}

enum { SLOTS = 3, SLOT_WORDS = 3 };

/* A word of each slot counts, what is behind it does not. */
static struct plan_map slots_plan(uint32_t max_entries)
{
	struct plan_map m = hash_plan(PM_SLOT_HASH, 8 * SLOTS * SLOT_WORDS, max_entries);

	m.n_slots = SLOTS;
	m.slot_bytes = 8 * SLOT_WORDS;
	return m;
}

static struct plan_map array_plan(enum plan_map_kind kind)
{
	return (struct plan_map){
		.name = "@m",
		.kind = kind,
		.key_size = sizeof(uint32_t),
		.value = kind == PM_PERCPU_ARRAY ? &t_count : &t_uint64,
		.value_size = 2 * sizeof(uint64_t),
		.touched_offset = sizeof(uint64_t),
		.max_entries = SONDE_EPOCH_SLOTS,
	};
}

static int map_create(const struct plan_map *m)
{
	static const enum bpf_map_type types[] = {
		[PM_HASH] = BPF_MAP_TYPE_HASH,
		[PM_SLOT_HASH] = BPF_MAP_TYPE_HASH,
		[PM_ARRAY] = BPF_MAP_TYPE_ARRAY,
		[PM_PERCPU_ARRAY] = BPF_MAP_TYPE_PERCPU_ARRAY,
	};
	bool is_hash = m->kind == PM_HASH || m->kind == PM_SLOT_HASH;
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = is_hash ? BPF_F_NO_PREALLOC : 0);

	return bpf_map_create(types[m->kind], "test", m->key_size, m->value_size, m->max_entries,
			      &opts);
}

/* On CPU i: base + i, in words of the map's value. */
static void put_percpu(int fd, const void *key, uint64_t base, size_t n_words)
{
	size_t n_cpus = (size_t)libbpf_num_possible_cpus();
	uint64_t *values = calloc(n_cpus * n_words, sizeof(*values));

	for (size_t i = 0; i < n_cpus; i++)
		values[i * n_words] = base + i;
	if (n_words > 1)
		values[n_words * (n_cpus - 1) + 1] = 1; /* touched on the last CPU only */
	assert_int_equal(bpf_map_update_elem(fd, key, values, BPF_ANY), 0);
	free(values);
}

static uint64_t percpu_total(uint64_t base)
{
	uint64_t n_cpus = (uint64_t)libbpf_num_possible_cpus();

	return n_cpus * base + n_cpus * (n_cpus - 1) / 2;
}

/* In slot i: base + i. */
static void put_slots(int fd, const struct key *key, uint64_t base)
{
	uint64_t words[SLOTS][SLOT_WORDS];

	memset(words, 0xee, sizeof(words));
	for (size_t i = 0; i < SLOTS; i++)
		words[i][0] = base + i;
	assert_int_equal(bpf_map_update_elem(fd, key, words, BPF_ANY), 0);
}

static uint64_t slots_total(uint64_t base)
{
	return SLOTS * base + SLOTS * (SLOTS - 1) / 2;
}

static const struct key *keys_of(const struct map_snapshot *s)
{
	return (const struct key *)s->keys;
}

/* ---- hashes -------------------------------------------------------------------------- */

static void test_slots(void **state)
{
	struct plan_map m = slots_plan(20000);
	int fd = map_create(&m);
	struct map_snapshot s;
	uint8_t seen[10000] = {0};

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		put_slots(fd, &(struct key){.epoch = 7, .number = i}, i);
		if (i % 3 == 0)
			put_slots(fd, &(struct key){.epoch = 6 + 2 * (i % 2), .number = i}, 1);
	}
	assert_int_equal(map_snapshot_read(&m, fd, 7, 7, &s), 0);
	assert_int_equal(s.n_rows, 10000);
	for (uint32_t i = 0; i < s.n_rows; i++) {
		const struct key *k = &keys_of(&s)[i];
		assert_int_equal(k->epoch, 7);
		assert_int_equal(seen[k->number]++, 0);
		assert_true(s.values[i] == slots_total(k->number));
	}
	map_snapshot_free(&s);
	close(fd);
}

static void test_plain_hash(void **state)
{
	struct plan_map m = hash_plan(PM_HASH, 12, 100); /* values are not padded to 8 */
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct key k = {.number = i};
		uint32_t value[3] = {i, i + 1, i + 2};
		assert_int_equal(bpf_map_update_elem(fd, &k, value, BPF_ANY), 0);
	}
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), 0);
	assert_int_equal(s.n_rows, 100);
	for (uint32_t i = 0; i < s.n_rows; i++) {
		uint32_t n = keys_of(&s)[i].number, want[3] = {n, n + 1, n + 2};
		assert_memory_equal(s.value_bytes + 12 * (size_t)i, want, sizeof(want));
	}
	map_snapshot_free(&s);
	close(fd);
}

static void test_empty_hash(void **state)
{
	struct plan_map m = slots_plan(10);
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), 0);
	assert_int_equal(s.n_rows, 0);
	map_snapshot_free(&s);
	map_snapshot_free(&s);
	close(fd);
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), -EBADF);
	assert_int_equal(map_delete_before(&m, fd, 0, 1), -EBADF);
}

/* Late writers left a key in two epochs: one row. Epochs wrap around. */
static void test_epochs_fold(void **state)
{
	struct plan_map sums = slots_plan(100), plain = hash_plan(PM_HASH, 8, 100);
	int sums_fd = map_create(&sums), plain_fd = map_create(&plain);
	struct map_snapshot s;

	(void)state;
	for (uint32_t epoch = UINT32_MAX - 1, i = 0; i < 4; epoch++, i++) {
		struct key both = {.epoch = epoch, .number = 1}, alone = {epoch, 10 + i};
		uint64_t value = 100 + i;
		put_slots(sums_fd, &both, 1);
		put_slots(sums_fd, &alone, 1);
		assert_int_equal(bpf_map_update_elem(plain_fd, &both, &value, BPF_ANY), 0);
	}
	assert_int_equal(map_snapshot_read(&sums, sums_fd, UINT32_MAX, 0, &s), 0);
	assert_int_equal(s.n_rows, 3);
	for (uint32_t i = 0; i < s.n_rows; i++) {
		bool is_both = keys_of(&s)[i].number == 1;
		assert_true(s.values[i] == slots_total(1) * (is_both ? 2 : 1));
	}
	map_snapshot_free(&s);
	assert_int_equal(map_snapshot_read(&plain, plain_fd, UINT32_MAX - 1, 0, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(((uint64_t *)(void *)s.value_bytes)[0], 102);
	map_snapshot_free(&s);
	close(sums_fd);
	close(plain_fd);
}

/* Values so large that the first buffer holds one: buckets with two are -ENOSPC at first. */
static void test_full_buckets(void **state)
{
	struct plan_map m = hash_plan(PM_HASH, 200 * 1024, 64);
	uint8_t *value = calloc(1, m.value_size), seen[64] = {0};
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	for (uint32_t i = 0; i < 64; i++) {
		memcpy(value, &i, sizeof(i));
		assert_int_equal(bpf_map_update_elem(fd, &(struct key){.number = i}, value, 0), 0);
	}
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), 0);
	assert_int_equal(s.n_rows, 64);
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t number = keys_of(&s)[i].number;
		assert_int_equal(seen[number]++, 0);
		assert_memory_equal(s.value_bytes + (size_t)i * m.value_size, &number, 4);
	}
	map_snapshot_free(&s);
	free(value);
	close(fd);
}

static void test_hash_delete(void **state)
{
	struct plan_map m = slots_plan(5000);
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	for (uint32_t i = 0; i < 4000; i++)
		put_slots(fd, &(struct key){.epoch = i % 4, .number = i}, 0);
	assert_int_equal(map_delete_before(&m, fd, 1, 2), 0); /* 0 too: late writers */
	assert_int_equal(map_snapshot_read(&m, fd, 0, 9, &s), 0);
	assert_int_equal(s.n_rows, 2000);
	for (uint32_t i = 0; i < s.n_rows; i++)
		assert_true(keys_of(&s)[i].epoch >= 2);
	map_snapshot_free(&s);
	assert_int_equal(map_delete_before(&m, fd, 2, 2), 0);
	assert_int_equal(map_delete_before(&m, fd, 2, 4), 0);
	assert_int_equal(map_snapshot_read(&m, fd, 0, 9, &s), 0);
	assert_int_equal(s.n_rows, 0);
	map_snapshot_free(&s);
	close(fd);
}

/* ---- while the map changes ----------------------------------------------------------- */

enum { N_STABLE = 2000, N_MOVING = 2000 };

struct mover {
	int fd;
	atomic_bool is_over;
};

/* Adds and deletes keys from N_STABLE up, over and over: the map grows and shrinks. */
static void *move_keys(void *arg)
{
	struct mover *mover = arg;
	uint64_t values[SLOTS * SLOT_WORDS] = {0};

	for (uint32_t i = 0; !atomic_load(&mover->is_over); i++) {
		struct key k = {.number = N_STABLE + i * 7 % N_MOVING};
		if (i / N_MOVING % 2)
			bpf_map_delete_elem(mover->fd, &k);
		else
			bpf_map_update_elem(mover->fd, &k, values, BPF_ANY);
	}
	return NULL;
}

/* Stable keys once each, moving ones at most once. Returns false for an answer that is not that. */
static bool is_sound(const struct map_snapshot *s)
{
	uint8_t seen[N_STABLE + N_MOVING] = {0};
	uint32_t n_stable = 0;

	for (uint32_t i = 0; i < s->n_rows; i++) {
		uint32_t number = keys_of(s)[i].number;
		if (seen[number]++)
			return false;
		n_stable += number < N_STABLE;
	}
	return n_stable == N_STABLE;
}

static bool snapshots_are_sound(int n_snapshots)
{
	struct plan_map m = slots_plan(N_STABLE + N_MOVING);
	struct mover mover = {.fd = map_create(&m)};
	struct map_snapshot s;
	pthread_t thread;
	bool ok = true;

	for (uint32_t i = 0; i < N_STABLE; i++)
		put_slots(mover.fd, &(struct key){.number = i}, i);
	pthread_create(&thread, NULL, move_keys, &mover);
	for (int i = 0; ok && i < n_snapshots; i++) {
		ok = map_snapshot_read(&m, mover.fd, 0, 0, &s) == 0;
		ok = ok && is_sound(&s);
		if (ok)
			map_snapshot_free(&s);
	}
	atomic_store(&mover.is_over, true);
	pthread_join(thread, NULL);
	close(mover.fd);
	return ok;
}

static void test_changing_hash(void **state)
{
	(void)state;
	assert_true(snapshots_are_sound(300));
}

/* ---- kernels without batches --------------------------------------------------------- */

/* From here on this thread's and its children's bpf(BPF_MAP_LOOKUP_BATCH, BPF_MAP_DELETE_BATCH)
 * fail with `err`. */
static bool refuse_batches(int err)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_MAP_LOOKUP_BATCH, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_MAP_DELETE_BATCH, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The child says how it went by its exit status: 0 is well. */
static int run_refused(int err, bool (*check)(void))
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(!refuse_batches(err) ? 2 : !check());
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static bool check_walk(void)
{
	return snapshots_are_sound(20);
}

static bool check_values_and_delete(void)
{
	struct plan_map m = slots_plan(1000);
	int fd = map_create(&m);
	struct map_snapshot s;
	bool ok;

	for (uint32_t i = 0; i < 1000; i++)
		put_slots(fd, &(struct key){.epoch = i % 2, .number = i}, i);
	ok = map_snapshot_read(&m, fd, 1, 1, &s) == 0 && s.n_rows == 500;
	for (uint32_t i = 0; ok && i < s.n_rows; i++)
		ok = s.values[i] == slots_total(keys_of(&s)[i].number);
	if (ok)
		map_snapshot_free(&s);
	ok = ok && map_delete_before(&m, fd, 0, 1) == 0;
	ok = ok && map_snapshot_read(&m, fd, 0, 1, &s) == 0 && s.n_rows == 500;
	if (ok)
		map_snapshot_free(&s);
	close(fd);
	return ok;
}

static void test_without_batches(void **state)
{
	(void)state;
	assert_int_equal(run_refused(EINVAL, check_walk), 0);
	assert_int_equal(run_refused(EINVAL, check_values_and_delete), 0);
	assert_int_equal(run_refused(524, check_values_and_delete), 0);
}

static bool check_endless_enospc(void)
{
	struct plan_map m = hash_plan(PM_HASH, 8, 1000);
	int fd = map_create(&m);
	struct map_snapshot s = {.n_rows = 123};
	int err = map_snapshot_read(&m, fd, 0, 0, &s);

	close(fd);
	return err == -ENOSPC && s.n_rows == 123;
}

static bool check_no_permission(void)
{
	struct plan_map m = hash_plan(PM_HASH, 8, 10);
	int fd = map_create(&m);
	struct map_snapshot s;
	int err = map_snapshot_read(&m, fd, 0, 0, &s);

	close(fd);
	return err == -EPERM;
}

static void test_errors_end(void **state)
{
	(void)state;
	assert_int_equal(run_refused(ENOSPC, check_endless_enospc), 0);
	assert_int_equal(run_refused(EPERM, check_no_permission), 0);
}

/* ---- arrays -------------------------------------------------------------------------- */

static void test_percpu_array(void **state)
{
	struct plan_map m = array_plan(PM_PERCPU_ARRAY);
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	assert_int_equal(map_snapshot_read(&m, fd, 5, 5, &s), 0);
	assert_int_equal(s.n_rows, 0);
	assert_int_equal(map_snapshot_add_zero(&m, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(s.values[0], 0);
	map_snapshot_free(&s);
	put_percpu(fd, &(uint32_t){5 % SONDE_EPOCH_SLOTS}, 10, 2);
	put_percpu(fd, &(uint32_t){6 % SONDE_EPOCH_SLOTS}, 20, 2);
	assert_int_equal(map_snapshot_read(&m, fd, 5, 5, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_true(s.values[0] == percpu_total(10));
	assert_int_equal(map_snapshot_add_zero(&m, &s), 0);
	assert_true(s.values[0] == percpu_total(10));
	map_snapshot_free(&s);
	assert_int_equal(map_snapshot_read(&m, fd, 4, 6, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_true(s.values[0] == percpu_total(10) + percpu_total(20));
	map_snapshot_free(&s);
	close(fd);
}

/* Zero is a value when it was written, the newest epoch's counts, deleting keeps the current
 * slot. */
static void test_plain_array(void **state)
{
	struct plan_map m = array_plan(PM_ARRAY);
	int fd = map_create(&m);
	struct map_snapshot s;

	(void)state;
	for (uint32_t slot = 0; slot < SONDE_EPOCH_SLOTS; slot++) {
		uint64_t value[2] = {slot * 10, 1};
		assert_int_equal(bpf_map_update_elem(fd, &slot, value, BPF_ANY), 0);
	}
	assert_int_equal(map_snapshot_read(&m, fd, 0, 2, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(((uint64_t *)(void *)s.value_bytes)[0], 20);
	map_snapshot_free(&s);
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(((uint64_t *)(void *)s.value_bytes)[0], 0);
	map_snapshot_free(&s);
	assert_int_equal(map_delete_before(&m, fd, 0, 6), 0); /* slots of 3, 4, 5; 6 stays */
	assert_int_equal(map_snapshot_read(&m, fd, 3, 5, &s), 0);
	assert_int_equal(s.n_rows, 0);
	map_snapshot_free(&s);
	assert_int_equal(map_snapshot_read(&m, fd, 6, 6, &s), 0);
	assert_int_equal(s.n_rows, 1);
	assert_int_equal(((uint64_t *)(void *)s.value_bytes)[0], 20);
	map_snapshot_free(&s);
	close(fd);
}

/* ---- views --------------------------------------------------------------------------- */

static void test_sorted_view(void **state)
{
	struct plan_map m = slots_plan(100);
	int fd = map_create(&m);
	struct map_snapshot s;
	struct view_map v;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		put_slots(fd, &(struct key){.number = i}, 1000 - i / 2);
	assert_int_equal(map_snapshot_read(&m, fd, 0, 0, &s), 0);
	assert_int_equal(view_map_make(&m, &s, NULL, &v), 0);
	assert_int_equal(v.n_rows, 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(v.rows[i].keys[0].integer, (99 - i) / 2 * 2 + i % 2);
	view_map_free(&v);
	map_snapshot_free(&s);
	close(fd);
}

static bool may_create_maps(void)
{
	struct plan_map m = hash_plan(PM_HASH, 8, 1);
	int fd = map_create(&m);

	if (fd < 0) {
		print_message("skipped: cannot create BPF maps: %s\n", strerror(-fd));
		return false;
	}
	close(fd);
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),	      cmocka_unit_test(test_plain_hash),
		cmocka_unit_test(test_empty_hash),    cmocka_unit_test(test_epochs_fold),
		cmocka_unit_test(test_full_buckets),  cmocka_unit_test(test_hash_delete),
		cmocka_unit_test(test_changing_hash), cmocka_unit_test(test_without_batches),
		cmocka_unit_test(test_errors_end),    cmocka_unit_test(test_percpu_array),
		cmocka_unit_test(test_plain_array),   cmocka_unit_test(test_sorted_view),
	};

	if (!may_create_maps())
		return EXIT_SKIP;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
