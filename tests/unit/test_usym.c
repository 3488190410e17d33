/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User symbols of processes that have ended. The test runs itself as a child that execs,
 * forks or loads a library and reports addresses through a pipe, until that is closed; they are resolved
 * after it has ended. Needs root for perf records, else those tests skip. Prints what opening, closing and
 * lookups cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "runtime/symbols/usym.h"

/* What a child says about one of its addresses. */
struct report {
	uint32_t tgid, step; /* step: how many execs it is past */
	uint64_t time_ns;
	uint64_t address;
	char name[64];
};

enum { REPORT_FD = 100, GO_FD = 101, EXEC_ID = 1000, MAX_TRIES = 20 };

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the child ---- */

static void report(uint32_t step, const void *address, const char *name)
{
	struct report r = {.tgid = (uint32_t)getpid(),
			   .step = step,
			   .time_ns = now_ns(),
			   .address = (uintptr_t)address};

	strncpy(r.name, name, sizeof(r.name) - 1);
	if (write(REPORT_FD, &r, sizeof(r)) != sizeof(r))
		_exit(1);
}

__attribute__((noinline)) static void first_function(void)
{
	report(0, (const char *)first_function + 1, "first_function");
}

__attribute__((noinline)) static void second_function(void)
{
	report(1, (const char *)second_function + 1, "second_function");
}

/* Until the tracer closes the pipe. */
static void wait_for_end(void)
{
	char byte;

	while (read(GO_FD, &byte, 1) > 0)
		;
}

static int child_main(const char *what)
{
	if (strcmp(what, "run") == 0) {
		first_function();
	} else if (strcmp(what, "exec") == 0) {
		first_function();
		usleep(5000);
		execl("/proc/self/exe", "child", "--child", "execed", NULL);
	} else if (strcmp(what, "execed") == 0) {
		second_function();
	} else if (strcmp(what, "fork") == 0) {
		if (fork() == 0)
			first_function();
		else
			wait(NULL);
	} else if (strcmp(what, "dlopen") == 0) {
		void *library;

		usleep(5000);
		library = dlopen("libm.so.6", RTLD_NOW);
		report(0, library ? dlsym(library, "cbrt") : NULL, "cbrt");
	} else if (strcmp(what, "vdso") == 0) {
		report(0, (const void *)(getauxval(AT_SYSINFO_EHDR) + 0x10), "[vdso]");
	}
	wait_for_end();
	return 0;
}

/* ---- the tracer ---- */

struct child {
	pid_t pid;
	int go, reports;
	uint64_t n_lost; /* records of the kernel, on a busy machine: nothing is known then */
};

/* A child that waits for release(), then runs `path` --child what. */
static void start(struct child *c, const char *path, const char *what)
{
	int go[2], reports[2];

	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(reports), 0);
	c->pid = fork();
	assert_true(c->pid >= 0);
	if (!c->pid) {
		char byte;

		close(go[1]);
		dup2(reports[1], REPORT_FD);
		dup2(go[0], GO_FD);
		close(reports[0]);
		close(reports[1]);
		if (read(GO_FD, &byte, 1) != 1)
			_exit(1);
		execl(path, "child", "--child", what, NULL);
		_exit(127);
	}
	close(go[0]);
	close(reports[1]);
	c->go = go[1];
	c->reports = reports[0];
	c->n_lost = 0;
}

/* Let the child run and end. Drains meanwhile, as the session does; returns the number of reports. */
static size_t release(struct child *c, struct usyms *u, struct report *reports, size_t max)
{
	struct pollfd fds[] = {{.fd = c->reports, .events = POLLIN},
			       {.fd = usyms_track_fd(u), .events = POLLIN}};
	size_t n = 0;
	int status;

	assert_int_equal(write(c->go, "", 1), 1);
	close(c->go);
	while (n < max && poll(fds, 2, -1) > 0) {
		if (fds[1].revents)
			c->n_lost += usyms_track_drain(u);
		if (!fds[0].revents)
			continue;
		if (read(c->reports, &reports[n], sizeof(*reports)) != sizeof(*reports))
			break;
		n++;
	}
	close(c->reports);
	assert_int_equal(waitpid(c->pid, &status, 0), c->pid);
	assert_int_equal(status, 0);
	return n;
}

