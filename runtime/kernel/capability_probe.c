/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel has of parser/lang/capabilities.def: a column of hooks. Cheap signs first (a
 * file, a type in BTF); where those do not tell, a program of two instructions is loaded, and
 * attached to a function that the kernel has for tests only.
 */
#include "runtime/kernel/capability_probe.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/kernel/kernel_facts.h"

typedef enum capability_state need_fn(struct kernel *k);

static enum capability_state is(bool yes)
{
	return yes ? CAPABILITY_YES : CAPABILITY_NO;
}

/* A no that may only mean that this process may not ask. */
static enum capability_state is_if_allowed(bool yes)
{
	return yes ? CAPABILITY_YES : geteuid() != 0 ? CAPABILITY_UNKNOWN : CAPABILITY_NO;
}

/* An answer of the kernel's: refused for lack of rights tells nothing, but to root. */
static enum capability_state by_result(int result)
{
	if (result >= 0)
		return CAPABILITY_YES;
	return (errno == EPERM || errno == EACCES) && geteuid() != 0 ? CAPABILITY_UNKNOWN
								     : CAPABILITY_NO;
}

static enum capability_state by_fd(int fd)
{
	enum capability_state state = by_result(fd);

	if (fd >= 0)
		close(fd);
	return state;
}

static enum capability_state has_tracepoints(struct kernel *k)
{
	int fd = kernel_tracefs(k);

	return fd >= 0 ? CAPABILITY_YES : fd == -EACCES ? CAPABILITY_UNKNOWN : CAPABILITY_NO;
}

static enum capability_state has_btf(struct kernel *k)
{
	return is(k->has_feature(k, KF_BTF));
}

static enum capability_state has_raw_tracepoints(struct kernel *k)
{
	return is(k->has_raw_tracepoint(k, "sched_switch"));
}

static enum capability_state has_kprobes(struct kernel *k)
{
	return is(k->has_feature(k, KF_KPROBE));
}

static enum capability_state has_kprobe_multi(struct kernel *k)
{
	return is_if_allowed(k->has_feature(k, KF_KPROBE_MULTI));
}

static enum capability_state has_uprobes(struct kernel *k)
{
	return is(k->has_feature(k, KF_UPROBE));
}

static enum capability_state has_uprobe_multi(struct kernel *k)
{
	return is_if_allowed(k->has_feature(k, KF_UPROBE_MULTI));
}

/* Those that trampolines are attached by: without them nobody has to try. */
static enum capability_state unless_lacking(struct kernel *k, enum capability_state state)
{
	bool has = kernel_btf_id(k, "register_ftrace_direct", BTF_KIND_FUNC) > 0;

	return state == CAPABILITY_UNKNOWN && !has ? CAPABILITY_NO : state;
}

/* Kernels that list the attach type can still be without trampolines: only attaching tells. */
static enum capability_state has_fentry(struct kernel *k)
{
	int id = kernel_btf_id(k, "bpf_fentry_test1", BTF_KIND_FUNC), prog, link;
	enum capability_state state;

	if (id < 0)
		return CAPABILITY_NO;
	prog = kernel_load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, (uint32_t)id);
	if (prog < 0)
		return unless_lacking(k, by_result(prog));
	link = bpf_raw_tracepoint_open(NULL, prog);
	state = by_fd(link);
	close(prog);
	return state;
}

static enum capability_state has_kprobe_session(struct kernel *k)
{
	return is_if_allowed(k->has_feature(k, KF_KPROBE_SESSION));
}

static enum capability_state has_uprobe_session(struct kernel *k)
{
	return is_if_allowed(k->has_feature(k, KF_UPROBE_SESSION));
}

static enum capability_state by_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return by_fd(fd);
}

static enum capability_state has_software(struct kernel *k)
{
	(void)k;
	return by_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

static enum capability_state has_hardware(struct kernel *k)
{
	(void)k;
	return by_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}

static enum capability_state has_breakpoints(struct kernel *k)
{
	(void)k;
	return is(access("/sys/bus/event_source/devices/breakpoint/type", F_OK) == 0);
}

static enum capability_state has_iterators(struct kernel *k)
{
	return is(kernel_btf_id(k, "bpf_iter__task", BTF_KIND_STRUCT) > 0);
}

static enum capability_state by_map(enum bpf_map_type type)
{
	return is_if_allowed(libbpf_probe_bpf_map_type(type, NULL) > 0);
}

static enum capability_state has_ring_buffer(struct kernel *k)
{
	(void)k;
	return by_map(BPF_MAP_TYPE_RINGBUF);
}

static enum capability_state has_task_storage(struct kernel *k)
{
	(void)k;
	return by_map(BPF_MAP_TYPE_TASK_STORAGE);
}

static enum capability_state has_bpf_loop(struct kernel *k)
{
	(void)k;
	return is_if_allowed(
		libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) > 0);
}

static enum capability_state has_function_names(struct kernel *k)
{
	int dir = kernel_tracefs(k);

	if (dir < 0)
		return dir == -EACCES ? CAPABILITY_UNKNOWN : CAPABILITY_NO;
	return is(faccessat(dir, "available_filter_functions", F_OK, 0) == 0 &&
		  k->has_feature(k, KF_KPROBE));
}

static need_fn *const hooks[CAP_COUNT] = {
	[CAP_TRACEPOINTS] = has_tracepoints,
	[CAP_RAW_TRACEPOINTS] = has_raw_tracepoints,
	[CAP_KPROBES] = has_kprobes,
	[CAP_KPROBE_MULTI] = has_kprobe_multi,
	[CAP_KPROBE_SESSION] = has_kprobe_session,
	[CAP_FENTRY] = has_fentry,
	[CAP_UPROBES] = has_uprobes,
	[CAP_UPROBE_MULTI] = has_uprobe_multi,
	[CAP_UPROBE_SESSION] = has_uprobe_session,
	[CAP_SOFTWARE] = has_software,
	[CAP_HARDWARE] = has_hardware,
	[CAP_BREAKPOINTS] = has_breakpoints,
	[CAP_ITERATORS] = has_iterators,
	[CAP_BTF] = has_btf,
	[CAP_RING_BUFFER] = has_ring_buffer,
	[CAP_TASK_STORAGE] = has_task_storage,
	[CAP_BPF_LOOP] = has_bpf_loop,
	[CAP_FUNCTION_NAMES] = has_function_names,
};

enum capability_state capability_probe(struct kernel *k, enum capability_id id)
{
	return id == CAP_NONE ? CAPABILITY_YES : hooks[id](k);
}
