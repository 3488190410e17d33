/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The probe column of parser/lang/capabilities.def. Each uses the cheapest direct test: a file in
 * sysfs, a type in BTF, or one bpf(2) call that is bound to fail and whose errno tells. Only where
 * there is no such test is a program of two instructions loaded. A refusal for lack of rights is
 * CAPABILITY_UNKNOWN, except to root.
 */
#include "runtime/kernel/kernel_impl.h"
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/base/hold_cpu.h"
#include "runtime/base/thread.h"
#include "runtime/base/uapi_new.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/ksym_names.h"

/* ---- answers ---- */

static enum capability_state yes_or_no(bool yes)
{
	return yes ? CAPABILITY_YES : CAPABILITY_NO;
}

/* For probes whose failure may mean that this process lacks the rights. */
static enum capability_state if_allowed(bool yes)
{
	return yes ? CAPABILITY_YES : geteuid() != 0 ? CAPABILITY_UNKNOWN : CAPABILITY_NO;
}

/* `result` is a descriptor, or the kernel refused the call with errno. */
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

static enum capability_state by_file(const char *path)
{
	return yes_or_no(access(path, F_OK) == 0);
}

static enum capability_state by_tracefs(int dir)
{
	return dir >= 0 ? CAPABILITY_YES : dir == -EACCES ? CAPABILITY_UNKNOWN : CAPABILITY_NO;
}

static enum capability_state by_map(enum bpf_map_type type)
{
	return if_allowed(libbpf_probe_bpf_map_type(type, NULL) > 0);
}

static enum capability_state by_helper(enum bpf_func_id id)
{
	return if_allowed(libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, id, NULL) > 0);
}

/* True when the kernel has a global function of that name. Its address may be hidden. */
static bool has_function(struct kernel *k, const char *name)
{
	uint64_t address = 0;

	return (ksyms_addresses(&name, &address, 1) == 0 && address) ||
	       kernel_btf_id(k, name, BTF_KIND_FUNC) > 0;
}

/* Load a program that does nothing. Its descriptor, or -1 and errno. */
static int load_nothing(enum bpf_prog_type type, uint32_t attach_type, uint32_t btf_id)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type,
		    .attach_btf_id = btf_id);

	return bpf_prog_load(type, "sonde_probe", "GPL", insns, sizeof(insns) / sizeof(*insns),
			     &opts);
}

/* By a program that adds to a word of its stack and fetches the old value. */
static enum capability_state has_atomics(void)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8},
		{.code = BPF_STX | BPF_ATOMIC | BPF_DW,
		 .dst_reg = BPF_REG_10,
		 .off = -8,
		 .imm = BPF_ADD | BPF_FETCH},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K},
		{.code = BPF_JMP | BPF_EXIT},
	};

	return by_fd(bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "sonde_probe", "GPL", insns,
				   sizeof(insns) / sizeof(*insns), NULL));
}

/* ---- probes on functions ---- */

static enum capability_state has_function_names(struct kernel *k)
{
	int dir = kernel_tracefs(k);

	if (dir < 0)
		return by_tracefs(dir);
	return yes_or_no(faccessat(dir, "available_filter_functions", F_OK, 0) == 0 &&
			 kernel_has(k, CAP_KPROBES));
}

/* A trial load on a function that every kernel has. Kernels without direct calls of ftrace can load
 * the program but not attach it; for those the load is not enough. Attaching would tell as well,
 * but detaching waits for an RCU tasks grace period. */
static enum capability_state has_fentry(struct kernel *k)
{
	static const char register_direct[] = "register_ftrace_direct";
	int id = kernel_btf_id(k, "vfs_read", BTF_KIND_FUNC);
	enum capability_state state;

