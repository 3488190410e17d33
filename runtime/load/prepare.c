/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a session needs before its object exists, and what takes time: the BTF cut-out for CO-RE,
 * the configuration, precreated maps. It is prepared while the compiler works.
 */
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/uapi_new.h"
#include "runtime/load/uprobe_entry.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/ksym_names.h"
#include "runtime/load/precreate.h"
#include "runtime/load/prog_handlers.h"
#include "runtime/session/session.h"
#include "runtime/session/unwind.h"
#include "runtime/load/load.h"
#include "runtime/session/prep.h"
#include "runtime/session/scope.h"
#include <bpf/libbpf.h>
#include <link.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a script needs CO-RE for. */
enum core_group {
	FOR_ALL = 1, /* that need CO-RE */
	FOR_STACKS = 2,
	FOR_CGROUPS = 4,
	FOR_PIDS = 8,
	FOR_PATHS = 16,
	FOR_PACKETS = 32,
	FOR_REASONS = 64,
	FOR_KERNEL_STACKS = 128,
	FOR_INTERRUPTS = 256,
	FOR_END = 512,
};

/* The structs that bpf_helpers/ reads, or reaches through a pointer. */
static const struct {
	const char *name;
	unsigned int groups;
} core_structs[] = {
	{"task_struct", FOR_ALL},
	{"cred", FOR_ALL},
	{"thread_info", FOR_ALL},
	{"pt_regs", FOR_ALL},
	{"mm_struct", FOR_ALL},
	{"xol_area", FOR_ALL},
	{"uprobe_task", FOR_STACKS},
	{"return_instance", FOR_STACKS},
	{"vm_area_struct", FOR_STACKS},
	{"file", FOR_STACKS},
	{"inode", FOR_STACKS | FOR_PATHS},
	{"super_block", FOR_STACKS | FOR_PATHS},
	{"maple_tree", FOR_STACKS},
	{"backing_file", FOR_STACKS},
	{"dentry", FOR_STACKS | FOR_PATHS},
	{"path", FOR_STACKS | FOR_PATHS},
	{"css_set", FOR_CGROUPS},
	{"cgroup", FOR_CGROUPS},
	{"kernfs_node", FOR_CGROUPS},
	{"pid", FOR_PIDS},
	{"upid", FOR_PIDS},
	{"pid_namespace", FOR_PIDS},
	{"ns_common", FOR_PIDS},
	{"xa_node", FOR_PIDS},
	{"fs_struct", FOR_PATHS},
	{"mount", FOR_PATHS},
	{"vfsmount", FOR_PATHS},
	{"file_system_type", FOR_PATHS},
	{"sk_buff", FOR_PACKETS},
	{"cfs_rq", FOR_REASONS | FOR_INTERRUPTS},
	{"kretprobe_instance", FOR_KERNEL_STACKS},
};

static int cut_btf(const struct session_prep *prep, const struct plan *plan, struct kernel *k)
{
	const char *names[sizeof(core_structs) / sizeof(*core_structs)];
	const struct {
		enum core_group group;
		bool is_needed;
	} groups[] = {
		{FOR_ALL, true},
		{FOR_STACKS, plan->needs.ustack},
		{FOR_CGROUPS, plan->needs.cgroup || prep->config.cgroup_id}, /* these are large */
		{FOR_PIDS, prep->config.pid_ns || plan->needs.pids},
		{FOR_PATHS, plan->needs.paths},
		{FOR_PACKETS, plan->needs.packets},
		{FOR_REASONS, plan->needs.reason},
		{FOR_KERNEL_STACKS, plan->needs.kstack},
		{FOR_INTERRUPTS, prep->config.preempt_count != 0},
	};
	unsigned int needed = 0;
	uint32_t n = 0;

	_Static_assert(1 << (sizeof(groups) / sizeof(*groups)) == FOR_END, "one for each group");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		needed |= groups[i].is_needed ? groups[i].group : 0;
	for (size_t i = 0; i < sizeof(core_structs) / sizeof(*core_structs); i++)
		if (core_structs[i].groups & needed)
			names[n++] = core_structs[i].name;
	return kernel_btf_cut(k, names, n);
}

