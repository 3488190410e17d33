/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LD_PRELOAD: a kernel whose verifier refuses some programs. REFUSE=name:TEXT refuses those whose names contain
 * TEXT; REFUSE=helper:N those that call helper function N.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

static bool calls_helper(const union bpf_attr *attr, int helper)
{
	const struct bpf_insn *insns = (const struct bpf_insn *)(uintptr_t)attr->insns;

	for (uint32_t i = 0; i < attr->insn_cnt; i++)
		if (insns[i].code == (BPF_JMP | BPF_CALL) && !insns[i].src_reg &&
		    insns[i].imm == helper)
			return true;
	return false;
}

static bool is_refused(const union bpf_attr *attr)
{
	const char *what = getenv("REFUSE");

	if (what && !strncmp(what, "name:", 5))
		return strstr(attr->prog_name, what + 5) != NULL;
	return what && !strncmp(what, "helper:", 7) && calls_helper(attr, atoi(what + 7));
}

long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf && a[0] == BPF_PROG_LOAD &&
	    is_refused((const union bpf_attr *)a[1])) {
		const union bpf_attr *attr = (const union bpf_attr *)a[1];

		if (attr->log_buf && attr->log_level)
			snprintf(
				(char *)(uintptr_t)attr->log_buf, attr->log_size,
				"0: R1=ctx() R10=fp0\n0: (95) exit\nR0 !read_ok\nprocessed 1 insns\n");
		errno = EACCES;
		return -1;
	}
	if (!real)
		real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
