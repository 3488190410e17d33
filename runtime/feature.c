/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel can do, by the cheapest direct answer there is: a file in sysfs, or one bpf(2)
 * call that is bound to fail and says by its error which. No trial loads.
 * Each question is asked anew here; kernel.c keeps the answers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "kernel_facts.h"
#include "ksym.h"
#include "uapi_new.h"

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

bool kernel_probe_fentry(uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = btf_id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "sonde_feature", "GPL", insns,
			       sizeof(insns) / sizeof(*insns), &opts);

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
	case KF_FENTRY: /* asked with a function's id */
	case KF_COUNT: break;
	}
	return false;
}
