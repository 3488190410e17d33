/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports losses when tracing ends, by cause and probe: the programs' counters, summed over all
 * CPUs, and those of the kernel and the runtime.
 */
#include "runtime/run/loss.h"
#include "runtime/output/out.h"
#include "parser/base/limits.h"
#include "runtime/events/stacks.h"
#include "runtime/base/map_calls.h"
#include "runtime/session/prep.h"
#include "runtime/session/session.h"
#include "runtime/run/interval_thread.h"
#include "runtime/base/uapi_new.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

_Static_assert(LIMIT_LOOP == 1048576 && LIMIT_ROUNDS == 8388608 && SONDE_LOOP_NS == 1000000,
	       "losses.def has them in words");

struct cause {
	const char *name, *what, *help;
};

static const struct cause causes[] = {
#define LOSS(id, name, is_event, ...) [SONDE_LOSS_##id] = {name, __VA_ARGS__},
#include "bpf_helpers/losses.def"
};

_Static_assert(sizeof(causes) / sizeof(*causes) == SONDE_LOSS_COUNT, "one row for each cause");

enum runtime_loss {
#define LOSS(...)
#define RUNTIME_LOSS(id, ...) RUNTIME_LOSS_##id,
#include "bpf_helpers/losses.def"
	RUNTIME_LOSS_COUNT,
};

static const struct cause runtime_causes[] = {
#define LOSS(...)
#define RUNTIME_LOSS(id, name, is_event, ...) [RUNTIME_LOSS_##id] = {name, __VA_ARGS__},
#include "bpf_helpers/losses.def"
};

_Static_assert(sizeof(runtime_causes) / sizeof(*runtime_causes) == RUNTIME_LOSS_COUNT,
	       "one row for each cause");

static void add(struct sonde_counters *sum, const struct sonde_counters *c)
{
	for (uint32_t i = 0; i < SONDE_COUNTERS; i++)
		sum->n[i] += c->n[i];
}

/* A probe's counters, summed over all CPUs; 0 when the object has no loss table. */
static struct sonde_counters counters_of(const struct session *s, uint32_t probe)
{
	uint32_t n = s->config->loss_mask + 1;
	struct sonde_counters sum = {0}, slot;

	for (uint32_t i = probe * n; s->losses_fd >= 0 && i < (probe + 1) * n; i++)
		if (!map_lookup(s->losses_fd, &i, &slot))
			add(&sum, &slot);
	return sum;
}

static uint64_t sum_of_causes(const struct sonde_counters *c)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SONDE_LOSS_COUNT; i++)
		sum += c->n[i];
	return sum;
}

static void report_cause(struct out *out, const char *probe, const struct cause *c, uint64_t n)
{
	out->lost(out, &(struct view_loss){
			       .probe = probe,
			       .cause = c->name,
			       .what = c->what,
			       .help = c->help,
			       .n = n,
		       });
}

enum { SHOWN_MOST = 40, HELP_BYTES = 256 };

/* "test the divisor $b, a.bt:1:35: if ($b != 0) { … }" */
static const char *divisor_help(const struct session *s, uint32_t probe, char *buf, size_t size)
{
	const struct source *source = s->plan->source;
	const struct plan_probe *q = &s->plan->probes[probe];
	struct place from, to;
	const char *text;
	uint32_t len;

	if (!source || !q->divisor.end)
		return NULL;
	from = source_place(source, q->divisor.start);
	to = source_place(source, q->divisor.end);
	text = source_line(from.in, from.line, &len);
	len = from.line == to.line && from.in == to.in && to.col - 1 <= len ? to.col - from.col : 0;
	if (!len || len > SHOWN_MOST) {
		text = "x";
		len = 1;
	} else {
		text += from.col - 1;
	}
	snprintf(buf, size, "test the divisor%s %.*s, %s:%u:%u: if (%.*s != 0) { … }",
		 q->has_divisors ? "s, the first is" : "", (int)len, text, from.file, from.line,
		 from.col, (int)len, text);
	return buf;
}

/* Losses of the scope programs belong to no probe. */
static void report(const struct session *s, struct out *out, uint32_t probe, uint32_t cause,
		   uint64_t n)
{
	bool has_probe = s->plan->n_probes && cause != SONDE_LOSS_SCOPE;
	struct cause c = causes[cause];
	char buf[HELP_BYTES];
	const char *help = cause == SONDE_LOSS_DIVISION && has_probe
				   ? divisor_help(s, probe, buf, sizeof(buf))
				   : NULL;

	if (cause == SONDE_LOSS_READ_FAULT && s->prep->tries_reads)
		return;
	c.help = help ? help : c.help;
	report_cause(out, has_probe ? s->plan->probes[probe].name : "tracing", &c, n);
}

static void report_runtime(struct out *out, const char *probe, enum runtime_loss cause, uint64_t n)
{
	report_cause(out, probe, &runtime_causes[cause], n);
}

uint64_t loss_of_probe(const struct session *s, uint32_t probe)
{
	struct sonde_counters c = counters_of(s, probe);

	return sum_of_causes(&c);
}

uint64_t loss_hits(const struct session *s, uint32_t prog, uint32_t counter)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < g->n_probes; i++)
		sum += counters_of(s, g->probes[i]).n[counter];
	return sum;
}

