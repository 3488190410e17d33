/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs that come online while probes are attached (cpu_watch.h). The kernel removes the perf events
 * of a CPU that goes offline, and does not bring them back with it. It announces both by uevents,
 * which any process can read: NETLINK_KOBJECT_UEVENT, group 1, "online@/devices/system/cpu/cpu1".
 */
#include "runtime/attach/cpu_watch.h"
#include "runtime/attach/attach.h"
#include "runtime/base/clock.h"
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FROM_KERNEL = 1, UEVENT_BYTES = 8192, RECEIVED_BYTES = 1 << 20 };

struct per_cpu_event {
	uint32_t prog;
	struct perf_event_attr attr;
};

/* A CPU that was offline for a while, or is. */
struct cpu_gap {
	uint32_t cpu;
	uint64_t since_ns; /* CLOCK_MONOTONIC; 0: it is online */
	uint64_t ns;	   /* in all, of those that have ended */
};

struct cpu_watch {
	int fd;
	bool is_incomplete; /* uevents were lost */
	VEC(struct per_cpu_event) events;
	VEC(struct cpu_gap) gaps;
};

static int open_uevents(void)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = FROM_KERNEL};
	int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	int bytes = RECEIVED_BYTES;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

int cpu_watch_add(struct session *s, uint32_t prog, const struct perf_event_attr *attr)
{
	if (!s->cpu_watch) {
		s->cpu_watch = calloc(1, sizeof(*s->cpu_watch));
		if (!s->cpu_watch)
			return -ENOMEM;
		s->cpu_watch->fd = open_uevents();
	}
	return vec_push(&s->cpu_watch->events, (struct per_cpu_event){prog, *attr});
}

int cpu_watch_fd(const struct session *s)
{
	return s->cpu_watch ? s->cpu_watch->fd : -1;
}

/* NULL without memory. */
static struct cpu_gap *gap_of(struct cpu_watch *w, uint32_t cpu)
{
	struct cpu_gap *gap = FIND(w->gaps.items, w->gaps.n, item->cpu == cpu);

	if (gap || vec_push(&w->gaps, (struct cpu_gap){.cpu = cpu}))
		return gap;
	return &w->gaps.items[w->gaps.n - 1];
}

static void note_offline(struct cpu_watch *w, uint32_t cpu)
{
	struct cpu_gap *gap = gap_of(w, cpu);

	if (gap && !gap->since_ns)
		gap->since_ns = monotonic_ns();
}

/* It came between the start of the watch and the look at the list of CPUs. */
static bool has_event(const struct session *s, uint32_t prog, uint32_t cpu)
{
	return FIND(s->links.items, s->links.n, item->prog == prog && item->cpu == (int)cpu);
}

static void open_events(struct session *s, uint32_t cpu)
{
	struct cpu_watch *w = s->cpu_watch;
	struct cpu_gap *gap = gap_of(w, cpu);
	int err = 0;

	for (size_t i = 0; i < w->events.n && !err; i++) {
		struct per_cpu_event *e = &w->events.items[i];
		size_t n = s->links.n;

		if (!(gap && gap->since_ns) && has_event(s, e->prog, cpu))
			continue;
		err = attach_perf(s, e->prog, &e->attr, -1, (int)cpu);
		if (!err)
			s->links.items[n].prog = e->prog;
	}
	if (err)
		log_warning("CPU %u came online, but its events cannot be opened: %s", cpu,
			    strerror(-err));
	if (!gap || err)
		return;
	if (gap->since_ns)
		gap->ns += monotonic_ns() - gap->since_ns;
	gap->since_ns = 0;
}

void cpu_watch_read(struct session *s)
{
	struct sockaddr_nl from = {0};
	socklen_t from_bytes = sizeof(from);
	char text[UEVENT_BYTES];
	unsigned int cpu;
	ssize_t n;

	while ((n = recvfrom(s->cpu_watch->fd, text, sizeof(text) - 1, 0, (struct sockaddr *)&from,
			     &from_bytes)) > 0 ||
	       errno == EINTR || errno == ENOBUFS) {
		s->cpu_watch->is_incomplete |= n < 0 && errno == ENOBUFS;
		if (n <= 0 || from.nl_pid)
			continue;
		text[n] = '\0';
		if (sscanf(text, "online@/devices/system/cpu/cpu%u", &cpu) == 1)
			open_events(s, cpu);
		else if (sscanf(text, "offline@/devices/system/cpu/cpu%u", &cpu) == 1)
			note_offline(s->cpu_watch, cpu);
	}
}

void cpu_watch_report(const struct session *s)
{
	const struct cpu_watch *w = s->cpu_watch;

	for (size_t i = 0; w && i < w->gaps.n; i++) {
		const struct cpu_gap *gap = &w->gaps.items[i];
		uint64_t ns = gap->ns + (gap->since_ns ? monotonic_ns() - gap->since_ns : 0);

		if (ns)
			log_warning("CPU %u was offline for %.2f s of the run: it has no samples "
				    "or events of that time",
				    gap->cpu, 1e-9 * (double)ns);
	}
	if (w && w->is_incomplete)
		log_warning("the kernel's messages about CPUs were too many: one that went offline "
			    "and came back may have no samples or events since");
}

void cpu_watch_free(struct session *s)
{
	struct cpu_watch *w = s->cpu_watch;

	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	vec_free(&w->events);
	vec_free(&w->gaps);
	free(w);
	s->cpu_watch = NULL;
}
