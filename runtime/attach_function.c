/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching to functions of the kernel and of programs: multi links where the kernel has them, else
 * perf events.
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
	return attach_add(s, (struct link){.fd = fd, .closes_slowly = true});
}

int att_kernel_function(struct session *s, uint32_t prog)
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
		.prog_fd = (uint32_t)attach_fd(s, prog),
		.attach_type = NEW_BPF_TRACE_UPROBE_MULTI,
		.uprobe_multi = {
			.path = (uintptr_t)g->path,
			.offsets = (uintptr_t)&offset,
			.cnt = 1,
			.flags = g->kind == PP_URETPROBE ? NEW_BPF_F_UPROBE_MULTI_RETURN : 0,
		},
	};

	return attach_add(s, (struct link){.fd = (int)syscall(SYS_bpf, BPF_LINK_CREATE, &attr,
							    sizeof(attr)),
					 .closes_slowly = true});
}

int att_user_function(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];

	if (s->kernel->has_feature(s->kernel, KF_UPROBE_MULTI))
		return att_uprobe_multi(s, prog);
	return add_libbpf_link(s,
			       bpf_program__attach_uprobe(s->progs[prog], g->kind == PP_URETPROBE,
							  -1, g->path, g->offset));
}