static uint64_t report_counters(const struct session *s, struct out *out)
{
	uint32_t n_probes = s->plan->n_probes ? s->plan->n_probes : 1;
	uint64_t total = 0;

	for (uint32_t probe = 0; probe < n_probes; probe++) {
		struct sonde_counters c = counters_of(s, probe);

		c.n[SONDE_LOSS_INTERVAL] += interval_thread_lost(s->interval_thread, probe);
		total += sum_of_causes(&c);
		for (uint32_t cause = 0; cause < SONDE_LOSS_COUNT; cause++)
			if (c.n[cause])
				report(s, out, probe, cause, c.n[cause]);
	}
	return total;
}

/* The probe of a program, or the section when several probes share it. */
static const char *prog_name(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	return g->n_probes == 1 ? s->plan->probes[g->probes[0]].name : g->section;
}

/* Runs that the kernel skipped because the program was already running on that CPU. */
static uint64_t report_missed(const struct session *s, struct out *out)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		uint64_t skipped = session_skipped_runs(s, i);

		if (!skipped)
			continue;
		total += skipped;
		report_runtime(out, prog_name(s, i), RUNTIME_LOSS_RECURSION, skipped);
	}
	return total;
}

static uint64_t missed_by_link(int fd)
{
	struct new_kprobe_link_info one = {0};
	struct new_kprobe_multi_info many = {0};
	uint32_t len = sizeof(one);

	if (bpf_obj_get_info_by_fd(fd, &one, &len))
		return 0;
	if (one.link_type == NEW_BPF_LINK_TYPE_PERF_EVENT)
		return one.event_type == NEW_BPF_PERF_EVENT_KPROBE ||
				       one.event_type == NEW_BPF_PERF_EVENT_KRETPROBE
			       ? one.missed
			       : 0;
	len = sizeof(many);
	if (one.link_type != NEW_BPF_LINK_TYPE_KPROBE_MULTI ||
	    bpf_obj_get_info_by_fd(fd, &many, &len))
		return 0;
	return many.missed;
}

static bool has_missed_hits(const struct session *s, uint32_t prog)
{
	enum plan_prog_kind kind = s->plan->progs[prog].kind;

	return prog_kind_is(kind, PK_KERNEL_FUNCTION) && !prog_kind_is(kind, PK_TRAMPOLINE);
}

uint64_t loss_missed(const struct session *s, uint32_t prog)
{
	uint64_t missed = 0;

	for (uint32_t i = 0; has_missed_hits(s, prog) && i < s->links.n; i++)
		if (s->links.items[i].prog == prog)
			missed += missed_by_link(s->links.items[i].fd);
	return missed;
}

/* Missed hits of all programs that have this one's name, if it is the first of them; else 0. */
static uint64_t missed_by_name(const struct session *s, uint32_t prog)
{
	const char *name = prog_name(s, prog);
	uint64_t missed = 0;

	for (uint32_t i = 0; i < prog; i++)
		if (has_missed_hits(s, i) && strcmp(prog_name(s, i), name) == 0)
			return 0;
	for (uint32_t i = 0; i < s->links.n; i++)
		if (has_missed_hits(s, s->links.items[i].prog) &&
		    strcmp(prog_name(s, s->links.items[i].prog), name) == 0)
			missed += missed_by_link(s->links.items[i].fd);
	return missed;
}

/* Hits of kernel functions that the kernel did not deliver: nested in another probe, or more open
 * calls than it tracks. Kernels before 6.7 do not report them. */
static uint64_t report_undelivered(const struct session *s, struct out *out)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		uint64_t missed = has_missed_hits(s, i) ? missed_by_name(s, i) : 0;

		if (!missed)
			continue;
		total += missed;
		report_runtime(out, prog_name(s, i), RUNTIME_LOSS_KERNEL_MISSED, missed);
	}
	return total;
}

uint64_t loss_total(const struct session *s, uint64_t *n_hits)
{
	uint32_t n = (s->plan->n_probes ? s->plan->n_probes : 1) * (s->config->loss_mask + 1);
	struct sonde_counters *values = s->losses_fd < 0 ? NULL : calloc(n, sizeof(*values));
	uint32_t *keys = calloc(n, sizeof(*keys)), got = n, batch;
	struct sonde_counters sum = {0};

	if (values && keys &&
	    (!map_lookup_batch(s->losses_fd, NULL, &batch, keys, values, &got) || errno == ENOENT))
		for (uint32_t i = 0; i < got; i++)
			add(&sum, &values[i]);
	free(values);
	free(keys);
	*n_hits = sum.n[SONDE_HITS];
	return s->map_records_lost + sum_of_causes(&sum);
}

uint64_t loss_report(struct session *s, struct out *out)
{
	uint64_t total =
		report_missed(s, out) + report_undelivered(s, out) + report_counters(s, out);
	uint64_t n_evicted = stacks_report(s);

	if (s->map_records_lost) {
		report_runtime(out, "tracing", RUNTIME_LOSS_MAPPING_RECORDS, s->map_records_lost);
		total += s->map_records_lost;
	}
	if (out->n_dropped)
		report_runtime(out, "tracing", RUNTIME_LOSS_LAST_ROWS, out->n_dropped);
	total += out->n_dropped;
	if (n_evicted)
		report_runtime(out, "tracing", RUNTIME_LOSS_FORGOTTEN_PROCESSES, n_evicted);
	total += n_evicted;
	return total;
}
