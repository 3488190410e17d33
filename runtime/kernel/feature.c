/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel can do, by the cheapest direct answer there is: a file in sysfs, or one bpf(2)
 * call that is bound to fail and says by its error which. Trial loads only where there is none.
 * Each question is asked anew here; kernel.c keeps the answers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "runtime/kernel/kernel_facts.h"
#include "runtime/symbols/ksym.h"
#include "runtime/base/uapi_new.h"

static bool has_file(const char *path)
{
	return access(path, F_OK) == 0;
}

/* BPF_LINK_CREATE first requires all bytes of the call to be zero that are behind its own last
 * field (-EINVAL), and only then looks at prog_fd (-EBADF). Before 6.6 the last field ended where
 * uprobe_multi.cnt begins, so a nonzero cnt and an impossible prog_fd tell the two apart. A program
 * of attach type 48 would not: 6.1 loads it. */
static bool has_uprobe_multi(void)
{
	struct new_link_create attr = {
		.prog_fd = -1,
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.cnt = 1,
	};

	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 && errno == EBADF;
}

/* Links of kprobe_multi are fprobes; without these the kernel loads the program and refuses the
 * link. */
static bool has_fprobes(void)
{
	const char *name = "register_fprobe_syms";
	uint64_t address = 0;

	return ksyms_addresses(&name, &address, 1) == 0 && address;
}

int kernel_load_nothing(uint32_t type, uint32_t attach_type, uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type,
		    .attach_btf_id = btf_id);

	return bpf_prog_load((enum bpf_prog_type)type, "sonde_feature", "GPL", insns,
			     sizeof(insns) / sizeof(*insns), &opts);
}

/* More functions than any link may have: a kernel that knows the attach type says that
 * (-E2BIG), one that does not looks no further than the type (-EINVAL). `attr` has all else. */
static bool is_known_link(void *attr, size_t size, uint32_t *prog_fd, uint32_t attach_type)
{
	int fd = kernel_load_nothing(BPF_PROG_TYPE_KPROBE, attach_type, 0);
	bool is_known;

	if (fd < 0)
		return false;
	*prog_fd = (uint32_t)fd;
	is_known = syscall(SYS_bpf, BPF_LINK_CREATE, attr, size) < 0 && errno == E2BIG;
	close(fd);
	return is_known;
}

static bool has_uprobe_session(void)
{
	uint64_t offset = 0;
	struct new_link_create attr = {
		.attach_type = NEW_BPF_TRACE_UPROBE_SESSION,
		.uprobe_multi.path = (uintptr_t)"/",
		.uprobe_multi.offsets = (uintptr_t)&offset,
		.uprobe_multi.cnt = INT32_MAX,
	};

	return is_known_link(&attr, sizeof(attr), &attr.prog_fd, attr.attach_type);
}

static bool has_kprobe_session(void)
{
	uint64_t address = 0;
	union bpf_attr attr = {
		.link_create.attach_type = NEW_BPF_TRACE_KPROBE_SESSION,
		.link_create.kprobe_multi.addrs = (uintptr_t)&address,
		.link_create.kprobe_multi.cnt = INT32_MAX,
	};

	return is_known_link(&attr, sizeof(attr.link_create), &attr.link_create.prog_fd,
			     attr.link_create.attach_type);
}

bool kernel_probe_fentry(uint32_t btf_id)
{
	int fd = kernel_load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, btf_id);

	if (fd >= 0)
		close(fd);
	/* Who may load nothing cannot tell, but can check a script. */
	return fd >= 0 || (errno == EPERM && geteuid() != 0);
}

bool kernel_probe_feature(enum kernel_feature f)
{
	switch (f) {
	case KF_BTF: return has_file("/sys/kernel/btf/vmlinux");
	case KF_KPROBE: return has_file("/sys/bus/event_source/devices/kprobe/type");
	case KF_UPROBE: return has_file("/sys/bus/event_source/devices/uprobe/type");
	case KF_UPROBE_MULTI: return kernel_probe_feature(KF_UPROBE) && has_uprobe_multi();
	case KF_KPROBE_MULTI: return kernel_probe_feature(KF_KPROBE) && has_fprobes();
	case KF_UPROBE_SESSION:
		return kernel_probe_feature(KF_UPROBE_MULTI) && has_uprobe_session();
	case KF_KPROBE_SESSION:
		return kernel_probe_feature(KF_KPROBE_MULTI) && has_kprobe_session();
	case KF_FENTRY: /* asked with a function's id */
	case KF_COUNT: break;
	}
	return false;
}

bool kernel_is_at_least(unsigned major, unsigned minor)
{
	unsigned its_major = 0, its_minor = 0;
	struct utsname u;

	if (uname(&u) || sscanf(u.release, "%u.%u", &its_major, &its_minor) != 2)
		return false;
	return its_major > major || (its_major == major && its_minor >= minor);
}