static void assert_found(struct usyms *u, const struct report *r, const char *module)
{
	struct usym sym;

	assert_true(
		usyms_find(u, &(struct uaddress){r->tgid, EXEC_ID + r->step, r->address}, &sym));
	assert_non_null(sym.module);
	if (module)
		assert_string_equal(sym.module, module);
	assert_non_null(sym.name);
	assert_string_equal(sym.name, r->name);
}

static struct usyms *tracker(int pid)
{
	struct usyms *u = usyms_new();
	int err = usyms_track(u, pid);

	if (err == -EACCES || err == -EPERM) {
		print_message("skipped: perf events need root\n");
		usyms_free(u);
		skip();
	}
	assert_int_equal(err, 0);
	return u;
}

/* A child that has ended, its reports, and what is known of it. */
struct trial {
	const char *what;
	bool all;	    /* follow all processes */
	size_t first_noted; /* report whose stack is noted first */
	struct usyms *u;
	struct report reports[4];
	size_t n;
};

/* Returns how many records were lost. */
static uint64_t try_child(struct trial *t)
{
	char exe[256];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	struct child c;

	exe[length > 0 ? length : 0] = '\0';
	start(&c, exe, t->what);
	t->u = tracker(t->all ? -1 : c.pid);
	t->n = release(&c, t->u, t->reports, 4);
	/* The process is gone, and only now are its stacks noted. */
	for (size_t i = t->first_noted; i < t->n; i++)
		usyms_note_stack(t->u, t->reports[i].tgid, EXEC_ID + t->reports[i].step,
				 t->reports[i].time_ns);
	return c.n_lost + usyms_track_drain(t->u);
}

/* Once more while the kernel loses records: other processes on this machine leave some, too. */
static void trace_child(struct trial *t, size_t n_reports)
{
	for (int i = 0; try_child(t); i++) {
		assert_true(i < MAX_TRIES);
		usyms_free(t->u);
	}
	assert_int_equal(t->n, n_reports);
}

static void check_child(const char *what, bool all)
{
	struct trial t = {.what = what, .all = all};

	trace_child(&t, 1);
	assert_found(t.u, &t.reports[0], NULL);
	usyms_free(t.u);
}

static void test_short_lived(void **state)
{
	(void)state;
	check_child("run", false);
	check_child("run", true);
}

static void test_exec(void **state)
{
	struct trial t = {.what = "exec"};
	struct report *r = t.reports;
	struct usym sym;

	(void)state;
	trace_child(&t, 2);
	assert_int_equal(r[0].tgid, r[1].tgid);
	assert_found(t.u, &r[0], NULL);
	assert_found(t.u, &r[1], NULL);
	/* Each address belongs to its own program image (their places are random). */
	if (r[0].address >> 12 != r[1].address >> 12) {
		usyms_find(t.u, &(struct uaddress){r[0].tgid, EXEC_ID + 1, r[0].address}, &sym);
		assert_true(!sym.name || strcmp(sym.name, "first_function") != 0);
	}
	usyms_free(t.u);
}

/* Only the second program's stack is noted: the first one's id is counted from it. */
static void test_exec_by_count(void **state)
{
	struct trial t = {.what = "exec", .first_noted = 1};

	(void)state;
	trace_child(&t, 2);
	assert_found(t.u, &t.reports[0], NULL);
	usyms_free(t.u);
}

static void test_fork(void **state)
{
	(void)state;
	check_child("fork", false);
	check_child("fork", true);
}

static void test_dlopen(void **state)
{
	(void)state;
	check_child("dlopen", false);
}

static void test_vdso(void **state)
{
	struct trial t = {.what = "vdso"};
	struct usym sym;

	(void)state;
	trace_child(&t, 1);
	assert_true(usyms_find(t.u,
			       &(struct uaddress){t.reports[0].tgid, EXEC_ID, t.reports[0].address},
			       &sym));
	assert_string_equal(sym.module, "[vdso]");
	assert_int_equal(sym.module_offset, 0x10);
	usyms_free(t.u);
}

