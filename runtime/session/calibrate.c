/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration of spans of user functions: functions of this file are probed in the same way as the
 * script's, by a program that stores when it begins and ends, and are called some thousand times.
 *
 *	floor	from the end of the program at the entry to the beginning of that at the return:
 *		the part of the tracer's time that is in the span itself
 *	call	what the kernel takes for a probed call: the call's time less that without a probe
 *		and that of the programs. Spans around contain it; they also contain the programs'
 *		time, which the programs measure
 *
 * Both depend on what the kernel does with the probed instruction (the class), and on how both ends
 * are attached (enum sonde_cost_method). Medians, so that interrupts do not count. Of `call` the
 * lower quartile: it is subtracted once for each call inside, and on a busy machine too little is
 * better than too much.
 */
#define _GNU_SOURCE
#include "runtime/session/calibrate.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/uapi_new.h"
#include "runtime/elf/uprobe_insn.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/session/calibrate_code.h"
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	ROUNDS = 64,   /* calls of a batch */
	BATCHES = 255, /* at most */
	LOG_RUNS = 2 * ROUNDS,
	MOST_NS = 20000000, /* no further batch after this time */
};

/* What the program writes: the beginning and the end of each of its runs. */
struct run_log {
	uint64_t n, unused;
	struct {
		uint64_t begin_ns, end_ns;
	} runs[LOG_RUNS];
};

struct calibration {
	enum sonde_cost_method method;
	uint64_t class;
	int map, progs[2], links[2];
	struct run_log *log;
	uint64_t floors[BATCHES], calls[BATCHES];
	uint32_t n_batches;
};

/* ---- the program --------------------------------------------------------------------------- */

#define INSN(c, d, s, o, i)                                                         \
	(struct bpf_insn)                                                           \
	{                                                                           \
		.code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) \
	}
#define MAP_VALUE(reg, fd) INSN(BPF_LD | BPF_DW | BPF_IMM, reg, BPF_PSEUDO_MAP_VALUE, 0, fd)
#define CALL(helper) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)

/* r6: the time at the beginning; r7: the run's element. */
static int load_program(const struct calibration *c, uint32_t attach_type)
{
	const struct bpf_insn insns[] = {
		CALL(BPF_FUNC_ktime_get_ns),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, 6, 0, 0, 0),
		MAP_VALUE(1, c->map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_DW, 2, 1, 0, 0),
		INSN(BPF_JMP | BPF_JGE | BPF_K, 2, 0, 8, LOG_RUNS),
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
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = (enum bpf_attach_type)attach_type);

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "calibrate", "GPL", insns,
			     sizeof(insns) / sizeof(*insns), &opts);
}

static int attach_program(struct calibration *c, int i, uint32_t attach_type, uint64_t offset,
			  bool is_return)
{
	struct new_link_create attr = {
		.attach_type = attach_type,
		.uprobe_multi.path = (uintptr_t)"/proc/self/exe",
		.uprobe_multi.offsets = (uintptr_t)&offset,
		.uprobe_multi.cnt = 1,
		.uprobe_multi.flags = is_return ? NEW_BPF_F_UPROBE_MULTI_RETURN : 0,
		.uprobe_multi.pid = kernel_is_at_least(6, 10) ? (uint32_t)getpid() : 0,
	};

	c->progs[i] = load_program(c, attach_type);
	if (c->progs[i] < 0)
		return c->progs[i];
	attr.prog_fd = (uint32_t)c->progs[i];
	c->links[i] = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return c->links[i] < 0 ? -errno : 0;
}

/* The program at the return is attached first, as those of scripts are. */
static int attach(struct calibration *c, const struct calibrate_function *f)
{
	uint64_t entry = calibrate_offset(f->code), exit = calibrate_offset(f->exit);
	int err;

	if (!entry)
		return -ENOENT;
	switch (c->method) {
	case SONDE_COST_PLAIN:
		return attach_program(c, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
	case SONDE_COST_SESSION:
		return attach_program(c, 0, NEW_BPF_TRACE_UPROBE_SESSION, entry, false);
	case SONDE_COST_PAIR:
		err = attach_program(c, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, true);
		break;
	default:
		if (f->code == f->exit) /* nothing but the return */
			return attach_program(c, 0, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
		err = attach_program(c, 0, NEW_BPF_TRACE_UPROBE_MULTI, exit, false);
		break;
	}
	return err ?: attach_program(c, 1, NEW_BPF_TRACE_UPROBE_MULTI, entry, false);
}

static int open_log(struct calibration *c)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	c->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "calibrate", sizeof(uint32_t), sizeof(*c->log),
				1, &opts);
	if (c->map < 0)
		return c->map;
	c->log = mmap(NULL, sizeof(*c->log), PROT_READ | PROT_WRITE, MAP_SHARED, c->map, 0);
	return c->log == MAP_FAILED ? -errno : 0;
}