	if (id <= 0)
		return CAPABILITY_NO;
	state = by_fd(load_nothing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, (uint32_t)id));
	if (state == CAPABILITY_YES)
		return yes_or_no(has_function(k, register_direct));
	if (state == CAPABILITY_UNKNOWN && kernel_btf_id(k, register_direct, BTF_KIND_FUNC) <= 0)
		return CAPABILITY_NO;
	return state;
}

/* BPF_LINK_CREATE first requires the bytes after its last field to be zero (-EINVAL) and then looks
 * at prog_fd (-EBADF). Before 6.6 the last field ended where uprobe_multi.cnt begins, so a nonzero
 * cnt and an invalid prog_fd tell the two apart. Loading a program of attach type 48 would not: 6.1
 * accepts it. */
static bool knows_uprobe_multi(void)
{
	struct new_link_create attr = {
		.prog_fd = -1,
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.cnt = 1,
	};

	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 && errno == EBADF;
}

/* `attr` asks for more functions than any link may have: a kernel that knows the attach type
 * answers -E2BIG, one that does not answers -EINVAL. */
static bool knows_link(void *attr, size_t size, uint32_t *prog_fd, uint32_t attach_type)
{
	int fd = load_nothing(BPF_PROG_TYPE_KPROBE, attach_type, 0);
	bool knows;

	if (fd < 0)
		return false;
	*prog_fd = (uint32_t)fd;
	knows = syscall(SYS_bpf, BPF_LINK_CREATE, attr, size) < 0 && errno == E2BIG;
	close(fd);
	return knows;
}

struct other_thread {
	pid_t tid;
	pthread_barrier_t known, end;
};

static void *stay(void *arg)
{
	struct other_thread *t = arg;

	t->tid = gettid();
	pthread_barrier_wait(&t->known);
	pthread_barrier_wait(&t->end);
	return NULL;
}

/* Does the pid of a link stand for a process? It stood for a thread, before a correction in 6.10
 * that older kernels got later: then the number of a thread is accepted, and the bad address of the
 * offsets is what fails. */
static bool knows_uprobe_process(void)
{
	int fd = load_nothing(BPF_PROG_TYPE_KPROBE, NEW_BPF_TRACE_UPROBE_MULTI, 0);
	struct new_link_create attr = {
		.prog_fd = (uint32_t)fd,
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.path = (uintptr_t)"/proc/self/exe",
		.uprobe_multi.offsets = 1,
		.uprobe_multi.cnt = 1,
	};
	struct other_thread t = {.tid = 0};
	pthread_t thread;
	bool knows = false;

	pthread_barrier_init(&t.known, NULL, 2);
	pthread_barrier_init(&t.end, NULL, 2);
	if (fd >= 0 && !thread_start(&thread, NULL, stay, &t)) {
		pthread_barrier_wait(&t.known);
		attr.uprobe_multi.pid = (uint32_t)t.tid;
		knows = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 &&
			errno == ESRCH;
		pthread_barrier_wait(&t.end);
		pthread_join(thread, NULL);
	}
	pthread_barrier_destroy(&t.known);
	pthread_barrier_destroy(&t.end);
	if (fd >= 0)
		close(fd);
	return knows;
}

static bool knows_uprobe_session(void)
{
	uint64_t offset = 0;
	struct new_link_create attr = {
		.attach_type = NEW_BPF_TRACE_UPROBE_SESSION,
		.uprobe_multi.path = (uintptr_t)"/",
		.uprobe_multi.offsets = (uintptr_t)&offset,
		.uprobe_multi.cnt = INT32_MAX,
	};

	return knows_link(&attr, sizeof(attr), &attr.prog_fd, attr.attach_type);
}

/* On arm64, 7.3 has them, but where both ends of a call are probed its programs miss each event. */
static enum capability_state has_kprobe_multi(struct kernel *k)
{
#ifdef __aarch64__
	return CAPABILITY_NO;
#else
	return if_allowed(has_function(k, "register_fprobe_syms"));
#endif
}

