/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capabilities and a filter of system calls: see compile.h.
 */
#include "cli/compile/compile.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#else
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#endif

/* What malloc, LLVM, stdio and abort() call. */
static const uint16_t allowed[] = {
	SYS_brk,	  SYS_mmap,	      SYS_munmap,
	SYS_mremap,	  SYS_mprotect,	      SYS_madvise,
	SYS_write,	  SYS_writev,	      SYS_read,
	SYS_lseek,	  SYS_fstat,	      SYS_newfstatat,
	SYS_ioctl,	  SYS_close,	      SYS_futex,
	SYS_getpid,	  SYS_gettid,	      SYS_tgkill,
	SYS_getrandom,	  SYS_clock_gettime,  SYS_sched_yield,
	SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_getrusage,	  SYS_prlimit64,      SYS_sched_getaffinity,
	SYS_sigaltstack,  SYS_exit,	      SYS_exit_group,
};

enum { N_ALLOWED = sizeof(allowed) / sizeof(*allowed), N_HEAD = 4, N_TAIL = 2 };

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}};

	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

static int filter_calls(void)
{
	struct sock_filter code[N_HEAD + N_ALLOWED + N_TAIL] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(*code), .filter = code};
	struct sock_filter *at = code + N_HEAD;

	for (uint32_t i = 0; i < N_ALLOWED; i++)
		*at++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
						     (uint8_t)(N_ALLOWED - i), 0);
	*at++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	*at = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) ? -errno : 0;
}

int confine_self(void)
{
	int err = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : 0;

	if (!err)
		err = drop_capabilities();
	return err ? err : filter_calls();
}