/* ---- measuring ----------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The value below which are `percent` of the others. */
static uint64_t quantile(uint64_t *values, uint32_t n, uint32_t percent)
{
	qsort(values, n, sizeof(*values), compare);
	return n ? values[n * percent / 100] : 0;
}

/* Nanoseconds of ROUNDS calls, with those of a reading of the clock. */
static uint64_t call_often(void (*code)(void))
{
	uint64_t begin = monotonic_ns();

	for (int i = 0; i < ROUNDS; i++)
		code();
	return monotonic_ns() - begin;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* How long the same calls take without a probe: the least of some batches. */
static uint64_t plain_ns(void (*code)(void))
{
	uint64_t least = UINT64_MAX, ns;

	for (int i = 0; i < 5; i++) {
		ns = call_often(code);
		least = ns < least ? ns : least;
	}
	return least;
}

/* Runs of a call: one, if only the entry has a program, or is the exit; else two. */
static uint32_t runs_of(const struct calibration *c, const struct calibrate_function *f)
{
	return c->method == SONDE_COST_PLAIN ||
			       (c->method == SONDE_COST_EXITS && f->code == f->exit)
		       ? 1
		       : 2;
}

static void measure_batch(struct calibration *c, const struct calibrate_function *f, uint64_t plain)
{
	uint32_t per_call = runs_of(c, f);
	uint64_t floors[ROUNDS], whole, inside = 0;
	uint32_t n;

	c->log->n = 0;
	whole = less(call_often(f->code), plain);
	n = (uint32_t)c->log->n;
	if (n != per_call * ROUNDS)
		return;
	for (uint32_t i = 0; i < n; i++)
		inside += c->log->runs[i].end_ns - c->log->runs[i].begin_ns;
	for (uint32_t i = 0; i < ROUNDS && per_call == 2; i++)
		floors[i] = c->log->runs[2 * i + 1].begin_ns - c->log->runs[2 * i].end_ns;
	c->floors[c->n_batches] = per_call == 2 ? quantile(floors, ROUNDS, 50) : 0;
	c->calls[c->n_batches++] = less(whole, inside) / ROUNDS;
}

static int measure(struct calibration *c, struct sonde_cost *cost)
{
	const struct calibrate_function *f = &calibrate_functions[c->class];
	uint64_t plain = plain_ns(f->code), end;
	int err = open_log(c) ?: attach(c, f);

	if (err)
		return err;
	call_often(f->code); /* the kernel may replace the breakpoint at the first calls */
	end = monotonic_ns() + MOST_NS;
	for (int i = 0; i < BATCHES && monotonic_ns() < end; i++)
		measure_batch(c, f, plain);
	if (!c->n_batches)
		return -ENODATA;
	cost->floor_ns = quantile(c->floors, c->n_batches, 50);
	cost->call_ns = quantile(c->calls, c->n_batches, 25) ?: 1;
	return 0;
}

static void close_all(struct calibration *c)
{
	for (int i = 0; i < 2; i++) {
		if (c->links[i] >= 0)
			close(c->links[i]);
		if (c->progs[i] >= 0)
			close(c->progs[i]);
	}
	if (c->log && c->log != MAP_FAILED)
		munmap(c->log, sizeof(*c->log));
	if (c->map >= 0)
		close(c->map);
}

static int calibrate(enum sonde_cost_method method, uint64_t class, struct sonde_cost *cost)
{
	struct calibration c = {
		.method = method, .class = class, .map = -1, .progs = {-1, -1}, .links = {-1, -1}};
	int err = measure(&c, cost);

	close_all(&c);
	return err;
}

/* Where a program is at each exit, the exits have costs of their own: those of a return are not
 * counted at the entry. */
static int calibrate_exits(struct session *s, uint64_t class)
{
	struct sonde_cost *costs = s->control->costs[SONDE_COST_EXITS];
	int err = 0;

	if (!costs[SONDE_COST_RET].call_ns)
		err = calibrate(SONDE_COST_EXITS, SONDE_COST_RET, &costs[SONDE_COST_RET]);
	if (err || class == SONDE_COST_RET)
		return err;
	err = calibrate(SONDE_COST_EXITS, class, &costs[class]);
	if (!err)
		costs[class].call_ns =
			less(costs[class].call_ns, costs[SONDE_COST_RET].call_ns) ?: 1;
	return err;
}

/* ---- programs of the script ---------------------------------------------------------------- */

uint64_t calibrate_class(const uint8_t *c, size_t n)
{
	enum sonde_cost_class class = SONDE_COST_STEP;

#ifdef __x86_64__
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

	if (n >= sizeof(nop5) && memcmp(c, nop5, sizeof(nop5)) == 0)
		class = SONDE_COST_NOP5;
	else if (n && c[0] == 0xc3)
		class = SONDE_COST_RET;
	else if (n && c[0] == 0x90)
		class = SONDE_COST_NOP;
	else if (uprobe_insn_is_cheap(c, n))
		class = c[0] == 0x41 || (c[0] & 0xf8) == 0x50 ? SONDE_COST_PUSH : SONDE_COST_JUMP;
#else
	(void)c;
	(void)n;
#endif
	return (uint64_t)class << SONDE_COST_BIT;
}

/* How the ends of the spans are attached that the program begins or ends. */
static enum sonde_cost_method method_of(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	const struct plan_prog *end = g;

	if (prog_kind_is(g->kind, PK_SESSION))
		return SONDE_COST_SESSION;
	if (g->n_probes && !s->plan->probes[g->probes[0]].state.kind)
		return SONDE_COST_PLAIN;
	if (!g->n_probes && g->n_starts)
		end = &s->plan->progs[s->plan->probes[g->starts[0]].prog];
	return prog_kind_is(end->kind, PK_RETURN) ? SONDE_COST_PAIR : SONDE_COST_EXITS;
}

static void report_impossible(struct session *s, int err)
{
	if (!s->is_calibration_impossible)
		log_warning(
			"calibration: not possible here: %s; 'delta' contains the tracer's own time",
			err == -EOPNOTSUPP ? "this kernel has no uprobe_multi links (6.6)"
					   : strerror(-err));
	s->is_calibration_impossible = true;
}

void calibrate_prog(struct session *s, uint32_t prog, uint64_t cookie)
{
	enum sonde_cost_method method = method_of(s, prog);
	uint64_t class = cookie >> SONDE_COST_BIT;
	struct sonde_cost *cost = &s->control->costs[method][class];
	int err = -EOPNOTSUPP;

	if (cost->call_ns || s->is_calibration_impossible)
		return;
	if (kernel_has(s->kernel, CAP_UPROBE_MULTI))
		err = method == SONDE_COST_EXITS ? calibrate_exits(s, class)
						 : calibrate(method, class, cost);
	if (err)
		report_impossible(s, err);
}

static const char *const methods[] = {
	[SONDE_COST_SESSION] = "",
	[SONDE_COST_PAIR] = ", with a program at each end",
	[SONDE_COST_EXITS] = ", with programs at return instructions",
	[SONDE_COST_PLAIN] = "", /* it has no floor, so it is not reported */
};

static bool is_call(const struct plan_span *s)
{
	return s->kind == SPAN_RETURN || s->kind == SPAN_GOROUTINE;
}

/* Spans of calls that are measured as they are: those of kernel functions. */
static bool has_others(const struct plan *p)
{
	for (uint32_t i = 0; i < p->n_probes; i++)
		if (is_call(&p->probes[i].state) && !p->probes[i].state.before)
			return true;
	return false;
}

static void report_one(const struct sonde_cost *c, const char *instruction, const char *method)
{
	log_info("calibration: %llu ns of the tracer's own time are subtracted from each call, and "
		 "%llu ns and the time of programs for each traced call inside it (functions that "
		 "begin with %s%s)",
		 (unsigned long long)c->floor_ns, (unsigned long long)c->call_ns, instruction,
		 method);
}

void calibrate_report(const struct session *s)
{
	uint32_t n = 0;

	if (!s->plan->config.calibrate || !s->control)
		return;
	for (uint32_t i = 0; i < SONDE_COST_METHODS; i++)
		for (uint32_t j = 0; j < SONDE_COST_CLASSES; j++)
			if (s->control->costs[i][j].floor_ns) {
				report_one(&s->control->costs[i][j], calibrate_functions[j].name,
					   methods[i]);
				n++;
			}
	if (has_others(s->plan))
		log_info("calibration: not possible for functions of the kernel: their 'delta' "
			 "contains the tracer's own time");
	else if (!n && !s->is_calibration_impossible)
		log_info("calibration: nothing to subtract: no 'delta' is that of a function of a "
			 "program");
}

/* Has the floor changed by more than a sixth since the start? Then other programs use the CPUs in
 * another way, and what was subtracted is not what should have been. */
static void report_change(const struct session *s, enum sonde_cost_method method, uint64_t class)
{
	const struct sonde_cost *then = &s->control->costs[method][class];
	struct sonde_cost now = {0};

	if (!then->floor_ns || calibrate(method, class, &now) ||
	    (now.floor_ns * 6 <= then->floor_ns * 7 && now.floor_ns * 7 >= then->floor_ns * 6))
		return;
	log_info(
		"calibration: the tracer's own time in a call was %llu ns at the start and is %llu "
		"ns at the end: the machine is %s now, and short times may be wrong by the "
		"difference",
		(unsigned long long)then->floor_ns, (unsigned long long)now.floor_ns,
		now.floor_ns > then->floor_ns ? "slower" : "faster");
}

void calibrate_report_end(const struct session *s)
{
	if (!s->plan->config.calibrate || !s->control)
		return;
	for (uint32_t i = 0; i < SONDE_COST_METHODS; i++)
		for (uint32_t j = 0; j < SONDE_COST_CLASSES; j++)
			report_change(s, (enum sonde_cost_method)i, j);
	if (s->control->n_short)
		log_info("calibration: %llu calls took less than what is subtracted, and count as "
			 "0 ns",
			 (unsigned long long)s->control->n_short);
}
