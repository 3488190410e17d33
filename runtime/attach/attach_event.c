/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches to counting perf events: software, hardware, watchpoints. Without a scope there is one
 * event on each CPU. With -p, -c and --follow there is one for each thread, inherited by later
 * threads and processes. The kernel then counts for the traced process alone, so every Nth event is
 * every Nth one of that process; the program itself skips what is out of scope.
 *
 * The address of a variable in a position-independent program comes from /proc/PID/maps, for a
 * command once it has been executed. A later execve() moves the variable, and ends the event.
 */
#include "runtime/attach/attach.h"
#include "runtime/base/io.h"
#include "runtime/base/proc_children.h"
#include "runtime/base/proc_maps.h"
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <unistd.h>

enum { PATH_SHOWN = 200 };

struct opening {
	struct session *s;
	uint32_t prog;
	struct perf_event_attr *attr;
	uint32_t n; /* threads that have an event */
};

/* Threads that have ended meanwhile are skipped. */
static int open_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct opening *o = ctx;
	int err = attach_perf(o->s, o->prog, o->attr, (int)tid, -1);

	o->n += !err;
	return err == -ESRCH ? 0 : err;
}

/* Set the address. A variable has one only in a given process. */
static int set_address(const struct session *s, const struct perf_point *p,
		       struct perf_event_attr *attr)
{
	uint64_t base = 0;
	int err = 0;

	if (p->path && s->config->scope == SONDE_SCOPE_ALL)
		err = -EDESTADDRREQ;
	else if (p->is_movable)
		err = proc_maps_base(s->config->scope_tgid, p->path, &base);
	attr->bp_addr = p->address + base;
	attr->remove_on_exec = p->is_movable;
	return err;
}

bool attach_at_exec(const struct session *s, const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_EVENT) && g->perf.is_movable &&
	       s->config->scope == SONDE_SCOPE_TREE;
}

static void fill(struct perf_event_attr *attr, const struct plan_prog *g)
{
	attr->type = g->perf.type;
	attr->config = g->perf.config;
	attr->disabled = 1;
	attr->freq = g->hertz != 0;
	if (g->hertz)
		attr->sample_freq = g->hertz;
	else
		attr->sample_period = g->perf.every;
	if (g->perf.type != PERF_TYPE_BREAKPOINT)
		return;
	attr->bp_type = g->perf.access;
	attr->bp_len = g->perf.length;
}

int att_event(struct session *s, uint32_t prog)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	struct opening o = {.s = s, .prog = prog, .attr = &attr};
	int err;

	fill(&attr, &s->plan->progs[prog]);
	if (attr.type == PERF_TYPE_BREAKPOINT && kernel_lacks(s->kernel, CAP_BREAKPOINTS))
		return -EOPNOTSUPP; /* a thread might never get past it */
	err = set_address(s, &s->plan->progs[prog].perf, &attr);
	if (err)
		return err;
	switch ((enum sonde_scope)s->config->scope) {
	case SONDE_SCOPE_TREE: /* the command has not been executed, or is stopped at its start */
		attr.inherit = 1;
		attr.enable_on_exec = !attr.remove_on_exec;
		return attach_perf(s, prog, &attr, (int)s->config->scope_tgid, -1);
	case SONDE_SCOPE_PID:
	case SONDE_SCOPE_FOLLOW:
		attr.inherit = 1;
		err = proc_each_thread(s->config->scope_tgid,
				       s->config->scope == SONDE_SCOPE_FOLLOW, open_thread, &o);
		return err ? err : o.n ? 0 : -ESRCH;
	default: return attach_perf_cpus(s, prog, &attr);
	}
}

/* The process has not mapped the file. */
static void describe_unmapped(const struct session *s, const char *path, char *text, size_t size)
{
	char link[32], program[PATH_SHOWN] = "";

	snprintf(link, sizeof(link), "/proc/%u/exe", s->config->scope_tgid);
	if (s->config->scope == SONDE_SCOPE_TREE &&
	    readlink(link, program, sizeof(program) - 1) > 0)
		snprintf(text, size,
			 "the command runs %s, not %.*s (if that is a library, it is "
			 "loaded later): give -p PID",
			 program, PATH_SHOWN, path);
	else
		snprintf(text, size, "the process does not have %.*s mapped", PATH_SHOWN, path);
}

const char *attach_event_refusal(const struct session *s, const struct plan_prog *g, int err)
{
	static char text[2 * PATH_SHOWN + 256];
	bool is_missing = err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV;
	unsigned long rate = err == -EINVAL && g->hertz
				     ? io_read_number("/proc/sys/kernel/perf_event_max_sample_rate")
				     : 0;
	uint32_t type = prog_kind_is(g->kind, PK_EVENT) ? g->perf.type : PERF_TYPE_MAX;
	bool is_counter = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
	bool is_timer = prog_kind_is(g->kind, PK_PERIOD) || type == PERF_TYPE_SOFTWARE;

	if (rate && g->hertz > rate)
		snprintf(text, sizeof(text),
			 "the kernel allows at most %lu events a second "
			 "(kernel.perf_event_max_sample_rate)",
			 rate);
	else if (err == -ENOSYS)
		snprintf(text, sizeof(text),
			 "no perf_event_open() system call: the kernel lacks "
			 "CONFIG_PERF_EVENTS, or a seccomp profile (of a container) forbids it");
	else if (is_timer && is_missing)
		snprintf(text, sizeof(text), "this kernel does not count %s (CONFIG_PERF_EVENTS)",
			 type == PERF_TYPE_SOFTWARE ? g->perf.what : "time (software:cpu-clock)");
	else if (is_counter && (is_missing || (err == -EINVAL && !g->hertz)))
		snprintf(text, sizeof(text),
			 "this machine has no counter for %s (%s); software:cpu-clock counts time",
			 g->perf.what,
			 type == PERF_TYPE_HARDWARE && !kernel_has(s->kernel, CAP_HARDWARE)
				 ? "no PMU: a virtual machine?"
				 : "the processor has none, or a virtual machine hides it");
	else if (type == PERF_TYPE_BREAKPOINT && err == -EDESTADDRREQ)
		snprintf(text, sizeof(text),
			 "a variable can only be watched in one process: give -p PID or "
			 "-c COMMAND");
	else if (type == PERF_TYPE_BREAKPOINT && err == -ESRCH && g->perf.path)
		describe_unmapped(s, g->perf.path, text, sizeof(text));
	else if (type == PERF_TYPE_BREAKPOINT && err == -ENOSPC)
		snprintf(text, sizeof(text),
			 "no free debug register (x86-64 has four, arm64 two to 16)");
	else if (type == PERF_TYPE_BREAKPOINT && (err == -EINVAL || is_missing))
		snprintf(
			text, sizeof(text), "the kernel cannot watch 0x%llx: %s",
			(unsigned long long)g->perf.address,
			is_missing
				? "the kernel (CONFIG_HAVE_HW_BREAKPOINT; on arm64, Linux 6.6 or a "
				  "later 6.1), the processor or the virtual machine has no "
				  "hardware breakpoints"
				: "invalid address or length");
	else
		return NULL;
	return text;
}