static void copy_self(const char *to)
{
	char command[512];

	snprintf(command, sizeof(command), "cp /proc/%d/exe %s", getpid(), to);
	assert_int_equal(system(command), 0);
}

/* The program is deleted, or replaced by another of the same name, before a name is looked up: no
 * names then, unless it was noted while it ran; never a wrong one. */
static void test_deleted(void **state)
{
	char path[] = "/tmp/test_usym.XXXXXX";
	struct report r;
	struct usym sym;

	(void)state;
	for (int noted = 0; noted < 2; noted++) {
		struct usyms *u;
		struct child c;
		int fd;

		strcpy(path + sizeof(path) - 7, "XXXXXX");
		fd = mkstemp(path);
		close(fd);
		copy_self(path);
		chmod(path, 0700);
		start(&c, path, "run");
		u = tracker(c.pid);
		assert_int_equal(write(c.go, "", 1), 1);
		assert_int_equal(read(c.reports, &r, sizeof(r)), sizeof(r));
		if (noted)
			usyms_note_stack(u, r.tgid, EXEC_ID, r.time_ns);
		close(c.go);
		waitpid(c.pid, NULL, 0);
		unlink(path);
		usleep(20000);	 /* times of files are those of the last tick */
		copy_self(path); /* ext4 gives it the same inode number */
		if (!noted)
			usyms_note_stack(u, r.tgid, EXEC_ID, r.time_ns);
		assert_true(usyms_find(u, &(struct uaddress){r.tgid, EXEC_ID, r.address}, &sym));
		assert_string_equal(sym.module, path);
		if (noted)
			assert_string_equal(sym.name, "first_function");
		else
			assert_null(sym.name);
		close(c.reports);
		unlink(path);
		usyms_free(u);
	}
}

/* Without records: a living process, from /proc alone, then a library it loads. */
static void test_untracked(void **state)
{
	struct usyms *u = usyms_new();
	struct report r = {.tgid = (uint32_t)getpid(),
			   .address = (uintptr_t)test_untracked + 4,
			   .name = "test_untracked"};
	struct usym sym;
	void *library;

	(void)state;
	assert_false(usyms_find(u, &(struct uaddress){r.tgid, EXEC_ID, 0}, &sym));
	usyms_note_stack(u, r.tgid, EXEC_ID, now_ns());
	assert_found(u, &r, NULL);
	usleep(110000); /* /proc is read again for a miss at most this often */
	library = dlopen("libm.so.6", RTLD_NOW);
	assert_non_null(library);
	assert_true(usyms_find(
		u, &(struct uaddress){r.tgid, EXEC_ID, (uintptr_t)dlsym(library, "cbrt")}, &sym));
	assert_string_equal(sym.name, "cbrt");
	assert_false(usyms_find(u, &(struct uaddress){0x7ffffff0, EXEC_ID, r.address}, &sym));
	assert_null(sym.module);
	assert_int_equal(usyms_note_process(u, 0x7ffffff0), -ENOENT);
	usyms_note_all(u);
	assert_found(u, &r, NULL);
	usyms_free(u);
}

static size_t names_bytes(const struct usyms *u)
{
	struct usyms_stats st;

	usyms_stats(u, &st);
	return st.names_bytes;
}

/* Names that are not kept are freed, those that are kept stay as they are, and what was freed is
 * found again. */
static void test_collect_names(void **state)
{
	struct usyms *u = usyms_new();
	const uint32_t self = (uint32_t)getpid();
	const struct uaddress one = {self, EXEC_ID, (uintptr_t)first_function + 4};
	const struct uaddress two = {self, EXEC_ID, (uintptr_t)second_function + 4};
	struct usym first, second;
	size_t n_bytes;

	(void)state;
	usyms_note_stack(u, self, EXEC_ID, now_ns());
	assert_true(usyms_find(u, &one, &first));
	n_bytes = names_bytes(u);
	assert_true(n_bytes > sizeof("first_function"));
	assert_true(usyms_find(u, &two, &second));
	assert_int_equal(names_bytes(u), n_bytes + sizeof("second_function"));
	usyms_names_begin(u);
	assert_null(usyms_names_retain(u, NULL));
	first.name = usyms_names_retain(u, first.name);
	first.module = usyms_names_retain(u, first.module);
	first.build_id = usyms_names_retain(u, first.build_id);
	usyms_names_end(u);
	assert_int_equal(names_bytes(u), n_bytes);
	assert_string_equal(first.name, "first_function");
	assert_true(usyms_find(u, &two, &second));
	assert_string_equal(second.name, "second_function");
	assert_ptr_equal(second.module, first.module);
	usyms_free(u);
}

