/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of real processes in the kernel's maps, read as programs read them: for addresses
 * all over the code of a process, the rule that they lead to is the one that the file's table has.
 * Processes load libraries, fork, execute, end, lose their files and live in other mount
 * namespaces. Needs the right to create BPF maps and to open perf events for all processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <bpf/bpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/base/proc_maps.h"
#include "runtime/session/unwind.h"
#include "runtime/symbols/maptrack.h"
#include "runtime/symbols/procmap.h"
#include "runtime/unwind/extents.h"
#include "runtime/unwind/files.h"
#include "runtime/unwind/rules.h"
#include "runtime/unwind/spaces.h"
#include "runtime/unwind/store.h"
#include "runtime/unwind/table.h"
#include "runtime/unwind/unwind.h"
#include "tests/unit/child.h"
#include "tests/unit/unwind_lookup.h"

enum {
	STEP = 61,	    /* bytes between two addresses that are compared */
	PATIENCE_MS = 5000, /* for the thread on a busy machine */
	N_SHORT = 300,
	EXEC_ID = 7,
};

/* ---- the kernel's side --------------------------------------------------------------------- */

static int fd_of_map(const char *name)
{
	for (int fd = 3; fd < 1024; fd++) {
		struct bpf_map_info info = {0};
		uint32_t size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(fd, &info, &size) &&
		    strncmp(info.name, name, BPF_OBJ_NAME_LEN - 1) == 0)
			return fd;
	}
	return -1;
}

static uint32_t *chunks[UNWIND_CHUNKS];

static void forget_chunks(void)
{
	for (int i = 0; i < UNWIND_CHUNKS; i++) {
		free(chunks[i]);
		chunks[i] = NULL;
	}
}

static const uint32_t *word_at(uint32_t address)
{
	uint32_t number = address / UNWIND_CHUNK_WORDS, zero = 0, id;

	if (!chunks[number]) {
		int fd;

		assert_int_equal(bpf_map_lookup_elem(fd_of_map("sonde_unwind_store"), &number, &id),
				 0);
		fd = bpf_map_get_fd_by_id(id);
		assert_true(fd >= 0);
		chunks[number] = malloc(UNWIND_CHUNK_WORDS * 4);
		assert_int_equal(bpf_map_lookup_elem(fd, &zero, chunks[number]), 0);
		close(fd);
	}
	return chunks[number] + address % UNWIND_CHUNK_WORDS;
}

static bool space_of(uint32_t tgid, struct unwind_space *out)
{
	return !bpf_map_lookup_elem(fd_of_map("sonde_unwind_spaces"), &tgid, out);
}

static const struct unwind_range *range_of(const struct unwind_space *s, uint64_t x)
{
	const struct unwind_range *r = s->ranges ? (const void *)word_at(s->ranges) : NULL;

	for (uint32_t i = 0; i < s->n_ranges; i++) {
		if (i)
			assert_true(r[i].start >= r[i - 1].end);
		if (x >= r[i].start && x < r[i].end)
			return &r[i];
	}
	return NULL;
}

static struct unwind_rule rule_at(const struct unwind_range *r, uint64_t x)
{
	struct unwind_rule rule = {.cfa = UNWIND_NO_RULE};
	uint64_t offset = x - r->origin;
	const uint32_t *piece;
	uint32_t block, i, key;

	if (!r->piece)
		return rule;
	piece = word_at(r->piece);
	block = piece[offset / UNWIND_BLOCK_BYTES];
	i = UNWIND_BLOCK_FIRST(block) + UNWIND_BLOCK_ROWS(block) - 1;
	while (UNWIND_ROW_OFFSET(piece[i]) > offset % UNWIND_BLOCK_BYTES)
		i--;
	key = UNWIND_ROW_RULE(piece[i]);
	assert_int_equal(bpf_map_lookup_elem(fd_of_map("sonde_unwind_rules"), &key, &rule), 0);
	return rule;
}

/* ---- comparison ---------------------------------------------------------------------------- */

struct check {
	struct unwind_space space;
	uint32_t tgid;
	uint32_t n_compared, n_rules; /* addresses, and those with a rule */
};

