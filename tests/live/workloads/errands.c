/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a known number of one thing that a bundled script shows: errands WHAT [N]
 *
 *	tcp N		N connections over 127.0.0.1; the side that accepts sends 100,000 bytes and closes
 *	refused		a connection that is refused
 *	faults N	touches N new pages
 *	exec		an exec that fails, /nosuch/program
 *	setuid		setuid(0), setresuid(0, 0, 0), and a setuid as the user 1234 that fails
 *	nap MS		clock_nanosleep() of that many ms
 *	futex MS	a thread waits for a mutex that another one holds for so long
 *	slow MS		reads a file from a pipe that is written after so many ms
 *	threads N	N threads, one after another
 *	sync		sync(), fsync() and fdatasync()
 *	create		makes, writes and removes the file errands.tmp
 *	lookup		getaddrinfo() of 127.0.0.1 and localhost
 *	queue N		N connections to a port with a queue for one, which nobody accepts; 1.2 s
 *	bind		listens on a port of 127.0.0.1
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 100000, PAGE = 4096 };
static int listener, n_given;
static struct sockaddr_in address;

static void nap(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static void bind_any(void)
{
	socklen_t size = sizeof(address);

	address = (struct sockaddr_in){AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&address, &size))
		perror("bind"), exit(1);
	printf("port %d\n", ntohs(address.sin_port));
	fflush(stdout);
}

static void *serve(void *arg)
{
	static char data[BYTES];

	for (int i = 0; i < n_given; i++) {
		int s = accept(listener, NULL, NULL);

		for (ssize_t n = 0, sent = 0; sent < BYTES && n >= 0; sent += n)
			n = write(s, data, (size_t)(BYTES - sent));
		close(s);
	}
	return arg;
}

static void do_tcp(void)
{
	static char data[BYTES];
	pthread_t thread;

	bind_any();
	pthread_create(&thread, NULL, serve, NULL);
	for (int i = 0; i < n_given; i++) {
		int s = socket(AF_INET, SOCK_STREAM, 0);

		if (connect(s, (struct sockaddr *)&address, sizeof(address)))
			perror("connect"), exit(1);
		while (read(s, data, sizeof(data)) > 0)
			;
		close(s);
	}
	pthread_join(thread, NULL);
}

static void do_refused(void)
{
	int s = socket(AF_INET, SOCK_STREAM, 0);

	bind_any();
	close(listener);
	if (connect(s, (struct sockaddr *)&address, sizeof(address)) == 0)
		exit(1);
}

static void do_queue(void)
{
	bind_any();
	listen(listener, 0);
	for (int i = 0; i < n_given; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0),
			(struct sockaddr *)&address, sizeof(address));
	nap(1200);
}

static void do_faults(void)
{
	size_t size = (size_t)n_given * PAGE;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += PAGE)
		at[i] = 1;
}

static void do_exec(void)
{
	execl("/nosuch/program", "program", "argument", (char *)NULL);
}

static void do_setuid(void)
{
	if (setuid(0) || setresuid(0, 0, 0))
		exit(1);
	if (fork() == 0)
		_exit(setuid(1234) || setuid(0) == 0);
	wait(NULL);
}

static void do_nap(void)
{
	nap(n_given);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_mutex(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void do_futex(void)
{
	pthread_t thread;

	pthread_mutex_lock(&mutex);
	pthread_create(&thread, NULL, wait_for_mutex, NULL);
	nap(n_given);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
}

static void do_slow(void)
{
	char c;
	int fds[2];

	if (pipe(fds))
		exit(1);
	if (fork() == 0) {
		nap(n_given);
		_exit(write(fds[1], "x", 1) != 1);
	}
	if (read(fds[0], &c, 1) != 1)
		exit(1);
	wait(NULL);
}

static void *nothing(void *arg)
{
	return arg;
}

static void do_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < n_given; i++) {
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	}
}

static void do_sync(void)
{
	int fd = open("errands.tmp", O_CREAT | O_WRONLY, 0600);

	if (write(fd, "x", 1) != 1 || fsync(fd) || fdatasync(fd) || unlink("errands.tmp"))
		exit(1);
	sync();
}

static void do_create(void)
{
	int fd = open("errands.tmp", O_CREAT | O_WRONLY, 0600);

	for (int i = 0; i < 5; i++)
		if (write(fd, "0123456789", 10) != 10)
			exit(1);
	nap(20);
	close(fd);
	unlink("errands.tmp");
}

static void do_lookup(void)
{
	struct addrinfo *found;

	if (getaddrinfo("127.0.0.1", NULL, NULL, &found) == 0)
		freeaddrinfo(found);
	if (getaddrinfo("localhost", NULL, NULL, &found) == 0)
		freeaddrinfo(found);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*call)(void);
	} errands[] = {
		{"tcp", do_tcp},     {"refused", do_refused}, {"faults", do_faults},
		{"exec", do_exec},   {"setuid", do_setuid},   {"nap", do_nap},
		{"futex", do_futex}, {"slow", do_slow},	      {"threads", do_threads},
		{"sync", do_sync},   {"create", do_create},   {"lookup", do_lookup},
		{"bind", bind_any},  {"queue", do_queue},
	};

	n_given = argc > 2 ? atoi(argv[2]) : 1;
	for (size_t i = 0; argc > 1 && i < sizeof(errands) / sizeof(*errands); i++)
		if (strcmp(argv[1], errands[i].name) == 0)
			return errands[i].call(), 0;
	return 2;
}
