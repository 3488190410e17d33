/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand OBJECT PROGRAM FD FILE - loads one program of hand.bpf.c, attaches it, writes `ready` to FD and
 * what comes through the ring buffer to FILE, until it is told to end.
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int set_number(struct bpf_object *o)
{
	unsigned long number = SYS_getppid;
	struct bpf_map *m;

	bpf_object__for_each_map(
		m, o) if (strstr(bpf_map__name(m),
				 ".rodata")) return bpf_map__set_initial_value(m, &number,
									       sizeof(number));
	return -1;
}

static struct bpf_program *choose(struct bpf_object *o, const char *name)
{
	struct bpf_program *p, *chosen = NULL;

	bpf_object__for_each_program(p, o)
	{
		bpf_program__set_autoload(p, strcmp(bpf_program__name(p), name) == 0);
		if (strcmp(bpf_program__name(p), name) == 0)
			chosen = p;
	}
	return chosen;
}

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

static int print(void *file, void *record, size_t size)
{
	return size < sizeof(int) || fprintf(file, "%d\n", *(int *)record) < 0;
}

/* The programs do not wake the reader: it comes by as often as sonde's does. */
static int read_records(struct bpf_object *o, const char *path)
{
	int fd = bpf_object__find_map_fd_by_name(o, "records");
	FILE *f = fopen(path, "w");
	struct ring_buffer *ring = f ? ring_buffer__new(fd, print, f, NULL) : NULL;

	if (!ring)
		return perror("hand"), 2;
	while (!stopped) {
		ring_buffer__consume(ring);
		usleep(3000);
	}
	ring_buffer__consume(ring);
	return fclose(f);
}

int main(int argc, char **argv)
{
	struct bpf_object *o = argc == 5 ? bpf_object__open_file(argv[1], NULL) : NULL;
	struct bpf_program *p = o ? choose(o, argv[2]) : NULL;

	if (!p || set_number(o) || bpf_object__load(o) || !bpf_program__attach(p))
		return fprintf(stderr, "hand: cannot load or attach\n"), 2;
	signal(SIGINT, stop);
	if (write(atoi(argv[3]), "ready\n", 6) != 6)
		return 2;
	if (strncmp(argv[2], "print", 5) == 0)
		return read_records(o, argv[4]);
	pause();
	return 0;
}
