/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Following mappings on more CPUs than this machine has: a faked list that names one CPU many
 * times. Needs the right to open perf events for all processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/cpu_list.h"
#include "runtime/symbols/maptrack.h"
#include "runtime/symbols/procmap.h"

enum {
	N_CPUS = 1100, /* more than fit a fixed set of 1,024 descriptors */
	EXECS_MAX = 200,
};

static void exec_on(uint32_t cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid == 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_many_cpus(void **state)
{
	struct rlimit limit;
	struct cpu_list online = {0}, cpus = {0};
	struct maptrack *t = NULL;
	struct procmap *maps = procmap_new();
	int n_execs = 0, err;

	(void)state;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(cpu_list_online(&online), 0);
	/* Records arrive in the rings of the last CPU only, which are the last of the list. */
	for (int i = 0; i < N_CPUS; i++)
		assert_int_equal(vec_push(&cpus, i < N_CPUS - 1 ? online.items[0]
								: online.items[online.n - 1]),
				 0);
	err = maptrack_open_cpus(&t, &cpus, false);
	if (err == -EACCES || err == -EPERM || err == -EMFILE)
		skip();
	assert_int_equal(err, 0);
	while (n_execs++ < EXECS_MAX) {
		struct pollfd fd = {.fd = maptrack_fd(t), .events = POLLIN};

		exec_on(online.items[online.n - 1]);
		if (poll(&fd, 1, 0) == 1)
			break;
	}
	assert_in_range(n_execs, 1, EXECS_MAX);
	maptrack_drain(t, maps);
	assert_true(procmap_count(maps) > 0);
	maptrack_close(t);
	procmap_free(maps);
	vec_free(&cpus);
	vec_free(&online);
}

static void test_no_cpu(void **state)
{
	struct cpu_list none = {0};
	struct maptrack *t = NULL;

	(void)state;
	assert_int_equal(maptrack_open_cpus(&t, &none, false), -ENODEV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_cpus),
		cmocka_unit_test(test_no_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