/* Upper bounds of the functions' sizes. They must be tight, since the next function may be a caller
 * (syscall_trace_enter is 80 bytes behind __bpf_trace_sys_enter in 6.1). */
enum {
	TRACE_RUNS = 12,
	TRACE_RUN_BYTES = 0x200,
	TRACEITER_BYTES = 0xd0,
	BPF_TRACE_BYTES = 0x40,
	PERF_TRACE_BYTES = 0x200,
};

/* kallsyms has no sizes. An upper bound will do: only the first frames of a stack are compared. */
static struct sonde_range range_of(uint64_t address, uint64_t bytes)
{
	return (struct sonde_range){address, address ? address + bytes : 0};
}

/* The kernel walks its stacks from inside the program. */
static void warn_hidden(void)
{
	log_warning(
		"kernel.kptr_restrict = 2, or the lack of CAP_SYSLOG, hides the addresses of kernel functions: kernel stacks begin with the tracer's own frames (bpf_trace_run…, __traceiter_…); 'sysctl kernel.kptr_restrict=1' shows them to root");
}

static void set_trace_run(struct sonde_config *config, const uint64_t at[TRACE_RUNS])
{
	uint64_t low = UINT64_MAX, high = 0;

	for (int i = 0; i < TRACE_RUNS; i++) {
		low = at[i] && at[i] < low ? at[i] : low;
		high = at[i] > high ? at[i] : high;
	}
	if (high)
		config->trace_run = (struct sonde_range){low, high + TRACE_RUN_BYTES};
}

/* How kernel stacks of threads that leave the CPU are taken. Recall needs what x86-64 has below the
 * saved registers, and the ranges by which it excludes some stacks. Interrupts are counted for each
 * CPU there; arm64 counts them in the thread. */
#ifdef __x86_64__
static const bool can_recall = true, counts_per_cpu = true;
#else
static const bool can_recall = false, counts_per_cpu = false;
#endif

/* What it has to know of: schedule(), the entry code, and what replaces return addresses. */
static const char *const recall_names[] = {
	"schedule",	     "__entry_text_start",	"__entry_text_end",
	"return_to_handler", "arch_rethook_trampoline", "__kretprobe_trampoline"};
enum { RECALL_NAMES = sizeof(recall_names) / sizeof(*recall_names) };
_Static_assert(RECALL_NAMES == 3 + SONDE_RETURN_TRAMPOLINES, "");

static void set_recall(struct session_prep *prep, struct kernel *k, const uint64_t at[RECALL_NAMES])
{
	struct sonde_config *c = &prep->config;
	int *cast = &prep->kfunc_ids[SONDE_KFUNC_RDONLY_CAST - SONDE_KFUNC_FIRST];
	int id;

	c->schedule = range_of(at[0], ksyms_size(at[0]));
	if (!can_recall || !at[1] || !at[2])
		return;
	c->entry = (struct sonde_range){at[1], at[2]};
	memcpy(c->trampolines, at + 3, sizeof(c->trampolines));
	c->recall = SONDE_RECALL_READ;
	c->checks_recall = getenv("SONDE_CHECK_RECALL") != NULL;
	id = kernel_btf_id(k, "pt_regs", BTF_KIND_STRUCT);
	*cast = id > 0 ? prog_handlers_kfunc(k, SONDE_KFUNC_RDONLY_CAST - SONDE_KFUNC_FIRST) : 0;
	if (*cast > 0) {
		c->pt_regs = (uint32_t)id;
		c->recall = SONDE_RECALL_DIRECT;
	}
}

/* The functions that run before the programs, and what recall has to know. */
static void find_kernel_functions(struct session_prep *prep, const struct plan *plan,
				  struct kernel *k)
{
	char text[TRACE_RUNS][32];
	const char *names[TRACE_RUNS + RECALL_NAMES];
	uint64_t at[TRACE_RUNS + RECALL_NAMES] = {0};
	int err;

	for (int i = 0; i < TRACE_RUNS; i++) {
		snprintf(text[i], sizeof(text[i]), "bpf_trace_run%d", i + 1);
		names[i] = text[i];
	}
	memcpy(names + TRACE_RUNS, recall_names, sizeof(recall_names));
	if (plan->needs.recall)
		prep->config.recall = SONDE_RECALL_NEVER;
	err = ksyms_addresses(names, at, TRACE_RUNS + (plan->needs.recall ? RECALL_NAMES : 0));
	if (err == -EPERM)
		warn_hidden();
	if (err)
		return;
	set_trace_run(&prep->config, at);
	if (plan->needs.recall)
		set_recall(prep, k, at + TRACE_RUNS);
}

