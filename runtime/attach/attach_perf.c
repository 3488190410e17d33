/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches to perf events: tracepoints other than raw ones, interval, profile.
 */
#include "runtime/attach/attach.h"
#include "runtime/attach/cpu_watch.h"
#include "runtime/base/cpu_list.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int attach_perf(struct session *s, uint32_t prog, struct perf_event_attr *attr, int pid, int cpu)
{
	int fd, err;

	attr->size = sizeof(*attr);
	fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, attach_fd(s, prog)) ||
	    (!attr->enable_on_exec && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))) {
		err = -errno;
		close(fd);
		return err;
	}
	return attach_add(
		s, (struct link){.fd = fd, .is_perf = true, .closes_slowly = true, .cpu = cpu});
}

int attach_perf_cpus(struct session *s, uint32_t prog, struct perf_event_attr *attr)
{
	struct cpu_list cpus = {0};
	int n_events = 0, err = cpu_watch_add(s, prog, attr) ?: cpu_list_online(&cpus);

	for (size_t i = 0; !err && i < cpus.n; i++) {
		err = attach_perf(s, prog, attr, -1, (int)cpus.items[i]);
		n_events += !err;
		if (err == -ENODEV || err == -ENXIO) /* it has gone offline since */
			err = 0;
	}
	vec_free(&cpus);
	return err ? err : n_events ? 0 : -ENODEV;
}

/* The program of a tracepoint's perf event runs on all CPUs, whatever CPU the event is for. */
int att_tracepoint(struct session *s, uint32_t prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = s->plan->progs[prog].tracepoint_id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.wakeup_events = 1,
	};

	return attach_perf(s, prog, &attr, -1, 0);
}

int att_interval(struct session *s, uint32_t prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = s->plan->progs[prog].period_ns,
	};

	return attach_perf(s, prog, &attr, -1, 0);
}

int att_profile(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = g->hertz != 0,
	};

	if (g->hertz)
		attr.sample_freq = g->hertz;
	else
		attr.sample_period = g->period_ns;
	return attach_perf_cpus(s, prog, &attr);
}
