/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that the kernel keeps by itself: counters.h.
 */
#include "runtime/run/counters.h"
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What read() gives. */
struct reading {
	uint64_t value, enabled_ns, running_ns;
};

static int open_event(struct counter *c, struct perf_event_attr *attr, pid_t tid)
{
	int fd;

	attr->size = sizeof(*attr);
	attr->type = c->type;
	attr->config = c->config;
	attr->disabled = 1;
	attr->inherit = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	fd = (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (vec_push(&c->fds, fd) == 0)
		return 0;
	close(fd);
	return -ENOMEM;
}

int counter_open_command(struct counter *c, pid_t pid)
{
	struct perf_event_attr attr = {.enable_on_exec = 1};

	c->err = open_event(c, &attr, pid);
	return c->err;
}

int counter_open_thread(struct counter *c, pid_t tid)
{
	struct perf_event_attr attr = {.inherit_thread = 1};
	int err = open_event(c, &attr, tid);

	if (err != -ESRCH) /* the thread has ended */
		c->err = err;
	return c->err;
}

void counter_enable(const struct counter *c)
{
	for (size_t i = 0; i < c->fds.n; i++)
		ioctl(c->fds.items[i], PERF_EVENT_IOC_ENABLE, 0);
}

void counter_disable(const struct counter *c)
{
	for (size_t i = 0; i < c->fds.n; i++)
		ioctl(c->fds.items[i], PERF_EVENT_IOC_DISABLE, 0);
}

int counter_read(struct counter *c)
{
	for (size_t i = 0; i < c->fds.n; i++) {
		struct reading r;
		ssize_t n = read(c->fds.items[i], &r, sizeof(r));

		if (n != sizeof(r)) /* 0: an event that the processor cannot schedule */
			return n < 0 ? -errno : -EIO;
		c->value += r.value;
		c->enabled_ns += r.enabled_ns;
		c->running_ns += r.running_ns;
	}
	return 0;
}

void counter_close(struct counter *c)
{
	for (size_t i = 0; i < c->fds.n; i++)
		close(c->fds.items[i]);
	vec_free(&c->fds);
}

bool counter_is_unsupported(const struct counter *c)
{
	return c->err == -ENOENT || c->err == -ENODEV || c->err == -EOPNOTSUPP || c->err == -EINVAL;
}

bool counter_is_forbidden(const struct counter *c)
{
	return c->err == -EACCES || c->err == -EPERM;
}

double counter_value(const struct counter *c)
{
	if (!c->running_ns || c->running_ns >= c->enabled_ns)
		return (double)c->value;
	return (double)c->value * ((double)c->enabled_ns / (double)c->running_ns);
}

double counter_share(const struct counter *c)
{
	if (c->running_ns >= c->enabled_ns)
		return 100;
	return 100.0 * (double)c->running_ns / (double)c->enabled_ns;
}