static bool knows_kprobe_session(void)
{
	uint64_t address = 0;
	union bpf_attr attr = {
		.link_create.attach_type = NEW_BPF_TRACE_KPROBE_SESSION,
		.link_create.kprobe_multi.addrs = (uintptr_t)&address,
		.link_create.kprobe_multi.cnt = INT32_MAX,
	};

	return knows_link(&attr, sizeof(attr.link_create), &attr.link_create.prog_fd,
			  attr.link_create.attach_type);
}

/* A program that is preempted misses the events of other threads on its CPU. The function came with
 * the changes that allow it. */
static enum capability_state preempts_raw(struct kernel *k)
{
	return yes_or_no(kernel_btf_id(k, "trace_call_bpf_faultable", BTF_KIND_FUNC) > 0);
}

/* ---- perf events ---- */

static enum capability_state by_event(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = 1,
	};

	return by_fd((int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

/* A breakpoint with a program must see a store once. */
static enum capability_state sees_a_store_once(void)
{
	int prog = load_nothing(BPF_PROG_TYPE_PERF_EVENT, 0, 0), hits;

	if (prog < 0)
		return by_result(prog);
	hits = breakpoint_trial(prog);
	close(prog);
	if (hits >= 0 || hits == -ENOSPC)
		return yes_or_no(hits == 1 || hits == -ENOSPC);
	errno = -hits;
	return hits == -ETIME ? CAPABILITY_UNKNOWN : by_result(-1);
}

static enum capability_state has_breakpoints(void)
{
	enum capability_state state = by_file("/sys/bus/event_source/devices/breakpoint/type");

	return state == CAPABILITY_YES ? sees_a_store_once() : state;
}

/* ---- programs that may sleep ---- */

enum { STACK_WORD = -8 };

#define INSN(...) ((struct bpf_insn){__VA_ARGS__})
#define SET(reg, value) \
	INSN(.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (int)(value))
#define MOVE(to, from) INSN(.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from))
#define CALL(how, what) INSN(.code = BPF_JMP | BPF_CALL, .src_reg = (how), .imm = (int)(what))
#define TO_STACK(reg)          \
	MOVE(reg, BPF_REG_10), \
		INSN(.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (reg), .imm = STACK_WORD)
#define EXIT INSN(.code = BPF_JMP | BPF_EXIT)

static enum capability_state by_sleepable(const struct bpf_insn *insns, size_t n)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);

	return by_fd(bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sonde_probe", "GPL", insns, n, &opts));
}

static enum capability_state has_sleepable_uprobes(void)
{
	const struct bpf_insn insns[] = {
		TO_STACK(BPF_REG_1), SET(BPF_REG_2, 1),
		SET(BPF_REG_3, 0),   CALL(0, BPF_FUNC_copy_from_user),
		SET(BPF_REG_0, 0),   EXIT,
	};

	return by_sleepable(insns, sizeof(insns) / sizeof(*insns));
}

/* By a program that calls the helper for stacks and a function in an RCU section. */
static enum capability_state has_sleepable_bodies(struct kernel *k)
{
	const int lock = kernel_btf_id(k, "bpf_rcu_read_lock", BTF_KIND_FUNC);
	const int unlock = kernel_btf_id(k, "bpf_rcu_read_unlock", BTF_KIND_FUNC);
	const struct bpf_insn insns[] = {
		MOVE(BPF_REG_6, BPF_REG_1),
		CALL(BPF_PSEUDO_KFUNC_CALL, lock),
		MOVE(BPF_REG_1, BPF_REG_6),
		TO_STACK(BPF_REG_2),
		SET(BPF_REG_3, sizeof(uint64_t)),
		SET(BPF_REG_4, BPF_F_USER_STACK),
		CALL(0, BPF_FUNC_get_stack),
		CALL(BPF_PSEUDO_CALL, 3),
		CALL(BPF_PSEUDO_KFUNC_CALL, unlock),
		SET(BPF_REG_0, 0),
		EXIT,
		SET(BPF_REG_0, 0), /* the function */
		EXIT,
	};

	if (lock <= 0 || unlock <= 0)
		return CAPABILITY_NO;
	return by_sleepable(insns, sizeof(insns) / sizeof(*insns));
}

/* ---- maps and helpers ---- */

/* May a kprobe program call the helper? libbpf's probe does not know how kernels since 6.8 refuse a
 * helper that exists elsewhere. The load fails in any case: arguments are missing. */
static enum capability_state by_kprobe_helper(enum bpf_func_id id)
{
	const struct bpf_insn insns[] = {
		{.code = BPF_JMP | BPF_CALL, .imm = id},
		{.code = BPF_JMP | BPF_EXIT},
	};
	char log[1024] = "";
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .log_buf = log, .log_size = sizeof(log),
		    .log_level = 1);
	int fd = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "sonde_probe", "GPL", insns,
			       sizeof(insns) / sizeof(*insns), &opts);

	if (fd >= 0)
		close(fd);
	return if_allowed(fd >= 0 ||
			  (*log && !strstr(log, "unknown func") && !strstr(log, "invalid func") &&
			   !strstr(log, "cannot use helper")));
}

