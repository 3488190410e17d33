/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand OBJECT PROGRAM,... FD FILE - loads these programs of hand.bpf.c, attaches them, writes `ready`
 * to FD and waits to be killed. FILE is the file whose functions are probed, or the output for
 * records from the ring buffer.
 */
#include <bpf/libbpf.h>
#include <signal.h>
#include <stdbool.h>
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

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static void choose(struct bpf_object *o, char *names)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, o) bpf_program__set_autoload(p, false);
	for (char *name = strtok(names, ","); name; name = strtok(NULL, ","))
		bpf_program__set_autoload(bpf_object__find_program_by_name(o, name), true);
}

/* Behind the function's endbr64, where the kernel need not single-step. */
static bool attach(struct bpf_program *p, const char *binary)
{
	bool returns = begins(bpf_program__section_name(p), "uretprobe");
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = "cet_push", .retprobe = returns);

	if (begins(bpf_program__section_name(p), "raw_tp") ||
	    begins(bpf_program__section_name(p), "tp_btf"))
		return bpf_program__attach(p) != NULL;
	return bpf_program__attach_uprobe_opts(p, -1, binary, 0, &opts) != NULL;
}

static bool attach_all(struct bpf_object *o, const char *binary)
{
	struct bpf_program *p;

	bpf_object__for_each_program(p, o) if (bpf_program__fd(p) >= 0 &&
					       !attach(p, binary)) return false;
	return true;
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

/* The programs do not wake the reader; it polls as often as sonde's does. */
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
	bool prints = argc == 5 && begins(argv[2], "print");

	if (o)
		choose(o, argv[2]);
	if (!o || set_number(o) || bpf_object__load(o) || !attach_all(o, argv[4]))
		return fprintf(stderr, "hand: cannot load or attach\n"), 2;
	signal(SIGINT, stop);
	if (write(atoi(argv[3]), "ready\n", 6) != 6)
		return 2;
	if (prints)
		return read_records(o, argv[4]);
	pause();
	return 0;
}
