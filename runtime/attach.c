/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching, by kind of program: one att_* function each. Raw and typed tracepoints are raw
 * tracepoint descriptors (0.15 ms to detach), uprobes are uprobe_multi links where the kernel has
 * them, the rest are perf events.
 */
#include "kernel_facts.h"
#include "log.h"
#include "session.h"
#include "uapi_new.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int att_fn(struct session *s, uint32_t prog);

static int prog_fd(const struct session *s, uint32_t prog)
{
	return bpf_program__fd(s->progs[prog]);
}

static int add_link(struct session *s, struct link l)
{
	if (l.fd < 0)
		return -errno;
	if (s->n_links == s->links_room) {
		uint32_t room = 2 * s->links_room + 16;
		struct link *more = realloc(s->links, room * sizeof(*more));

		if (!more) {
			close(l.fd);
			return -ENOMEM;
		}
		s->links = more;
		s->links_room = room;
	}
	s->links[s->n_links++] = l;
	return 0;
}

static int att_nothing(struct session *s, uint32_t prog)
{
	(void)s;
	(void)prog;
	return 0;
}

static int att_raw(struct session *s, uint32_t prog)
{
	return add_link(s, (struct link){.fd = bpf_raw_tracepoint_open(s->plan->progs[prog].event,
								       prog_fd(s, prog))});
}

static int att_typed(struct session *s, uint32_t prog)
{
	return add_link(s, (struct link){.fd = bpf_raw_tracepoint_open(NULL, prog_fd(s, prog))});
}

/* ---- perf events --------------------------------------------------------------------------- */

static int perf_open(struct perf_event_attr *attr, int cpu)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int att_perf(struct session *s, uint32_t prog, struct perf_event_attr *attr, int cpu)
{
	int fd = perf_open(attr, cpu), err;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd(s, prog)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		err = -errno;
		close(fd);
		return err;
	}
	return add_link(s, (struct link){.fd = fd, .is_perf = true, .closes_slowly = true});
}

/* A BPF program on a tracepoint's perf event runs on all CPUs whatever CPU the event is on. */
static int att_tracepoint(struct session *s, uint32_t prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = s->plan->progs[prog].tracepoint_id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
		.wakeup_events = 1,
	};

	return att_perf(s, prog, &attr, 0);
}

static int att_interval(struct session *s, uint32_t prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = s->plan->progs[prog].period_ns,
	};

	return att_perf(s, prog, &attr, 0);
}

/* An event a CPU; those that are off have none. */
static int att_profile(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = g->hertz != 0,
	};
	int n_cpus = libbpf_num_possible_cpus(), n_events = 0;

	if (g->hertz)
		attr.sample_freq = g->hertz;
	else
		attr.sample_period = g->period_ns;
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		int err = att_perf(s, prog, &attr, cpu);

		if (err && err != -ENODEV && err != -ENXIO)
			return err;
		n_events += !err;
	}
	return n_events ? 0 : -ENODEV;
}

/* ---- kernel and user functions ------------------------------------------------------------- */

/* Take the descriptor out of libbpf's link: whoever holds it holds the attachment. (The perf
 * event's own descriptor stays open behind it until this process ends.) */
static int add_libbpf_link(struct session *s, struct bpf_link *link)
{
	int fd;

	if (!link)
		return -errno;
	fd = bpf_link__fd(link);
	bpf_link__disconnect(link);
	bpf_link__destroy(link);
	return add_link(s, (struct link){.fd = fd, .closes_slowly = true});
}

static int att_kernel_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	return add_libbpf_link(s, bpf_program__attach_kprobe(s->progs[prog],
							     g->kind == PP_KRETPROBE, g->function));
}

static int att_uprobe_multi(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint64_t offset = g->offset;
	struct new_link_create attr = {
		.prog_fd = (uint32_t)prog_fd(s, prog),
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = {
			.path = (uintptr_t)g->path,
			.offsets = (uintptr_t)&offset,
			.cnt = 1,
			.flags = g->kind == PP_URETPROBE ? NEW_BPF_F_UPROBE_MULTI_RETURN : 0,
		},
	};

	return add_link(s, (struct link){.fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr,
							    sizeof(attr)),
					 .closes_slowly = true});
}

static int att_user_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	if (s->kernel->has_feature(s->kernel, KF_UPROBE_MULTI))
		return att_uprobe_multi(s, prog);
	return add_libbpf_link(s,
			       bpf_program__attach_uprobe(s->progs[prog], g->kind == PP_URETPROBE,
							  -1, g->path, g->offset));
}

static att_fn *const attachers[PP_KIND_COUNT] = {
	[PP_BEGIN] = att_nothing,
	[PP_END] = att_nothing,
	[PP_RAW_TP] = att_raw,
	[PP_TP_BTF] = att_typed,
	[PP_SYSCALL_ENTER] = att_typed,
	[PP_SYSCALL_EXIT] = att_typed,
	[PP_SWITCH_SPAN] = att_typed,
	[PP_OPEN_SPANS] = att_nothing,
	[PP_TRACEPOINT] = att_tracepoint,
	[PP_INTERVAL] = att_interval,
	[PP_PROFILE] = att_profile,
	[PP_KPROBE] = att_kernel_function,
	[PP_KRETPROBE] = att_kernel_function,
	[PP_UPROBE] = att_user_function,
	[PP_URETPROBE] = att_user_function,
	[PP_SCOPE_FORK] = att_typed,
	[PP_SCOPE_EXEC] = att_typed,
};

static const char *what_to_try(int err)
{
	switch (-err) {
	case EPERM:
	case EACCES:
		return "; run as root";
	case ENOENT:
		return "; the kernel does not know it";
	case EMFILE:
		return "; too many open files: raise `ulimit -n`";
	default:
		return "";
	}
}

int attach_prog(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	int err = attachers[g->kind](s, prog);

	if (err)
		log_error("probe '%s': cannot attach: %s%s",
			  g->n_probes	? s->plan->probes[g->probes[0]].name
			  : g->n_starts ? s->plan->probes[g->starts[0]].name
					: g->section,
			  strerror(-err), what_to_try(err));
	return err;
}
