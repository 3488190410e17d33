/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand OBJECT PROGRAM FD - loads one program of hand.bpf.c, attaches it, writes `ready` to FD and waits
 * to be killed.
 */
#include <bpf/libbpf.h>
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

int main(int argc, char **argv)
{
	struct bpf_object *o = argc == 4 ? bpf_object__open_file(argv[1], NULL) : NULL;
	struct bpf_program *p = o ? choose(o, argv[2]) : NULL;

	if (!p || set_number(o) || bpf_object__load(o) || !bpf_program__attach(p))
		return fprintf(stderr, "hand: cannot load or attach\n"), 2;
	if (write(atoi(argv[3]), "ready\n", 6) != 6)
		return 2;
	pause();
	return 0;
}
