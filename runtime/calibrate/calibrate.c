/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration of spans of user functions: before a function is attached, one of this program is
 * probed in the same way and called some thousand times (calibrate_probe.c), which is repeated
 * while the script runs (calibrate_thread.c). How much of the tracer's time is in a call depends on
 * what the kernel does with the probed instruction (the class), and on how both ends are attached
 * (enum sonde_cost_method).
 */
#include "runtime/calibrate/calibrate.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/insn/insn.h"
#include "runtime/insn/uprobe_insn.h"
#include "runtime/calibrate/calibrate_code.h"
#include "runtime/calibrate/calibrate_state.h"
#include "runtime/calibrate/calibrate_thread.h"
#include "runtime/session/session.h"
#include <elf.h>

enum {
	BATCHES = 255,	    /* at most */
	MOST_NS = 20000000, /* no further batch after this time */
};

/* ---- at the start -------------------------------------------------------------------------- */

static int measure(const struct calibrate_probe *p, struct calibrate_batch *out)
{
	uint64_t floors[BATCHES], calls[BATCHES], ranges[BATCHES], end = monotonic_ns();
	uint32_t n = 0;

	end += p->method >= SONDE_COST_PLAIN ? MOST_NS / 4 : MOST_NS;
	for (int i = 0; i < BATCHES && monotonic_ns() < end; i++) {
		if (calibrate_probe_measure(p, out))
			continue;
		floors[n] = out->cost.floor_ns;
		ranges[n] = out->range_ns;
		calls[n++] = out->cost.call_ns;
	}
	if (!n)
		return -ENODATA;
	out->cost.floor_ns = calibrate_quantile(floors, n, 50);
	out->cost.call_ns = calibrate_quantile(calls, n, 50);
	out->range_ns = calibrate_quantile(ranges, n, 50);
	return 0;
}

/* The probe stays, to be measured again, if calls by other processes do not run its programs: those
 * of another sonde that calibrates. */
static int calibrate(struct session *s, enum sonde_cost_method method, uint64_t class,
		     struct sonde_cost *cost)
{
	struct calibration *c = s->tracer_time_state;
	struct calibrate_kind *k = &c->kinds[method][class];
	struct calibrate_batch b = {0};
	int err;

	err = calibrate_probe_open(&k->probe, s->kernel, method, class) ?: measure(&k->probe, &b);
	*cost = b.cost;
	k->is_open = !err && k->probe.only_process;
	if (!k->is_open)
		calibrate_probe_close(&k->probe);
	return err;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Where a program is at each exit, the exits have costs of their own: those of a return are not
 * counted at the entry. */
static int calibrate_exits(struct session *s, uint64_t class)
{
	struct sonde_cost *costs = s->control->costs[SONDE_COST_EXITS];
	int err = 0;

	if (!costs[SONDE_COST_RET].call_ns)
		err = calibrate(s, SONDE_COST_EXITS, SONDE_COST_RET, &costs[SONDE_COST_RET]);
	if (err || class == SONDE_COST_RET)
		return err;
	err = calibrate(s, SONDE_COST_EXITS, class, &costs[class]);
	if (!err)
		costs[class].call_ns =
			less(costs[class].call_ns, costs[SONDE_COST_RET].call_ns) ?: 1;
	return err;
}

/* Where one program has both ends, the kernel runs only the entry of a call that it refuses. */
static int calibrate_session(struct session *s, uint64_t class, struct sonde_cost *cost)
{
	struct sonde_cost *refused = &s->control->costs[SONDE_COST_PLAIN][class];
	int err = calibrate(s, SONDE_COST_SESSION, class, cost);

	return err || refused->call_ns ? err : calibrate(s, SONDE_COST_PLAIN, class, refused);
}

static int calibrate_method(struct session *s, enum sonde_cost_method method, uint64_t class,
			    struct sonde_cost *cost)
{
	switch (method) {
	case SONDE_COST_SESSION: return calibrate_session(s, class, cost);
	case SONDE_COST_EXITS: return calibrate_exits(s, class);
	default: return calibrate(s, method, class, cost);
	}
}

/* ---- programs of the script ---------------------------------------------------------------- */

/* The class of an instruction, as bits of an attach cookie. */
static uint64_t class_of(const uint8_t *c, size_t n)
{
	enum sonde_cost_class class = SONDE_COST_STEP;

#ifdef __x86_64__
	if (n && c[0] == 0xc3)
		class = SONDE_COST_RET;
	else if (!uprobe_place_is_cheap(EM_X86_64, c, n))
		class = SONDE_COST_STEP;
	else if (uprobe_insn_is_nop5(c, n))
		class = SONDE_COST_NOP5;
	else if (c[0] == 0x90 || uprobe_insn_is_long_nop(c, n))
		class = SONDE_COST_NOP;
	else
		class = c[0] == 0x41 || (c[0] & 0xf8) == 0x50 ? SONDE_COST_PUSH : SONDE_COST_JUMP;
#elif defined(__aarch64__)
	struct insn i;

	if (!insn_decode(EM_AARCH64, c, n, &i) && uprobe_place_is_cheap(EM_AARCH64, c, n))
		class = i.is_return ? SONDE_COST_RET : SONDE_COST_JUMP;
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
		return prog_kind_is(g->kind, PK_RETURN) ? SONDE_COST_RETURN : SONDE_COST_PLAIN;
	if (!g->n_probes && g->n_starts)
		end = &s->plan->progs[s->plan->probes[g->starts[0]].prog];
	return prog_kind_is(end->kind, PK_RETURN) ? SONDE_COST_PAIR : SONDE_COST_EXITS;
}

bool calibrate_tracer_share(struct session *s, uint32_t prog, bool is_entry,
			    struct tracer_share *out)
{
	struct calibrate_probe p;
	struct calibrate_batch b;
	int err;

