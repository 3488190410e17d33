/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loss table's end: what the kernel side counted, summed over all possible CPUs, said once, by
 * cause and probe, with what helps.
 */
#include "log.h"
#include "session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

/* "%llu WHAT in PROBE (HELP)" */
static const struct {
	const char *what, *help;
} causes[SONDE_LOSS_COUNT] = {
	[SONDE_LOSS_RING_FULL] = {"records lost, the buffer was full", "print less often"},
	[SONDE_LOSS_MAP_FULL] = {"updates lost, a map was full", "use fewer keys"},
	[SONDE_LOSS_MAP_NOMEM] = {"map updates lost, no memory for new keys at that moment", NULL},
	[SONDE_LOSS_MAP_BUSY] = {"map updates lost, the map was busy", NULL},
	[SONDE_LOSS_STACK_FAILED] = {"stacks could not be captured", NULL},
	[SONDE_LOSS_STACK_CUT] = {"stacks were cut", "deeper than kernel.perf_event_max_stack"},
	[SONDE_LOSS_STACK_STORE] = {"stacks lost, the stack store was full", "use fewer different stacks"},
	[SONDE_LOSS_TASK_STORAGE] = {"spans lost, no memory for a thread's state", NULL},
	[SONDE_LOSS_SCRATCH] = {"stacks lost, probes nested too deeply on a CPU", NULL},
	[SONDE_LOSS_DIVISION] = {"divisions by zero, taken as 1", "test the divisor"},
	[SONDE_LOSS_STRING_CUT] = {"strings were cut", "read more: str(p, n)"},
	[SONDE_LOSS_READ_FAULT] = {"reads of memory failed, taken as empty",
				   "not an address, or a page that is not in memory now"},
	[SONDE_LOSS_RUN] = {"runs left out, probes nested too deeply on a CPU", NULL},
	[SONDE_LOSS_CLEAR] = {"clears came too fast and were left out", "clear less often"},
};

/* Sum of one counter over all possible CPUs. */
static uint64_t read_counter(int fd, uint32_t index, uint64_t *per_cpu, int n_cpus)
{
	uint64_t sum = 0;

	if (bpf_map_lookup_elem(fd, &index, per_cpu))
		return 0;
	for (int i = 0; i < n_cpus; i++)
		sum += per_cpu[i];
	return sum;
}

static void say(const struct session *s, uint32_t probe, uint32_t cause, uint64_t n)
{
	log_warning("%s: %llu %s%s%s%s", s->plan->n_probes ? s->plan->probes[probe].name : "tracing",
		    (unsigned long long)n, causes[cause].what, causes[cause].help ? " (" : "",
		    causes[cause].help ? causes[cause].help : "", causes[cause].help ? ")" : "");
}

static uint64_t report_counters(const struct session *s)
{
	int n_cpus = libbpf_num_possible_cpus();
	uint64_t *per_cpu = n_cpus > 0 ? calloc((size_t)n_cpus, sizeof(*per_cpu)) : NULL;
	uint32_t n_probes = s->plan->n_probes ? s->plan->n_probes : 1;
	uint64_t total = 0;

	for (uint32_t i = 0; per_cpu && i < n_probes * SONDE_LOSS_COUNT; i++) {
		uint64_t n = read_counter(s->losses_fd, i, per_cpu, n_cpus);

		total += n;
		if (n)
			say(s, i / SONDE_LOSS_COUNT, i % SONDE_LOSS_COUNT, n);
	}
	free(per_cpu);
	return total;
}

/* Runs that the kernel left out because the program was already running on that CPU. */
static uint64_t report_missed(const struct session *s)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		struct bpf_prog_info info = {0};
		uint32_t len = sizeof(info);

		if (bpf_obj_get_info_by_fd(bpf_program__fd(s->progs[i]), &info, &len) ||
		    !info.recursion_misses)
			continue;
		total += info.recursion_misses;
		log_warning("%s: missed %llu times, the program was already running on that CPU",
			    s->plan->progs[i].section, (unsigned long long)info.recursion_misses);
	}
	return total;
}

uint64_t loss_report(struct session *s)
{
	uint64_t total = report_missed(s);

	if (s->losses_fd >= 0)
		total += report_counters(s);
	if (s->map_records_lost) {
		log_warning("%llu records of processes' mappings lost: some user frames may have no name",
			    (unsigned long long)s->map_records_lost);
		total += s->map_records_lost;
	}
	return total;
}