static void compare_table(struct check *c, const struct proc_mapping *m,
			  const struct unwind_table *t, const struct unwind_rules *rules)
{
	for (uint64_t x = m->start; x < m->end; x += STEP) {
		const struct unwind_range *r = range_of(&c->space, x);
		struct unwind_rule got, want = {.cfa = UNWIND_NO_RULE};
		uint64_t offset = x - m->start + m->file_offset;

		assert_non_null(r);
		for (uint32_t i = 0; i < t->n_segments; i++)
			if (offset - t->segments[i].file_offset < t->segments[i].bytes)
				want = *unwind_table_rule(t, rules,
							  offset - t->segments[i].file_offset +
								  t->segments[i].address);
		got = rule_at(r, x);
		assert_memory_equal(&got, &want, sizeof(got));
		c->n_compared++;
		c->n_rules += got.cfa != UNWIND_NO_RULE;
	}
}

static int compare_mapping(const struct proc_mapping *m, void *ctx)
{
	struct unwind_rules rules = {0};
	struct unwind_table t;
	struct check *c = ctx;
	char path[96];
	int fd;

	if (!m->is_executable || !m->inode)
		return 0;
	snprintf(path, sizeof(path), "/proc/%u/map_files/%lx-%lx", c->tgid, (long)m->start,
		 (long)m->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unwind_table_read(fd, &rules, &t), 0);
	compare_table(c, m, &t, &rules);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	close(fd);
	return 0;
}

/* Compare all code of the process. */
static void check_process(uint32_t tgid)
{
	struct check c = {.tgid = tgid};

	forget_chunks();
	assert_true(space_of(tgid, &c.space));
	assert_true(c.space.n_ranges > 0);
	assert_int_equal(proc_maps_each(tgid, compare_mapping, &c), 0);
	assert_true(c.n_compared > 1000);
	assert_true(c.n_rules > c.n_compared / 2);
}

/* ---- processes ----------------------------------------------------------------------------- */

struct subject {
	pid_t pid;
	int orders, answers; /* pipes */
};

static void load_a_library(void)
{
	static const char *const names[] = {"libresolv.so.2", "libthread_db.so.1",
					    "libBrokenLocale.so.1"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!dlopen(names[i], RTLD_NOW | RTLD_NOLOAD) && dlopen(names[i], RTLD_NOW))
			return;
}

/* What a subject does, one letter each. */
static void obey(const struct subject *s)
{
	char order[2] = "";
	pid_t pid = getpid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN); /* no zombies */
	for (;;) {
		if (write(s->answers, &pid, sizeof(pid)) != sizeof(pid) ||
		    read(s->orders, order, 1) != 1)
			_exit(0);
		if (*order == 'l')
			load_a_library();
		if (*order == 'f') {
			pid = fork();
			if (!pid)
				for (;;)
					pause();
		}
		if (*order == 'e')
			execl("/bin/sleep", "sleep", "100", NULL);
	}
}

static void order(const struct subject *s, const char *what)
{
	assert_int_equal(write(s->orders, what, 1), 1);
}

static pid_t answer(const struct subject *s)
{
	pid_t pid = 0;

	assert_int_equal(read(s->answers, &pid, sizeof(pid)), sizeof(pid));
	return pid;
}

static struct subject start_subject(void)
{
	int orders[2], answers[2];
	struct subject s = {0};