	if (!kernel_has(s->kernel, CAP_UPROBE_MULTI))
		return false;
	err = calibrate_probe_open(&p, s->kernel, method_of(s, prog),
				   is_entry ? SONDE_COST_STEP : SONDE_COST_PUSH)
		      ?: measure(&p, &b);
	calibrate_probe_close(&p);
	if (!err)
		*out = (struct tracer_share){b.cost.floor_ns, b.cost.call_ns, b.range_ns};
	return !err;
}

static void report_impossible(struct session *s, int err)
{
	struct calibration *c = s->tracer_time_state;

	if (!c->is_impossible)
		log_warning(
			"calibration: not possible here: %s; 'delta' contains the tracer's own time",
			err == -EOPNOTSUPP ? "this kernel has no uprobe_multi links (6.6)"
					   : strerror(-err));
	c->is_impossible = true;
}

/* Measure what the program costs at instructions of that class, unless it is known, and store it in
 * s->control. */
static uint64_t attach(struct session *s, uint32_t prog, const uint8_t *code, size_t n)
{
	enum sonde_cost_method method = method_of(s, prog);
	uint64_t bits = class_of(code, n), class = bits >> SONDE_COST_BIT;
	struct sonde_cost *cost = &s->control->costs[method][class];
	struct calibration *c = s->tracer_time_state ?: calloc(1, sizeof(*c));
	int err = -EOPNOTSUPP;

	s->tracer_time_state = c;
	if (!c || cost->call_ns || c->is_impossible)
		return bits;
	if (kernel_has(s->kernel, CAP_UPROBE_MULTI))
		err = calibrate_method(s, method, class, cost);
	if (err)
		report_impossible(s, err);
	return bits;
}

static const char *const methods[] = {
	[SONDE_COST_SESSION] = "",
	[SONDE_COST_PAIR] = ", with a program at each end",
	[SONDE_COST_EXITS] = ", with programs at return instructions",
	[SONDE_COST_PLAIN] = "",  /* it has no floor, so it is not reported */
	[SONDE_COST_RETURN] = "", /* likewise */
};

static bool is_call(const struct plan_span *s)
{
	return s->kind == SPAN_RETURN || s->kind == SPAN_GOROUTINE;
}

/* Spans of calls that are measured as they are: those of kernel functions. */
static bool has_others(const struct plan *p)
{
	return FIND(p->probes, p->n_probes, is_call(&item->state) && !item->state.before);
}

static void report_one(const struct sonde_cost *c, const char *instruction, const char *method)
{
	log_info("calibration: %llu ns of the tracer's own time are subtracted from each call, and "
		 "%llu ns and the time of programs for each traced call inside it (functions that "
		 "begin with %s%s)",
		 (unsigned long long)c->floor_ns, (unsigned long long)c->call_ns, instruction,
		 method);
}

/* Say what is subtracted. */
static void report_start(const struct session *s)
{
	const struct calibration *c = s->tracer_time_state;
	uint32_t n = 0;

	if (!s->control)
		return;
	for (uint32_t i = 0; i < SONDE_COST_METHODS; i++)
		for (uint32_t j = 0; j < SONDE_COST_CLASSES; j++)
			if (s->control->costs[i][j].floor_ns) {
				report_one(&s->control->costs[i][j], calibrate_classes[j].name,
					   methods[i]);
				n++;
			}
	if (has_others(s->plan))
		log_info("calibration: not possible for functions of the kernel: their 'delta' "
			 "contains the tracer's own time");
	else if (!n && !(c && c->is_impossible))
		log_info("calibration: nothing to subtract: no 'delta' is that of a function of a "
			 "program");
}

/* "median (low to high)", where nine of ten values are. */
static const char *range_of(struct calibrate_series *s, char *buf, size_t size)
{
	snprintf(buf, size, "%llu ns (%llu to %llu)",
		 (unsigned long long)calibrate_quantile(s->values, s->n, 50),
		 (unsigned long long)calibrate_quantile(s->values, s->n, 5),
		 (unsigned long long)calibrate_quantile(s->values, s->n, 95));
	return buf;
}

static void report_repeated(struct calibrate_kind *k)
{
	char floors[96], calls[96];

	if (!k->floors.n || !calibrate_quantile(k->floors.values, k->floors.n, 50))
		return;
	log_info(
		"calibration: measured %llu times while the script ran: %s were subtracted from "
		"each call, and %s for each traced call inside it (functions that begin with %s%s)",
		(unsigned long long)k->floors.n_added, range_of(&k->floors, floors, sizeof(floors)),
		range_of(&k->calls, calls, sizeof(calls)), calibrate_classes[k->probe.class].name,
		methods[k->probe.method]);
}

static bool has_probes(const struct calibration *c)
{
	for (uint32_t i = 0; c && i < SONDE_COST_METHODS; i++)
		if (FIND_ROW(c->kinds[i], item->is_open))
			return true;
	return false;
}

static void start(struct session *s)
{
	report_start(s);
	if (has_probes(s->tracer_time_state)) /* of several classes, one may have failed */
		calibrate_thread_start(s);
}

static bool stop(struct session *s)
{
	calibrate_thread_stop(s);
	return has_probes(s->tracer_time_state);
}

/* Also say how many calls were shorter than what was subtracted. */
static void report(const struct session *s)
{
	struct calibration *c = s->tracer_time_state;

	if (!s->control)
		return;
	for (uint32_t i = 0; c && i < SONDE_COST_METHODS; i++)
		for (uint32_t j = 0; j < SONDE_COST_CLASSES; j++)
			report_repeated(&c->kinds[i][j]);
	if (s->control->n_short)
		log_info("calibration: %llu calls took less than what is subtracted, and count as "
			 "0 ns",
			 (unsigned long long)s->control->n_short);
}

static void close_probes(struct session *s)
{
	struct calibration *c = s->tracer_time_state;

	for (uint32_t i = 0; c && i < SONDE_COST_METHODS; i++)
		for (uint32_t j = 0; j < SONDE_COST_CLASSES; j++)
			if (c->kinds[i][j].is_open)
				calibrate_probe_close(&c->kinds[i][j].probe);
	free(c);
	s->tracer_time_state = NULL;
}

const struct tracer_time calibrate_tracer_time = {
	.attach = attach, .start = start, .stop = stop, .report = report, .close = close_probes};
