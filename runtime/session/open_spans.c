/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open spans: runs the programs that iterate over all threads, when tracing begins and when it has
 * ended. The calls of a thread are counted one by one, the outermost first: one run for each depth.
 */
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/base/rcu_wait.h"
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Reading the iterator to its end runs the program for every thread. */
static int read_all(int link)
{
	int fd = bpf_iter_create(link), err = 0;
	char bytes[64];
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, bytes, sizeof(bytes));
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

static int run_prog(const struct session *s, uint32_t prog)
{
	struct sonde_control *c = s->control;
	int link = bpf_link_create(bpf_program__fd(s->progs[prog]), 0, BPF_TRACE_ITER, NULL), err;

	if (link < 0)
		return -errno;
	c->open_call = 0;
	do {
		__atomic_store_n(&c->open_more, 0, __ATOMIC_SEQ_CST);
		err = read_all(link);
		c->open_call++;
	} while (!err && __atomic_load_n(&c->open_more, __ATOMIC_SEQ_CST) &&
		 c->open_call < SONDE_SPAN_CALLS);
	close(link);
	return err;
}

static int run_all(const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		int err;

		if (s->plan->progs[i].kind != PP_OPEN_SPANS)
			continue;
		err = run_prog(s, i);
		if (!err)
			continue;
		log_error("probe '%s': cannot look for open spans: %s",
			  s->plan->probes[s->plan->progs[i].probes[0]].name, strerror(-err));
		return err;
	}
	return 0;
}

static bool has_any(const struct session *s)
{
	for (uint32_t i = 0; s->control && i < s->plan->n_progs; i++)
		if (s->plan->progs[i].kind == PP_OPEN_SPANS)
			return true;
	return false;
}

int session_open_begin(const struct session *s)
{
	int err;

	if (!has_any(s))
		return 0;
	s->control->open_begins = 1;
	err = run_all(s);
	s->control->open_begins = 0;
	return err;
}

void session_open_stop(const struct session *s)
{
	if (has_any(s))
		s->control->end_ns = monotonic_ns();
}

int session_open_count(const struct session *s)
{
	int err;

	if (!has_any(s))
		return 0;
	/* A program that was running when its probe was detached may still end spans. */
	err = rcu_wait();
	if (err)
		log_warning("the kernel does not let this process wait for running programs (%s): "
			    "spans that end just now may be missing",
			    strerror(-err));
	return run_all(s);
}
