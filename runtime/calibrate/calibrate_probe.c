/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the tracer's own time in calls of a function: one of this program is probed in the same
 * way as the script's, by a program that stores when it begins and ends, and called some times.
 *
 *	floor	from the end of the program at the entry to the beginning of that at the return:
 *		the part of the tracer's time that is in the span itself
 *	call	what the kernel takes for a probed call: from the beginning of the program at its
 *		entry to that at the next call's, less the time without a probe and that of the
 *		programs. Spans around contain it; they also contain the programs' time, which
 *		the programs measure
 *
 * Each call gives one value of both, and the median is taken, so interrupts do not count.
 */
#include "runtime/calibrate/calibrate_probe.h"
#include "runtime/base/vec.h"
#include "runtime/base/clock.h"
#include "runtime/base/own_offset.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/calibrate/calibrate_code.h"
#include "runtime/attach/uprobe_program.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct calibrate_function *function_of(const struct calibrate_probe *p)
{
	return &calibrate_classes[p->class].functions[p->method];
}

/* ---- the program --------------------------------------------------------------------------- */

#define MAP_VALUE(reg, fd) INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_VALUE, 0, fd)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)

/* r6: the time at the beginning; r7: the run's element. */
static int load_program(const struct calibrate_probe *p, uint32_t attach_type)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_ktime_get_ns),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 0, 0, 0),
		MAP_VALUE(1, p->map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 1, 0, 0),
		INSN(BPF_JMP | BPF_JGE | BPF_K, 2, 0, 8, CALIBRATE_RUNS),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 7, 2, 0, 0),
		INSN(BPF_ALU64 | BPF_LSH | BPF_K, 7, 0, 0, 4),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, 7, 1, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, 1),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 1, 2, 0, 0),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 7, 6, offsetof(struct run_log, runs), 0),
		CALL(BPF_FUNC_ktime_get_ns),
		INSN(BPF_STX | BPF_MEM | BPF_DW, 7, 0, offsetof(struct run_log, runs) + 8, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return uprobe_program_load("calibrate", insns, sizeof(insns) / sizeof(*insns), attach_type);
}

static int attach_program(struct calibrate_probe *p, int i, uint32_t attach_type, uint64_t offset,
			  bool is_return)
{
	struct new_link_create attr = {
		.attach_type = attach_type,
		.uprobe_multi.path = (uintptr_t)"/proc/self/exe",
		.uprobe_multi.offsets = (uintptr_t)&offset,
		.uprobe_multi.cnt = 1,
		.uprobe_multi.flags = is_return ? NEW_BPF_F_UPROBE_MULTI_RETURN : 0,
		.uprobe_multi.pid = p->only_process,
	};

	p->progs[i] = load_program(p, attach_type);
	if (p->progs[i] < 0)
		return p->progs[i];
	attr.prog_fd = (uint32_t)p->progs[i];
	p->links[i] = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return p->links[i] < 0 ? -errno : 0;
}