/* By a program that sleeps. It can use the store of stacks, a hash that is not preallocated, since
 * the kernel has this struct. */
static enum capability_state has_unwind_other(struct kernel *k)
{
	return yes_or_no(kernel_has(k, CAP_UNWIND) &&
			 kernel_btf_id(k, "bpf_copy_from_user_task", BTF_KIND_FUNC) > 0 &&
			 kernel_btf_id(k, "bpf_mem_alloc", BTF_KIND_STRUCT) > 0);
}

/* A map of task storage with values of `bytes`, or -1 and errno. Such a map needs BTF. */
static int state_map(uint32_t bytes)
{
	struct btf *btf = btf__new_empty();
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_NO_PREALLOC);
	int key, byte, fd = -1;

	if (!btf)
		return -1;
	key = btf__add_int(btf, "int", sizeof(int), BTF_INT_SIGNED);
	byte = btf__add_int(btf, "char", 1, BTF_INT_CHAR);
	opts.btf_key_type_id = (uint32_t)key;
	opts.btf_value_type_id = (uint32_t)btf__add_array(btf, key, byte, bytes);
	if (!btf__load_into_kernel(btf)) {
		opts.btf_fd = (uint32_t)btf__fd(btf);
		fd = bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "sonde_probe", sizeof(int), bytes, 0,
				    &opts);
	}
	btf__free(btf);
	return fd;
}

/* By a larger one, for this thread. */
static enum capability_state limits_states(void)
{
	static char state[16384];
	int map = state_map(sizeof(state)), thread = (int)syscall(SYS_pidfd_open, getpid(), 0);
	enum capability_state answer = CAPABILITY_UNKNOWN;

	if (map >= 0 && thread >= 0) {
		if (!bpf_map_update_elem(map, &thread, state, BPF_NOEXIST))
			answer = CAPABILITY_NO;
		else if (errno == ENOMEM || errno == E2BIG)
			answer = CAPABILITY_YES;
	} else if (errno == E2BIG) {
		answer = CAPABILITY_YES;
	}
	if (thread >= 0)
		close(thread);
	if (map >= 0)
		close(map);
	return answer;
}

enum capability_state capability_probe(struct kernel *k, enum capability_id id)
{
	enum capability_state needed;

	switch (id) {
#define CAPABILITY(id_, name_, from_, since_, purpose_, needs_, probe_) \
	case CAP_##id_:                                                 \
		needed = kernel_capability(k, CAP_##needs_);            \
		return needed == CAPABILITY_YES ? probe_ : needed;
#include "parser/lang/capabilities.def"
	case CAP_COUNT: break;
	}
	return CAPABILITY_UNKNOWN;
}