	assert_int_equal(pipe2(orders, O_CLOEXEC), 0);
	assert_int_equal(pipe2(answers, O_CLOEXEC), 0);
	s.pid = fork();
	if (!s.pid)
		obey(&(struct subject){.orders = orders[0], .answers = answers[1]});
	close(orders[0]);
	close(answers[1]);
	s.orders = orders[1];
	s.answers = answers[0];
	answer(&s);
	return s;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void end_subject(struct subject *s)
{
	end_process(s->pid);
	close(s->orders);
	close(s->answers);
}

/* Run a program, which is executing when this returns. */
static pid_t start_program(const char *path, void (*before)(void))
{
	int gate[2];
	pid_t pid;
	char byte;

	assert_int_equal(pipe2(gate, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (before)
			before();
		execl(path, "sleep", "100", NULL);
		_exit(127);
	}
	close(gate[1]);
	assert_int_equal(read(gate[0], &byte, 1), 0); /* closed by execve() */
	close(gate[0]);
	return pid;
}

/* ---- the tracer's side --------------------------------------------------------------------- */

struct tracer {
	struct unwind_worker *worker;
	struct maptrack *track;
	struct procmap *maps;
	uint64_t n_lost; /* reports of the kernel, on a busy machine */
};

static int start_tracer(void **state)
{
	struct tracer *t = calloc(1, sizeof(*t));
	int err = unwind_worker_start(&t->worker, NULL);

	*state = NULL;
	if (!err)
		err = maptrack_open(&t->track, false);
	if (err) {
		unwind_worker_stop(t->worker);
		free(t);
		return err == -EPERM || err == -EACCES ? 0 : err;
	}
	t->maps = procmap_new();
	maptrack_observe(t->track, unwind_worker_report, t->worker);
	*state = t;
	return 0;
}

static int stop_tracer(void **state)
{
	struct tracer *t = *state;

	forget_chunks();
	if (!t)
		return 0;
	maptrack_close(t->track);
	procmap_free(t->maps);
	unwind_worker_stop(t->worker);
	free(t);
	return 0;
}

/* Let the thread hear of all that has happened. */
static void drain(struct tracer *t)
{
	uint64_t n_lost = maptrack_drain(t->track, t->maps);

	if (n_lost)
		unwind_worker_check_all(t->worker);
	t->n_lost += n_lost;
	unwind_worker_wait(t->worker, 2000000000);
}

static void ask(struct tracer *t, uint32_t tgid, uint32_t exec_id)
{
	unwind_worker_note(t->worker,
			   &(struct sonde_unwind_event){.tgid = tgid, .exec_id = exec_id});
	unwind_worker_wait(t->worker, 2000000000);
}

/* Drain until `is_true` is. */
static void wait_until(struct tracer *t, bool (*is_true)(uint32_t tgid), uint32_t tgid)
{
	for (int i = 0; i < PATIENCE_MS && !is_true(tgid); i++) {
		drain(t);
		usleep(1000);
	}
	assert_true(is_true(tgid));
}

static struct tracer *tracer_of(void **state)
{
	if (!*state)
		skip();
	return *state;
}

/* ---- cases --------------------------------------------------------------------------------- */

static void test_process(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	struct unwind_space space;

	unwind_worker_add_process(t->worker, (uint32_t)s.pid, false);
	unwind_worker_wait(t->worker, 2000000000);
	check_process((uint32_t)s.pid);
	assert_true(space_of((uint32_t)s.pid, &space));
	assert_int_equal(space.exec_id, UNWIND_ANY_EXEC);
	ask(t, (uint32_t)s.pid, EXEC_ID);
	end_subject(&s);
}

static int count_code(const struct proc_mapping *m, void *ctx)
{
	*(uint32_t *)ctx += m->is_executable;
	return 0;
}

/* Does the space have every executable mapping that the process has? */
static int is_covered(const struct proc_mapping *m, void *ctx)
{
	return m->is_executable && !range_of(ctx, m->start);
}

static bool is_complete(uint32_t tgid)
{
	struct unwind_space space;

	forget_chunks();
	return space_of(tgid, &space) && !proc_maps_each(tgid, is_covered, &space);
}

static void test_dlopen(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	uint32_t tgid = (uint32_t)s.pid, before = 0, after = 0;

	unwind_worker_add_process(t->worker, tgid, false);
	drain(t);
	assert_true(is_complete(tgid));
	proc_maps_each(tgid, count_code, &before);
	order(&s, "l");
	answer(&s);
	proc_maps_each(tgid, count_code, &after);
	assert_true(after > before);
	assert_false(is_complete(tgid));
	wait_until(t, is_complete, tgid);
	check_process(tgid);
	end_subject(&s);
}

/* Without a report of the kernel: a program asks. */
static void test_ask_again(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	uint32_t tgid = (uint32_t)s.pid;

	ask(t, tgid, EXEC_ID);
	check_process(tgid);
	order(&s, "l");
	answer(&s);
	for (int i = 0; i < PATIENCE_MS && !is_complete(tgid); i++) {
		ask(t, tgid, EXEC_ID);
		usleep(1000);
	}
	check_process(tgid);
	end_subject(&s);
}

static bool has_space(uint32_t tgid)
{
	struct unwind_space space;

	return space_of(tgid, &space);
}

static bool has_no_space(uint32_t tgid)
{
	return !has_space(tgid);
}

static void test_fork(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	struct unwind_space parent, child;
	pid_t pid;

	ask(t, (uint32_t)s.pid, EXEC_ID);
	drain(t);
	t->n_lost = 0;
	order(&s, "f");
	pid = answer(&s);
	for (int i = 0; i < PATIENCE_MS && !has_space((uint32_t)pid) && !t->n_lost; i++) {
		usleep(1000);
		drain(t);
	}
	if (t->n_lost)
		skip();
	assert_true(has_space((uint32_t)pid));
	assert_true(space_of((uint32_t)s.pid, &parent));
	assert_true(space_of((uint32_t)pid, &child));
	assert_int_equal(child.ranges, parent.ranges); /* shared */
	assert_int_equal(child.exec_id, EXEC_ID);
	check_process((uint32_t)pid);
	kill(pid, SIGKILL);
	wait_until(t, has_no_space, (uint32_t)pid);
	check_process((uint32_t)s.pid);
	end_subject(&s);
}

/* Is nothing published but what is true? */
static bool is_not_stale(uint32_t tgid)
{
	return has_no_space(tgid) || is_complete(tgid);
}

static void test_exec(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	uint32_t tgid = (uint32_t)s.pid;

	unwind_worker_add_process(t->worker, tgid, false); /* the execve count is not known */
	drain(t);
	order(&s, "e");
	assert_true(wait_for_sleep((pid_t)tgid));
	assert_false(is_complete(tgid));
	wait_until(t, is_not_stale, tgid);
	ask(t, tgid, EXEC_ID);
	wait_until(t, is_complete, tgid);
	check_process(tgid);
	end_subject(&s);
	wait_until(t, has_no_space, tgid);
}

/* The program asks with another execve count before the report comes. */
static void test_exec_is_asked_first(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	struct unwind_space space;
	uint32_t tgid = (uint32_t)s.pid;

	ask(t, tgid, EXEC_ID);
	order(&s, "e");
	assert_true(wait_for_sleep((pid_t)tgid));
	ask(t, tgid, EXEC_ID + 1);
	drain(t); /* the report of the exec is older than what was read */
	assert_true(space_of(tgid, &space));
	assert_int_equal(space.exec_id, EXEC_ID + 1);
	check_process(tgid);
	end_subject(&s);
}

static char own_sleep[PATH_MAX];

static void copy_sleep(void)
{
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cp /bin/sleep %s", own_sleep);
	assert_int_equal(system(command), 0);
}

static void test_deleted(void **state)
{
	struct tracer *t = tracer_of(state);
	uint32_t tgid;

	snprintf(own_sleep, sizeof(own_sleep), "/tmp/sonde-test-%d", getpid());
	copy_sleep();
	tgid = (uint32_t)start_program(own_sleep, NULL);
	assert_true(wait_for_sleep((pid_t)tgid));
	unlink(own_sleep);
	ask(t, tgid, EXEC_ID);
	check_process(tgid);
	end_process((pid_t)tgid);
}

static void enter_namespace(void)
{
	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", "/mnt", "tmpfs", 0, NULL))
		_exit(126);
	copy_sleep();
}

static void test_mount_namespace(void **state)
{
	struct tracer *t = tracer_of(state);
	pid_t pid;

	strcpy(own_sleep, "/mnt/sonde-test-sleep");
	pid = start_program(own_sleep, enter_namespace);
	if (!wait_for_sleep(pid) && has_ended(pid))
		skip();					  /* not allowed here */
	assert_int_not_equal(access(own_sleep, F_OK), 0); /* not in ours */
	ask(t, (uint32_t)pid, EXEC_ID);
	check_process((uint32_t)pid);
	end_process(pid);
}

static bool is_published(const char *path)
{
	struct unwind_file_key key;
	struct unwind_file file;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	key = (struct unwind_file_key){(uint64_t)major(st.st_dev) << 20 | minor(st.st_dev),
				       st.st_ino};
	return !bpf_map_lookup_elem(fd_of_map("sonde_unwind_files"), &key, &file) &&
	       file.n_ranges > 0;
}

/* The tables of a program are published before it runs. */
static void test_program(void **state)
{
	struct tracer *t = tracer_of(state);
	struct unwind_stats st;

	assert_false(is_published("/bin/sleep"));
	unwind_worker_add_program(t->worker, "/bin/sleep");
	unwind_worker_wait(t->worker, 2000000000);
	assert_true(is_published("/bin/sleep"));
	unwind_worker_stats(t->worker, &st);
	assert_true(st.n_files >= 3); /* with the C library and the dynamic linker */
}

/* The files of running processes; own_sleep is that of one of them. */
static void test_used(void **state)
{
	struct tracer *t = tracer_of(state);
	struct unwind_stats few, all;
	pid_t other = start_program("/bin/sleep", NULL), pid;

	strcpy(own_sleep, "/tmp/sonde-test-used");
	copy_sleep();
	pid = start_program(own_sleep, NULL);
	assert_true(wait_for_sleep(pid) && wait_for_sleep(other));
	unwind_worker_add_used(t->worker, own_sleep);
	assert_true(unwind_worker_wait(t->worker, 20000000000));
	assert_true(is_published(own_sleep));
	assert_false(is_published("/bin/sleep")); /* its process has not mapped the other file */
	unwind_worker_stats(t->worker, &few);
	assert_true(few.n_files >= 3 && few.n_processes == 0);
	unwind_worker_add_used(t->worker, NULL);
	assert_true(unwind_worker_wait(t->worker, 20000000000));
	assert_true(is_published(own_sleep) && is_published("/bin/sleep"));
	unwind_worker_stats(t->worker, &all);
	assert_true(all.n_files > few.n_files && all.n_processes == 0);
	ask(t, (uint32_t)pid, EXEC_ID);
	check_process((uint32_t)pid);
	unlink(own_sleep);
	end_process(pid);
	end_process(other);
}

static pid_t run_short(struct tracer *t, bool links)
{
	pid_t pid = start_program("/bin/sleep", NULL);

	if (links)
		assert_true(wait_for_sleep(pid));
	ask(t, (uint32_t)pid, EXEC_ID);
	end_process(pid);
	return pid;
}

static void test_short_lived(void **state)
{
	struct tracer *t = tracer_of(state);
	struct unwind_stats before, after;
	pid_t pid;

	wait_until(t, has_no_space, (uint32_t)run_short(t, true));
	unwind_worker_stats(t->worker, &before);
	for (int i = 1; i < N_SHORT; i++) {
		pid = run_short(t, false);
		drain(t);
	}
	wait_until(t, has_no_space, (uint32_t)pid);
	unwind_worker_stats(t->worker, &after);
	assert_int_equal(after.n_processes, before.n_processes);
	assert_true(is_published("/bin/sleep")); /* the next one is known from its start */
	assert_int_equal(after.n_files, before.n_files);
	assert_int_equal(after.n_rows, before.n_rows);
	assert_int_equal(after.used_bytes, before.used_bytes);
	assert_int_equal(after.store_bytes, before.store_bytes);
}

/* Reports were lost: processes that have ended go with the next check. */
static void test_check(void **state)
{
	struct tracer *t = tracer_of(state);
	struct subject s = start_subject();
	uint32_t tgid = (uint32_t)s.pid;

	ask(t, tgid, EXEC_ID);
	end_subject(&s);
	assert_true(has_space(tgid));
	unwind_worker_check_all(t->worker);
	unwind_worker_wait(t->worker, 2000000000);
	assert_false(has_space(tgid));
}

/* ---- limits -------------------------------------------------------------------------------- */

enum { MAX_SPACES = 4, N_SUBJECTS = 7 };

/* A store of its own, without a thread. */
struct small {
	struct unwind_store *store;
	struct unwind_files *files;
};

static void open_small(struct small *s, uint32_t max_chunks)
{
	int err = unwind_store_open(&s->store, max_chunks);

	if (err == -EPERM || err == -EACCES)
		skip();
	assert_int_equal(err, 0);
	s->files = unwind_files_new(s->store, NULL);
}

static void test_eviction(void **state)
{
	struct subject all[N_SUBJECTS];
	struct unwind_spaces *spaces;
	struct small small;

	(void)state;
	open_small(&small, 64);
	spaces = unwind_spaces_new(small.store, small.files, MAX_SPACES);
	for (int i = 0; i < N_SUBJECTS; i++) {
		all[i] = start_subject();
		unwind_spaces_ask(spaces, (uint32_t)all[i].pid, EXEC_ID);
	}
	assert_int_equal(unwind_spaces_count(spaces), MAX_SPACES);
	assert_int_equal(unwind_spaces_evicted(spaces), N_SUBJECTS - MAX_SPACES);
	for (int i = 0; i < N_SUBJECTS; i++) {
		assert_true(has_space((uint32_t)all[i].pid) == (i >= N_SUBJECTS - MAX_SPACES));
		if (i >= N_SUBJECTS - MAX_SPACES)
			check_process((uint32_t)all[i].pid);
		end_subject(&all[i]);
	}
	unwind_spaces_free(spaces);
	unwind_files_free(small.files);
	unwind_store_close(small.store);
}

static bool drop_file(void *ctx)
{
	return unwind_files_shrink(ctx);
}

/* More files than the store has space for: those without a process make room. */
static void test_full_store(void **state)
{
	static const char *const paths[] = {"/proc/self/exe", "/bin/sh",  "/bin/ls",   "/bin/sleep",
					    "/bin/cat",	      "/bin/tar", "/bin/grep", "/bin/sed"};
	struct unwind_files_stats st;
	struct small small;

	(void)state;
	open_small(&small, 1);
	unwind_store_on_full(small.store, drop_file, small.files);
	for (int round = 0; round < 40; round++) {
		for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
			struct unwind_binary *b = unwind_files_of_path(small.files, paths[i]);
			size_t n;

			assert_non_null(b);
			unwind_files_ranges(b, &n);
			assert_true(n > 1); /* it has a table */
			unwind_files_release(small.files, b);
		}
		while (round % 8 == 0 && unwind_files_shrink(small.files))
			;
	}
	assert_int_equal(unwind_store_bytes(small.store), UNWIND_CHUNK_WORDS * 4);
	unwind_files_stats(small.files, &st);
	assert_true(st.n_evicted > 0);
	unwind_files_free(small.files);
	assert_int_equal(unwind_store_used_bytes(small.store), EXTENT_WORDS * 4);
	unwind_store_close(small.store);
}

/* Files without a process: the oldest are dropped, and counted. */
static void test_unused_files(void **state)
{
	enum { N_FILES = 1500, UNUSED_MAX = 1024 };
	char folder[] = "/tmp/test_unwind_spaces.XXXXXX", path[64];
	struct unwind_files_stats st;
	struct small small;

	(void)state;
	open_small(&small, 1);
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < N_FILES; i++) {
		struct unwind_binary *b;
		int fd;

		snprintf(path, sizeof(path), "%s/%d", folder, i);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
		assert_int_equal(write(fd, path, sizeof(path)), sizeof(path));
		close(fd);
		b = unwind_files_of_path(small.files, path);
		assert_non_null(b);
		unwind_files_release(small.files, b);
	}
	unwind_files_stats(small.files, &st);
	assert_int_equal(st.n_files, UNUSED_MAX);
	assert_int_equal(st.n_evicted, N_FILES - UNUSED_MAX);
	for (int i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
	unwind_files_free(small.files);
	unwind_store_close(small.store);
}

/* A process ends while its mappings are read: its files are not taken for files without a table. */
static void test_process_gone(void **state)
{
	struct proc_mapping m = {.start = 0x1000,
				 .end = 0x2000,
				 .device = 1,
				 .inode = 1,
				 .is_executable = true,
				 .path = "/no/such/file"};
	struct unwind_files_stats st;
	struct small small;

	(void)state;
	open_small(&small, 1);
	assert_null(unwind_files_of_mapping(small.files, INT_MAX, &m));
	unwind_files_stats(small.files, &st);
	assert_int_equal(st.n_files, 0);
	unwind_files_free(small.files);
	unwind_store_close(small.store);
}

#define WITH_TRACER(test) cmocka_unit_test_setup_teardown(test, start_tracer, stop_tracer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_TRACER(test_process),
		WITH_TRACER(test_dlopen),
		WITH_TRACER(test_ask_again),
		WITH_TRACER(test_fork),
		WITH_TRACER(test_exec),
		WITH_TRACER(test_exec_is_asked_first),
		WITH_TRACER(test_deleted),
		WITH_TRACER(test_mount_namespace),
		WITH_TRACER(test_program),
		WITH_TRACER(test_used),
		WITH_TRACER(test_short_lived),
		WITH_TRACER(test_check),
		cmocka_unit_test(test_eviction),
		cmocka_unit_test(test_process_gone),
		cmocka_unit_test(test_full_store),
		cmocka_unit_test(test_unused_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
