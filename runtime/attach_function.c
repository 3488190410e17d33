/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching to functions of the kernel: multi links where the kernel has them, else perf events.
 */
#include "attach.h"
#include "kernel_facts.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

/* Whoever holds the descriptor holds the attachment. (The perf event's own stays open behind it
 * until this process ends.) */
int attach_libbpf_link(struct session *s, struct bpf_link *link)
{
	int fd;

	if (!link)
		return -errno;
	fd = bpf_link__fd(link);
	bpf_link__disconnect(link);
	bpf_link__destroy(link);
	return attach_add(s, (struct link){.fd = fd, .closes_slowly = true});
}

/* ---- perf events, one a function ----------------------------------------------------------- */

static struct bpf_link *kernel_perf(struct session *s, uint32_t prog, const struct plan_target *t)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .bpf_cookie = t->cookie, .offset = t->offset,
		    .retprobe = s->plan->progs[prog].kind == PP_KRETPROBE);

	return bpf_program__attach_kprobe_opts(s->progs[prog], t->symbol, &opts);
}

static int each_by_perf(struct session *s, uint32_t prog,
			struct bpf_link *(*attach)(struct session *, uint32_t,
						   const struct plan_target *))
{
	const struct plan_prog *g = &s->plan->progs[prog];
	int err = 0;

	for (uint32_t i = 0; i < g->n_targets && !err; i++)
		err = attach_libbpf_link(s, attach(s, prog, &g->targets[i]));
	return err;
}

/* ---- multi links --------------------------------------------------------------------------- */

/* What a link takes of the targets first to first + n. */
struct target_list {
	uint64_t *offsets, *cookies;
	const char **symbols;
};

static int list_targets(struct target_list *l, const struct plan_target *t, uint32_t n)
{
	l->offsets = calloc(n, sizeof(*l->offsets));
	l->cookies = calloc(n, sizeof(*l->cookies));
	l->symbols = calloc(n, sizeof(*l->symbols));
	if (!l->offsets || !l->cookies || !l->symbols)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		l->offsets[i] = t[i].offset;
		l->cookies[i] = t[i].cookie;
		l->symbols[i] = t[i].symbol;
	}
	return 0;
}

static void free_targets(struct target_list *l)
{
	free(l->offsets);
	free(l->cookies);
	free(l->symbols);
}

static int kernel_multi(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	LIBBPF_OPTS(bpf_kprobe_multi_opts, opts, .cnt = g->n_targets,
		    .retprobe = g->kind == PP_KRETPROBE);
	struct target_list l;
	int err = list_targets(&l, g->targets, g->n_targets);

	opts.syms = l.symbols;
	opts.cookies = (const __u64 *)l.cookies;
	if (!err)
		err = attach_libbpf_link(
			s, bpf_program__attach_kprobe_multi_opts(s->progs[prog], NULL, &opts));
	free_targets(&l);
	return err;
}

/* ---- hooks --------------------------------------------------------------------------------- */

bool attach_is_kernel_multi(struct kernel *k, const struct plan_prog *g)
{
	return g->n_targets > 1 && k->has_feature(k, KF_KPROBE_MULTI);
}

int att_kernel_function(struct session *s, uint32_t prog)
{
	if (attach_is_kernel_multi(s->kernel, &s->plan->progs[prog]))
		return kernel_multi(s, prog);
	return each_by_perf(s, prog, kernel_perf);
}