static void find_event_frames(struct sonde_config *config, const struct plan *plan)
{
	char text[SONDE_FRAME_COUNT][160];
	const char *names[SONDE_FRAME_COUNT] = {text[0], text[1]};

	for (uint32_t i = 0; i < plan->n_progs && i < SONDE_MAX_PROGS; i++) {
		uint64_t at[SONDE_FRAME_COUNT] = {0};
		bool perf = prog_kind_is(plan->progs[i].kind, PK_RECORD);

		if (!plan->progs[i].event)
			continue;
		snprintf(text[SONDE_FRAME_TRACEITER], sizeof(text[0]), "__traceiter_%s",
			 plan->progs[i].event);
		snprintf(text[SONDE_FRAME_BPF_TRACE], sizeof(text[0]), "%s_%s",
			 perf ? "perf_trace" : "__bpf_trace", plan->progs[i].event);
		if (ksyms_addresses(names, at, SONDE_FRAME_COUNT))
			return;
		config->frames[i][SONDE_FRAME_TRACEITER] =
			range_of(at[SONDE_FRAME_TRACEITER], TRACEITER_BYTES);
		config->frames[i][SONDE_FRAME_BPF_TRACE] =
			range_of(at[SONDE_FRAME_BPF_TRACE],
				 perf ? PERF_TRACE_BYTES : BPF_TRACE_BYTES);
	}
}

/* Libraries are mapped next to each other, later ones below: leave space for more of them. */
enum { LATER_LIBRARIES_BYTES = 256 << 20 };

static int add_own_code(struct dl_phdr_info *object, size_t size, void *ctx)
{
	struct sonde_config *config = ctx;
	bool is_image = config->own_image.bytes == 0; /* the first is the program */
	struct sonde_code *code = is_image ? &config->own_image : &config->own_libraries;

	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uint64_t start = object->dlpi_addr + part->p_vaddr, end = start + part->p_memsz;

		if (part->p_type != PT_LOAD)
			continue;
		if (code->bytes) {
			end = end > code->start + code->bytes ? end : code->start + code->bytes;
			start = start < code->start ? start : code->start;
		}
		*code = (struct sonde_code){start, end - start};
	}
	return 0;
}

/* All code of this process. A system call from any other address is not its own. */
static void find_own_code(struct sonde_config *config)
{
	dl_iterate_phdr(add_own_code, config);
	if (config->own_libraries.bytes > 0) {
		config->own_libraries.start -= LATER_LIBRARIES_BYTES;
		config->own_libraries.bytes += LATER_LIBRARIES_BYTES;
	}
}

static void set_ring(struct sonde_config *config, const struct ring_layout *layout)
{
	config->ring_bytes = layout->bytes;
	config->ring_limit = layout->limit;
	config->ring_index_mask = layout->segments - 1;
	config->ring_offset_mask = layout->segment_bytes - 8;
}

/* Look up what sleepable programs call, while the compiler works. */
static void find_kfuncs(struct session_prep *prep, const struct plan *plan, struct kernel *k)
{
	bool is_needed = false;

	for (uint32_t i = 0; i < plan->n_progs; i++)
		is_needed |= plan->progs[i].is_sleepable;
	for (uint32_t i = SONDE_KFUNC_RCU_READ_LOCK - SONDE_KFUNC_FIRST;
	     is_needed && i < SONDE_KFUNC_COUNT; i++)
		prep->kfunc_ids[i] = prog_handlers_kfunc(k, i);
}

static void set_scope(struct sonde_config *config, const struct trace_scope *scope,
		      const struct scope_found *found)
{
	config->self_tgid = scope->self ? 0 : (uint32_t)getpid();
	config->command_tgid = found->command;
	config->cgroup_id = found->cgroup;
	config->cgroup_first = found->first_level;
	config->cgroup_last = found->last_level;
	if (scope->system || (!found->command && !scope->pid))
		return; /* SONDE_SCOPE_ALL */
	config->scope = found->command	? SONDE_SCOPE_TREE
			: scope->follow ? SONDE_SCOPE_FOLLOW
					: SONDE_SCOPE_PID;
	config->scope_tgid = found->command ?: scope->pid;
}

