/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every part of a session uses: running a program that no event runs, names, the stop signal.
 */
#include "runtime/session/session.h"
#include "runtime/base/limit_hint.h"
#include "runtime/session/interpret.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <poll.h>

bool session_stopped(const struct session *s)
{
	struct pollfd p = {.fd = s->stop_fd, .events = POLLIN};

	return s->stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

void session_count_hits(const struct session *s, bool counts)
{
	if (s->control)
		__atomic_store_n(&s->control->counts_hits, counts, __ATOMIC_RELAXED);
}

bool session_counts_hits(const struct session *s)
{
	return s->control && s->control->counts_hits;
}

const struct plan_probe *session_first_probe(const struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	return g->n_probes   ? &s->plan->probes[g->probes[0]]
	       : g->n_starts ? &s->plan->probes[g->starts[0]]
			     : NULL;
}

const char *session_prog_name(const struct session *s, uint32_t prog)
{
	const struct plan_probe *probe = session_first_probe(s, prog);

	return probe ? probe->name : s->plan->progs[prog].section;
}

bool session_prog_info(const struct session *s, uint32_t prog, struct bpf_prog_info *out)
{
	uint32_t len = sizeof(*out);

	*out = (struct bpf_prog_info){0};
	return !bpf_obj_get_info_by_fd(bpf_program__fd(s->progs[prog]), out, &len);
}

uint64_t session_skipped_runs(const struct session *s, uint32_t prog)
{
	struct bpf_prog_info info;

	if (s->skipped_runs)
		return s->skipped_runs[prog];
	return session_prog_info(s, prog, &info) ? info.recursion_misses : 0;
}

void session_keep_skipped_runs(struct session *s)
{
	uint64_t *kept = s->skipped_runs ? NULL : calloc(s->plan->n_progs + 1u, sizeof(*kept));

	for (uint32_t i = 0; kept && i < s->plan->n_progs; i++)
		kept[i] = session_skipped_runs(s, i);
	if (kept)
		s->skipped_runs = kept;
}

int session_run_prog(const struct session *s, uint32_t prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (s->interp)
		return interpret_run(s, prog, &(uint32_t){0});
	err = bpf_prog_test_run_opts(bpf_program__fd(s->progs[prog]), &opts);
	if (err)
		log_error("probe '%s': cannot run: %s%s",
			  s->plan->probes[s->plan->progs[prog].probes[0]].name, strerror(-err),
			  limit_hint(err));
	return err;
}

int session_run_special(const struct session *s, enum plan_prog_kind kind)
{
	int err = 0;

	for (uint32_t i = 0; i < s->plan->n_progs && !err; i++)
		if (s->plan->progs[i].kind == kind)
			err = session_run_prog(s, i);
	return err;
}

int session_run_begin(const struct session *s)
{
	return session_run_special(s, PP_BEGIN);
}
