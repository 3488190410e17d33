/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching to functions of programs: multi links where the kernel has them, else perf events.
 */
#include "attach.h"
#include "kernel_facts.h"
#include "uapi_new.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

static struct bpf_link *user_perf(struct session *s, uint32_t prog, const struct plan_target *t)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = t->cookie,
		    .retprobe = s->plan->progs[prog].kind == PP_URETPROBE);

	return bpf_program__attach_uprobe_opts(s->progs[prog], -1, t->path, t->offset, &opts);
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

/* One link for the targets of one file. */
static int user_multi(struct session *s, uint32_t prog, const struct plan_target *t, uint32_t n)
{
	struct new_link_create attr = {
		.prog_fd = (uint32_t)attach_fd(s, prog),
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi.path = (uintptr_t)t->path,
		.uprobe_multi.cnt = n,
	};
	struct target_list l;
	int err = list_targets(&l, t, n), fd;

	if (s->plan->progs[prog].kind == PP_URETPROBE)
		attr.uprobe_multi.flags = NEW_BPF_F_UPROBE_MULTI_RETURN;
	attr.uprobe_multi.offsets = (uintptr_t)l.offsets;
	attr.uprobe_multi.cookies = (uintptr_t)l.cookies;
	if (!err) {
		fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
		err = attach_add(s, (struct link){.fd = fd, .closes_slowly = true});
	}
	free_targets(&l);
	return err;
}

/* ---- hooks --------------------------------------------------------------------------------- */

int att_user_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint32_t n = 0;
	int err = 0;

	if (!s->kernel->has_feature(s->kernel, KF_UPROBE_MULTI))
		return each_by_perf(s, prog, user_perf);
	for (uint32_t first = 0; first < g->n_targets && !err; first += n) {
		n = 1;
		while (first + n < g->n_targets &&
		       strcmp(g->targets[first].path, g->targets[first + n].path) == 0)
			n++;
		err = user_multi(s, prog, &g->targets[first], n);
	}
	return err;
}
