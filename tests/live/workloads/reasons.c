/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reasons - waits in each way that tests/live/check-reasons lists, for some time each. On a slow
 * machine it takes longer, until there are ten waits of each kind.
 *
 *	reasons MS FOLDER [CGROUP] [NAME...]	all waits, or those named, one after the other
 *
 * The thread that waits has the name of the wait, every other one the name `helper`. FOLDER is on
 * the disk that waits of files use; `throttled` runs in CGROUP, which must have little time, and is
 * left out if CGROUP is "" or not given. Waits last 1 to 5 ms.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 1024, LARGE = 64 << 20, WAITS = 10, TRIES = 20 };

static const char *folder, *cgroup = "";

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static int ok(int result, const char *what)
{
	if (result < 0)
		die(what);
	return result;
}

static void nap(void)
{
	struct timespec pause = {.tv_nsec = 2000000};

	nanosleep(&pause, NULL);
}

static void *memory(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static int file(int flags)
{
	static char path[PAGE];

	snprintf(path, sizeof(path), "%s/reasons.data", folder);
	return ok(open(path, O_CREAT | O_RDWR | flags, 0600), path);
}

/* ---- helpers: threads and processes that end the waits ----------------------------------- */

struct job {
	void (*each)(int fd); /* called again and again */
	int fd;
};

static void *work(void *arg)
{
	struct job *job = arg;

	prctl(PR_SET_NAME, "helper");
	for (;;)
		job->each(job->fd);
	return NULL;
}

static void helper(void (*each)(int fd), int fd)
{
	struct job *job = malloc(sizeof(*job));
	pthread_t thread;

	*job = (struct job){each, fd};
	if (pthread_create(&thread, NULL, work, job))
		die("pthread_create");
}

static pid_t child(void)
{
	pid_t pid = ok(fork(), "fork");

	if (!pid) {
		prctl(PR_SET_NAME, "helper");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	}
	return pid;
}

static void put_byte(int fd)
{
	nap();
	ok((int)write(fd, "x", 1), "write");
}

static void get_byte(int fd)
{
	char byte;

	ok((int)read(fd, &byte, 1), "read");
}

static int fed_pipe(void)
{
	int ends[2];

	ok(pipe(ends), "pipe");
	helper(put_byte, ends[1]);
	return ends[0];
}

/* ---- locks: a page that takes long to come keeps a lock held ------------------------------ */

static char *slow_page;

static void give_page(int uffd)
{
	struct uffdio_zeropage zero = {.range = {.len = PAGE}};
	struct uffd_msg msg;

	zero.range.start = (unsigned long)slow_page;
	ok((int)read(uffd, &msg, sizeof(msg)), "userfaultfd");
	nap();
	ioctl(uffd, UFFDIO_ZEROPAGE, &zero);
}

static void make_slow_page(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.range = {.len = PAGE}, .mode = UFFDIO_REGISTER_MODE_MISSING};
	int uffd = ok((int)syscall(SYS_userfaultfd, 0), "userfaultfd");

	slow_page = memory(PAGE);
	reg.range.start = (unsigned long)slow_page;
	ok(ioctl(uffd, UFFDIO_API, &api), "UFFDIO_API");
	ok(ioctl(uffd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER");
	helper(give_page, uffd);
}

static void read_slowly(int fd)
{
	madvise(slow_page, PAGE, MADV_DONTNEED);
	lseek(fd, 0, SEEK_SET);
	ok((int)read(fd, slow_page, 1), "read");
}

static void write_slowly(int fd)
{
	madvise(slow_page, PAGE, MADV_DONTNEED);
	ok((int)pwrite(fd, slow_page, 1, 0), "write");
}

static void wait_mutex(void)
{
	int fd = file(0);

	make_slow_page();
	helper(read_slowly, fd);
	for (;;)
		lseek(fd, 0, SEEK_SET);
}

static void wait_rwsem_inode(void)
{
	int fd = file(0);

	make_slow_page();
	helper(write_slowly, fd);
	for (;;)
		ok((int)pwrite(fd, "x", 1, 0), "write");
}

static char *large;

static void populate(int unused)
{
	madvise(large, LARGE, MADV_POPULATE_WRITE);
	madvise(large, LARGE, MADV_DONTNEED);
}

static void wait_rwsem_mmap(void)
{
	large = memory(LARGE);
	helper(populate, -1);
	helper(populate, -1);
	for (;;)
		munmap(memory(PAGE), PAGE);
}

static void wait_completion(void)
{
	for (;;)
		ok((int)syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0), "membarrier");
}

static void wait_vfork(void)
{
	for (;;) {
		pid_t pid = vfork();

		if (!pid) {
			prctl(PR_SET_NAME, "helper");
			nap();
			_exit(0);
		}
		waitpid(ok(pid, "vfork"), NULL, 0);
	}
}

static void wait_futex(void)
{
	static int word;
	struct timespec pause = {.tv_nsec = 2000000};

	for (;;)
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
}

/* ---- files -------------------------------------------------------------------------------- */

static void fill_file(void)
{
	char *page = memory(PAGE);
	int fd = file(0);

	memset(page, 'x', PAGE);
	for (int i = 0; i < PAGES; i++)
		ok((int)pwrite(fd, page, PAGE, (off_t)i * PAGE), "write");
	fsync(fd);
	close(fd);
}

static int random_file(int flags)
{
	int fd = file(flags);

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

/* Not the first page, whose lock the writers pass to each other: a reader could wait for them for as
 * long as they write. */
static off_t some_page(void)
{
	return (1 + rand() % (PAGES - 1)) * (off_t)PAGE;
}

static void wait_page_read(void)
{
	int fd = random_file(0);

	for (;;) {
		char byte;

		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		ok((int)pread(fd, &byte, 1, some_page()), "read");
	}
}

static void wait_page_mmap(void)
{
	int fd = random_file(0);

	for (;;) {
		volatile char *at = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_SHARED, fd, 0);

		madvise((void *)at, (size_t)PAGES * PAGE, MADV_RANDOM);
		(void)at[some_page()];
		munmap((void *)at, (size_t)PAGES * PAGE);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	}
}

static void wait_direct(void)
{
	int fd = random_file(O_DIRECT);
	void *page = memory(PAGE);

	for (;;)
		ok((int)pread(fd, page, PAGE, some_page()), "read");
}

static void wait_fsync(void)
{
	int fd = random_file(0);

	for (;;) {
		ok((int)pwrite(fd, "y", 1, some_page()), "write");
		fdatasync(fd);
	}
}

/* The file grows, so its metadata change: a journal is written. */
static void wait_journal(void)
{
	int fd = file(O_APPEND | O_TRUNC);
	void *page = memory(PAGE);

	for (;;) {
		ok((int)write(fd, page, PAGE), "write");
		fsync(fd);
	}
}

/* ---- pipes, sockets, polling --------------------------------------------------------------- */

static void wait_pipe_read(void)
{
	for (int fd = fed_pipe();;)
		get_byte(fd);
}

static void drain(int fd)
{
	static char buffer[1 << 16];

	nap();
	ok((int)read(fd, buffer, sizeof(buffer)), "read");
}

static void wait_pipe_write(void)
{
	void *page = memory(PAGE);
	int ends[2];

	ok(pipe(ends), "pipe");
	helper(drain, ends[0]);
	for (;;)
		ok((int)write(ends[1], page, PAGE), "write");
}

static void wait_unix(void)
{
	int ends[2];

	ok(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
	helper(put_byte, ends[1]);
	for (;;)
		get_byte(ends[0]);
}

static int listener(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = ok(socket(AF_INET, SOCK_STREAM, 0), "socket");

	*at = (struct sockaddr_in){.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	ok(bind(fd, (struct sockaddr *)at, sizeof(*at)), "bind");
	ok(listen(fd, 1), "listen");
	ok(getsockname(fd, (struct sockaddr *)at, &size), "getsockname");
	return fd;
}

static void wait_tcp(void)
{
	struct sockaddr_in at;
	int listens = listener(&at), from = ok(socket(AF_INET, SOCK_STREAM, 0), "socket"), to;

	ok(connect(from, (struct sockaddr *)&at, sizeof(at)), "connect");
	to = ok(accept(listens, NULL, NULL), "accept");
	helper(put_byte, from);
	for (;;)
		get_byte(to);
}

static struct sockaddr_in server;

static void connect_once(int unused)
{
	int fd = ok(socket(AF_INET, SOCK_STREAM, 0), "socket");

	nap();
	connect(fd, (struct sockaddr *)&server, sizeof(server));
	close(fd);
}

static void wait_accept(void)
{
	int fd = listener(&server);

	helper(connect_once, -1);
	for (;;)
		close(ok(accept(fd, NULL, NULL), "accept"));
}

static void wait_epoll(void)
{
	int fd = fed_pipe(), set = ok(epoll_create1(0), "epoll_create1");
	struct epoll_event event = {.events = EPOLLIN};

	ok(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
	for (;;) {
		epoll_wait(set, &event, 1, -1);
		get_byte(fd);
	}
}

static void wait_poll(void)
{
	struct pollfd fd = {.fd = fed_pipe(), .events = POLLIN};

	for (;;) {
		poll(&fd, 1, -1);
		get_byte(fd.fd);
	}
}

static void wait_select(void)
{
	int fd = fed_pipe();

	for (;;) {
		fd_set set;

		FD_ZERO(&set);
		FD_SET(fd, &set);
		select(fd + 1, &set, NULL, NULL, NULL);
		get_byte(fd);
	}
}

static void wait_nanosleep(void)
{
	for (;;)
		nap();
}

/* ---- processes and signals ----------------------------------------------------------------- */

static void wait_wait4(void)
{
	for (;;) {
		if (!child()) {
			nap();
			_exit(0);
		}
		wait(NULL);
	}
}

static void wait_sigtimedwait(void)
{
	struct timespec pause = {.tv_nsec = 2000000};
	sigset_t set;

	sigemptyset(&set);
	for (;;)
		sigtimedwait(&set, NULL, &pause);
}

static void ignore(int number)
{
}

static void signal_again(int number)
{
	pid_t parent = getpid();

	if (child())
		return;
	for (;;) {
		nap();
		kill(parent, number);
	}
}

static void wait_pause(void)
{
	signal(SIGUSR1, ignore);
	signal_again(SIGUSR1);
	for (;;)
		pause();
}

static void wait_stopped(void)
{
	signal_again(SIGCONT);
	for (;;)
		raise(SIGSTOP);
}

/* ---- threads that could run ---------------------------------------------------------------- */

static void one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	ok(sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void spin(int unused)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

static void spin_for_ever(void)
{
	for (;;)
		spin(0);
}

static void wait_preempted(void)
{
	one_cpu();
	helper(spin, -1);
	spin_for_ever();
}

static void wait_preempted_kernel(void)
{
	int fd = ok(open("/dev/zero", O_RDONLY | O_CLOEXEC), "/dev/zero");
	void *to = memory(LARGE);

	one_cpu();
	helper(spin, -1);
	for (;;)
		ok((int)read(fd, to, LARGE), "read");
}

static void yield(int unused)
{
	spin(0);
	sched_yield();
}

static void wait_yielded(void)
{
	one_cpu();
	helper(yield, -1);
	for (;;)
		yield(0);
}

static void wait_throttled(void)
{
	char path[PAGE];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = ok(open(path, O_WRONLY | O_CLOEXEC), path);
	ok((int)write(fd, "0", 1), path);
	spin_for_ever();
}

/* -------------------------------------------------------------------------------------------- */

static const struct wait {
	const char *name;
	void (*run)(void);
} waits[] = {
	{"rwsem-mmap", wait_rwsem_mmap},
	{"rwsem-inode", wait_rwsem_inode},
	{"mutex", wait_mutex},
	{"completion", wait_completion},
	{"vfork", wait_vfork},
	{"page-read", wait_page_read},
	{"page-mmap", wait_page_mmap},
	{"direct", wait_direct},
	{"fsync", wait_fsync},
	{"journal", wait_journal},
	{"futex", wait_futex},
	{"pipe-read", wait_pipe_read},
	{"pipe-write", wait_pipe_write},
	{"unix", wait_unix},
	{"tcp", wait_tcp},
	{"accept", wait_accept},
	{"epoll", wait_epoll},
	{"poll", wait_poll},
	{"select", wait_select},
	{"nanosleep", wait_nanosleep},
	{"wait4", wait_wait4},
	{"sigtimedwait", wait_sigtimedwait},
	{"pause", wait_pause},
	{"stopped", wait_stopped},
	{"preempted", wait_preempted},
	{"in-kernel", wait_preempted_kernel},
	{"yielded", wait_yielded},
	{"throttled", wait_throttled},
};

/* How often the first thread of a process has left the CPU. */
static long n_switches(pid_t pid)
{
	char path[64], line[PAGE];
	long sum = 0, n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1 ||
		    sscanf(line, "nonvoluntary_ctxt_switches: %ld", &n) == 1)
			sum += n;
	if (f)
		fclose(f);
	return sum;
}

static void run_wait(const struct wait *w, long ms)
{
	struct timespec length = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	pid_t pid = ok(fork(), "fork");
	int status, tries = 0;

	if (!pid) {
		prctl(PR_SET_NAME, w->name);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		w->run();
	}
	do
		nanosleep(&length, NULL);
	while (n_switches(pid) < WAITS && tries++ < TRIES);
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		fprintf(stderr, "reasons: %s ended early\n", w->name);
}

static bool is_asked(const char *name, char **names)
{
	bool is = !*names;

	for (; *names; names++)
		is |= strcmp(*names, name) == 0;
	return is;
}

int main(int argc, char **argv)
{
	char *none[] = {NULL};

	if (argc < 3)
		return fprintf(stderr, "usage: reasons MS FOLDER [CGROUP] [NAME...]\n"), 2;
	folder = argv[2];
	if (argc > 3)
		cgroup = argv[3];
	fill_file();
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (is_asked(waits[i].name, argc > 4 ? argv + 4 : none) &&
		    (*cgroup || waits[i].run != wait_throttled))
			run_wait(&waits[i], atol(argv[1]));
	return 0;
}