/* Where a CPU of x86-64 counts its interrupts: a variable of its own, or since 6.2 the member
 * behind the current task in another one, until 6.14. Not all kernels list the addresses of
 * variables. */
static int64_t preempt_count_at(struct kernel *k)
{
	enum { QUEUE, COUNT, HOT, N };
	static const char *const names[N] = {"runqueues", "__preempt_count", "pcpu_hot"};
	int64_t at[N];

	if (kernel_variables(k, names, at, N) || at[QUEUE] < 0)
		return 0;
	if (at[COUNT] >= 0)
		return at[COUNT] - at[QUEUE];
	return at[HOT] < 0 ? 0 : at[HOT] + (int64_t)sizeof(void *) - at[QUEUE];
}

/* While the tracer runs, is an event its own, or does it only happen in an interrupt? */
static void find_preempt_count(struct session_prep *prep, const struct plan *plan, struct kernel *k)
{
	struct sonde_config *c = &prep->config;
	bool is_needed = false;

	for (uint32_t i = 0; i < plan->n_progs; i++)
		is_needed |= prog_kind_interrupts(plan->progs[i].kind);
	if (is_needed && counts_per_cpu && c->self_tgid && c->scope == SONDE_SCOPE_ALL)
		c->preempt_count = preempt_count_at(k);
}

/* How many trails a CPU has. Their memory is taken at the start: 250 KB for each CPU with
 * SONDE_TRAILS, which takes 0.2 ms. */
static uint32_t trails_of_cpu(uint32_t n_cpus)
{
	uint32_t n = SONDE_TRAILS;

	while (n > SONDE_TRAILS_LEAST && (uint64_t)n * n_cpus > SONDE_TRAILS_ALL)
		n /= 2;
	return n;
}

static uint32_t loss_slots(uint32_t n_cpus)
{
	uint32_t n = 1;

	while (n < n_cpus && n < SONDE_LOSS_SLOTS)
		n *= 2;
	return n;
}

void session_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
		     const struct scope_found *found, bool is_interpreted)
{
	*prep = (struct session_prep){.btf_fd = -1, .is_interpreted = is_interpreted};
	set_scope(&prep->config, k->scope, found);
	prep->config.pid_ns = is_interpreted ? 0 : scope_pid_namespace();
	prep->config.start_ns = clock_ns(CLOCK_BOOTTIME);
	prep->config.boot_to_wall_ns = clock_ns(CLOCK_REALTIME) - prep->config.start_ns;
	prep->config.tai_ns = clock_ns(CLOCK_TAI) - prep->config.start_ns;
	find_own_code(&prep->config);
	if (plan->needs.ring_buffer)
		prep->ring = ring_layout(plan, k->n_cpus(k));
	set_ring(&prep->config, &prep->ring);
	prep->config.trails_mask = trails_of_cpu(k->n_cpus(k)) - 1;
	prep->config.loss_mask = loss_slots(k->n_cpus(k)) - 1;
	if (plan->needs.cpus)
		prep->config.n_cpus = (uint32_t)libbpf_num_possible_cpus();
	if (is_interpreted)
		return;
	find_preempt_count(prep, plan, k);
	if (plan_uses_core(plan))
		prep->btf_fd = cut_btf(prep, plan, k);
	if (plan->needs.kstack) {
		find_kernel_functions(prep, plan, k);
		find_event_frames(&prep->config, plan);
	}
	find_kfuncs(prep, plan, k);
	precreate_maps(prep, plan);
	precreate_warm_up(prep, k->n_cpus(k));
	/* last: on two CPUs, its thread would take one from the compiler or from this thread */
	session_unwind_prepare(prep, plan, k, found->program);
	uprobe_entry_move(plan, plan->needs.frame_pointers ||
					(plan->needs.ustack && !prep->config.unwinds));
}

void session_prep_free(struct session_prep *prep)
{
	session_unwind_free(prep);
	precreate_free(prep);
	if (prep->btf_fd >= 0)
		close(prep->btf_fd);
}
