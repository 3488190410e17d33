/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refuse NAME[,NAME…] COMMAND [ARG…]: run COMMAND as on a kernel that lacks some system calls: they
 * return ENOSYS (by seccomp), as on an older kernel or in a container. bpf:N refuses only command N
 * of bpf(2), with EINVAL, as kernels do that do not know it; uprobe_multi refuses a BPF_LINK_CREATE
 * with more attributes than kernels before 6.6 know.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned int number;
} calls[] = {
	{"membarrier", SYS_membarrier},
	{"fsopen", SYS_fsopen},
	{"fsmount", SYS_fsmount},
	{"open_tree", SYS_open_tree},
	{"mount", SYS_mount},
	{"memfd_create", SYS_memfd_create},
	{"bpf", SYS_bpf},
	{"perf_event_open", SYS_perf_event_open},
	{"pidfd_open", SYS_pidfd_open},
};

static struct sock_filter filter[64] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
};
static unsigned short n_filter = 1;

static void add(struct sock_filter f)
{
	filter[n_filter++] = f;
}

/* From kernel 6.6, up to the fields of uprobe_multi. Older links are shorter. */
enum { LINK_CREATE = 28, UPROBE_MULTI_BYTES = 64 };

static void refuse_uprobe_multi(void)
{
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_bpf, 0, 6));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, args[0])));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, LINK_CREATE, 0, 3));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, args[2])));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, UPROBE_MULTI_BYTES, 0, 1));
	add((struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | EINVAL));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, nr)));
}

static int refuse(const char *name)
{
	if (strcmp(name, "uprobe_multi") == 0) {
		refuse_uprobe_multi();
		return 0;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].name, name) != 0)
			continue;
		add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, calls[i].number, 0, 1));
		add((struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | ENOSYS));
		return 0;
	}
	if (strncmp(name, "bpf:", 4) != 0)
		return -1;
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_bpf, 0, 4));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, args[0])));
	add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, (unsigned)atoi(name + 4), 0, 1));
	add((struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | EINVAL));
	add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					 offsetof(struct seccomp_data, nr)));
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog prog = {.filter = filter};

	if (argc < 3)
		return 2;
	for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ","))
		if (n_filter > 54 || refuse(name)) {
			fprintf(stderr, "refuse: unknown system call %s\n", name);
			return 2;
		}
	add((struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW));
	prog.len = n_filter;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return perror("refuse"), 2;
	execvp(argv[2], argv + 2);
	return perror(argv[2]), 2;
}