/* The records that were lost. */
static uint64_t trace_many(struct usyms *u, struct report *r, size_t n)
{
	uint64_t n_lost = 0;

	usyms_note_process(u, (uint32_t)getpid());
	assert_true(usyms_track_fd(u) >= 0);
	for (size_t i = 0; i < n; i++) {
		struct child c;

		start(&c, "/proc/self/exe", "run");
		assert_int_equal(release(&c, u, &r[i], 1), 1);
		n_lost += c.n_lost + usyms_track_drain(u);
		if (i % 10)
			continue;
		for (size_t k = i < 10 ? 0 : i - 10; k <= i; k++)
			usyms_note_stack(u, r[k].tgid, EXEC_ID, r[k].time_ns);
	}
	for (size_t i = n - 10; i < n; i++)
		usyms_note_stack(u, r[i].tgid, EXEC_ID, r[i].time_ns);
	return n_lost + usyms_track_drain(u);
}

/* Hundreds of short-lived children: all named afterwards, no record lost. With sanitizers, each
 * takes 150 ms. */
static void test_many(void **state)
{
#ifdef SONDE_ASAN
	enum { N = 50 };
#else
	enum { N = 200 };
#endif
	struct report *r = calloc(N, sizeof(*r));
	struct usyms *u = tracker(-1);

	(void)state;
	for (int i = 0; trace_many(u, r, N); i++) {
		assert_true(i < MAX_TRIES);
		usyms_free(u);
		u = tracker(-1);
	}
	for (size_t i = 0; i < N; i++)
		assert_found(u, &r[i], NULL);
	free(r);
	usyms_free(u);
}

static void test_costs(void **state)
{
	uint64_t open_ns[2] = {0}, close_ns = 0, t[4];
	struct usyms *u;
	struct usym sym;
	uint32_t self = (uint32_t)getpid();

	(void)state;
	for (int i = 0; i < 10; i++) {
		t[0] = now_ns();
		u = tracker(i & 1 ? -1 : (int)self);
		t[1] = now_ns();
		usyms_free(u);
		t[2] = now_ns();
		open_ns[i & 1] += t[1] - t[0];
		close_ns += t[2] - t[1];
	}
	u = usyms_new();
	t[0] = now_ns();
	usyms_note_process(u, self);
	t[1] = now_ns();
	usyms_find(u, &(struct uaddress){self, 0, (uintptr_t)dlsym(RTLD_NEXT, "malloc")}, &sym);
	t[2] = now_ns();
	for (int i = 0; i < 100000; i++)
		usyms_find(u, &(struct uaddress){self, 0, (uintptr_t)dlsym + (uint64_t)(i & 15)},
			   &sym);
	t[3] = now_ns();
	print_message(
		"track: open %.3f ms (a process), %.3f (all), close %.3f ms; note_process %.3f ms; first find in libc %.3f ms; find %.0f ns\n",
		(double)open_ns[0] / 5e6, (double)open_ns[1] / 5e6, (double)close_ns / 1e7,
		(double)(t[1] - t[0]) / 1e6, (double)(t[2] - t[1]) / 1e6,
		(double)(t[3] - t[2]) / 1e5);
	usyms_free(u);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_lived),   cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_by_count), cmocka_unit_test(test_fork),
		cmocka_unit_test(test_dlopen),	      cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_deleted),	      cmocka_unit_test(test_untracked),
		cmocka_unit_test(test_collect_names), cmocka_unit_test(test_many),
		cmocka_unit_test(test_costs),
	};

	if (argc == 3 && strcmp(argv[1], "--child") == 0)
		return child_main(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
