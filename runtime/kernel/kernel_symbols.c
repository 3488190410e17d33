/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of kernel symbols, IDs of cgroups, which kernel functions programs may call, the
 * version and the CPUs. Each is looked up when a script asks for it.
 */
#include "runtime/kernel/kernel_impl.h"
#include "runtime/base/cpu_list.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/ksym_names.h"
#include "runtime/kernel/release.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static int live_kernel_symbol(struct kernel *k, const char *name, uint64_t *address)
{
	int err;

	*address = 0;
	err = ksyms_addresses(&name, address, 1);
	return err ?: *address ? 0 : -ENOENT;
}

/* The inode of a directory of cgroups is its ID. */
static int live_cgroup_id(struct kernel *k, const char *path, uint64_t *id)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	struct statfs fs;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstatfs(fd, &fs) || fstat(fd, &st))
		err = -errno;
	else if ((unsigned long)fs.f_type != CGROUP2_SUPER_MAGIC &&
		 (unsigned long)fs.f_type != CGROUP_SUPER_MAGIC)
		err = -EINVAL;
	else
		*id = st.st_ino;
	close(fd);
	return err;
}

enum { LOG_BYTES = 4096 };

/* The type of any function or raw tracepoint to which a typed program can be attached. */
static int any_target(struct kernel *k, enum bpf_attach_type attach)
{
	if (attach == BPF_TRACE_RAW_TP)
		return kernel_btf_id(k, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	return kernel_btf_id(k, attach == BPF_TRACE_ITER ? "bpf_iter_task" : "vfs_read",
			     BTF_KIND_FUNC);
}

/* Load a program that calls it without arguments: the verifier says that the call is not allowed
 * before it looks at these. */
static bool live_kfunc_allowed(struct kernel *k, const char *name, const char *section)
{
	int id = kernel_btf_id(k, name, BTF_KIND_FUNC), fd;
	const struct bpf_insn insns[] = {
		{.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_KFUNC_CALL, .imm = id},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	char log[LOG_BYTES] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = sizeof(log),
		    .log_level = 1);
	enum bpf_prog_type type;

	if (id <= 0 || libbpf_prog_type_by_name(section, &type, &opts.expected_attach_type))
		return false;
	if (type == BPF_PROG_TYPE_TRACING)
		opts.attach_btf_id = (uint32_t)any_target(k, opts.expected_attach_type);
	fd = bpf_prog_load(type, "sonde_probe", "GPL", insns, sizeof(insns) / sizeof(*insns),
			   &opts);
	if (fd >= 0)
		close(fd);
	return fd >= 0 || (*log && !strstr(log, "not allowed") && !strstr(log, "not supported"));
}

static uint32_t live_version(struct kernel *k)
{
	return release_running();
}

/* One more than the highest number of a possible CPU. */
static uint32_t live_n_cpus(struct kernel *k)
{
	struct cpu_list cpus = {0};
	uint32_t n = 1;

	if (!cpu_list_possible(&cpus))
		n = cpus.items[cpus.n - 1] + 1;
	vec_free(&cpus);
	return n;
}

void kernel_symbols_init(struct kernel *k)
{
	k->kernel_symbol = live_kernel_symbol;
	k->cgroup_id = live_cgroup_id;
	k->kfunc_allowed = live_kfunc_allowed;
	k->version = live_version;
	k->n_cpus = live_n_cpus;
}