/* The program at the return is attached first, as those of scripts are. */
static int attach(struct calibrate_probe *p, const struct calibrate_function *f)
{
	uint64_t entry = own_offset(f->code), exit = own_offset(f->exit);
	int err;

	if (!entry)
		return -ENOENT;
	switch (p->method) {
	case SONDE_COST_PLAIN:
		return attach_program(p, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
	case SONDE_COST_RETURN:
		return attach_program(p, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, true);
	case SONDE_COST_SESSION:
		return attach_program(p, 0, NEW_BPF_TRACE_UPROBE_SESSION, entry, false);
	case SONDE_COST_PAIR:
		err = attach_program(p, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, true);
		break;
	default:
		if (f->code == f->exit) /* nothing but the return */
			return attach_program(p, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
		err = attach_program(p, 0, NEW_BPF_TRACE_UPROBE_MULTI, exit, false);
		break;
	}
	return err ?: attach_program(p, 1, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
}

static int open_log(struct calibrate_probe *p)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	p->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "calibrate", sizeof(uint32_t), sizeof(*p->log),
				1, &opts);
	if (p->map < 0)
		return p->map;
	p->log = mmap(NULL, sizeof(*p->log), PROT_READ | PROT_WRITE, MAP_SHARED, p->map, 0);
	return p->log == MAP_FAILED ? -errno : 0;
}

/* ---- measuring ----------------------------------------------------------------------------- */

uint64_t calibrate_quantile(uint64_t *values, uint32_t n, uint32_t percent)
{
	qsort(values, n, sizeof(*values), vec_compare_u64);
	return n ? values[n * percent / 100] : 0;
}

static void call_often(void (*code)(void), uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		code();
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* How long a call takes without a probe: the least of some batches. */
static uint64_t plain_ns(void (*code)(void))
{
	uint64_t least = UINT64_MAX, begin, ns;

	for (int i = 0; i < 5; i++) {
		begin = monotonic_ns();
		call_often(code, CALIBRATE_CALLS);
		ns = monotonic_ns() - begin;
		least = ns < least ? ns : least;
	}
	return least / CALIBRATE_CALLS;
}

/* Runs of a call: one, if only the entry has a program, or is the exit; else two. */
static uint32_t runs_of(const struct calibrate_probe *p)
{
	const struct calibrate_function *f = function_of(p);

	return p->method == SONDE_COST_PLAIN || p->method == SONDE_COST_RETURN ||
			       (p->method == SONDE_COST_EXITS && f->code == f->exit)
		       ? 1
		       : 2;
}

/* Those that the kernel single-steps take ten times as long. */
static uint32_t calls_of(const struct calibrate_probe *p)
{
	return p->class == SONDE_COST_STEP ? CALIBRATE_FEW : CALIBRATE_CALLS;
}

int calibrate_probe_measure(const struct calibrate_probe *p, struct calibrate_batch *out)
{
	uint32_t runs = runs_of(p), n = calls_of(p);
	uint64_t floors[CALIBRATE_CALLS], calls[CALIBRATE_CALLS], own, period;
	const struct run_log *log = p->log;

	p->log->n = 0;
	call_often(function_of(p)->code, n + 1);
	if (log->n != (uint64_t)runs * (n + 1))
		return -ENODATA;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i * runs, last = at + runs - 1;

		own = log->runs[at].end_ns - log->runs[at].begin_ns;
		if (runs > 1)
			own += log->runs[last].end_ns - log->runs[last].begin_ns;
		period = log->runs[at + runs].begin_ns - log->runs[at].begin_ns;
		floors[i] = runs > 1 ? log->runs[last].begin_ns - log->runs[at].end_ns : 0;
		calls[i] = less(period, own + p->plain_ns);
	}
	out->cost.floor_ns = calibrate_quantile(floors, n, 50);
	out->cost.call_ns = calibrate_quantile(calls, n, 50) ?: 1;
	out->range_ns = floors[n * 95 / 100] - floors[n * 5 / 100]; /* sorted */
	return 0;
}

int calibrate_probe_open(struct calibrate_probe *p, struct kernel *k, enum sonde_cost_method method,
			 uint64_t class)
{
	const struct calibrate_function *f = &calibrate_classes[class].functions[method];
	int err;

	*p = (struct calibrate_probe){.method = method,
				      .class = class,
				      .plain_ns = plain_ns(f->code),
				      .only_process = kernel_has(k, CAP_UPROBE_PROCESS)
							      ? (uint32_t)getpid()
							      : 0,
				      .map = -1,
				      .progs = {-1, -1},
				      .links = {-1, -1}};
	err = open_log(p) ?: attach(p, f);
	if (!err) /* the kernel may replace the breakpoint at the first calls */
		call_often(f->code, CALIBRATE_FEW);
	return err;
}

void calibrate_probe_close(struct calibrate_probe *p)
{
	for (int i = 0; i < 2; i++) {
		if (p->links[i] >= 0)
			close(p->links[i]);
		if (p->progs[i] >= 0)
			close(p->progs[i]);
	}
	if (p->log && p->log != MAP_FAILED)
		munmap(p->log, sizeof(*p->log));
	if (p->map >= 0)
		close(p->map);
}
