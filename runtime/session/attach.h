/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The att_* hooks, one a kind of program, and what they share. Private to attach*.c.
 */
#pragma once
#include "runtime/session/session.h"

/* Attach plan->progs[prog]: attach_add() each link. 0 or -errno. */
typedef int att_fn(struct session *s, uint32_t prog);
#define PROG_KIND(id, name, section, frames, gen, attach, ...) att_fn attach;
#include "parser/lang/prog_kinds.def"
#undef PROG_KIND

/* Descriptor of a loaded program. */
int attach_fd(const struct session *s, uint32_t prog);
/* Take over l.fd; one below 0 is the failure that errno tells. 0 or -errno. */
int attach_add(struct session *s, struct link l);

struct bpf_link;
/* Take over the descriptor of a link that libbpf made; NULL is the failure that errno tells. */
int attach_libbpf_link(struct session *s, struct bpf_link *link);

/* What part of a list the kernel takes: attach items first to first + n in one go. 0 or -errno. */
typedef int attach_some_fn(void *ctx, uint32_t first, uint32_t n);
struct attach_refused {
	VEC(uint32_t); /* freed by the caller */
	uint32_t of;
	int err; /* why the last was */
};
/* How the user knows a program: by its first probe. */
const char *attach_name(const struct session *s, uint32_t prog);
/* A uprobe's: there is an instruction that cannot be probed. */
bool attach_is_instruction(int err);
/* Functions were refused: count them, and say so but with `missing_probes = ignore` and when all
 * were, which is the caller's to say. What only starts spans is on the same functions as what ends
 * them, and keeps quiet. */
typedef const char *attach_symbol_fn(const void *ctx, uint32_t item);
void attach_left_out(struct session *s, uint32_t prog, const struct attach_refused *refused,
		     attach_symbol_fn *symbol, const void *ctx);
/* Attach as many of `n` as the kernel takes, in as few goes as it takes: what it refuses is halved
 * until the single items are known. 0, or -errno when nothing could be attached, or for a reason
 * that no item has. */
int attach_bisect(attach_some_fn *some, void *ctx, uint32_t n, struct attach_refused *refused);
struct perf_event_attr;
/* A perf event of a thread (`pid`, or -1: all) on a processor (`cpu`, or -1: all): attach and
 * enable it, but for one that is enabled by exec. 0 or -errno. */
int attach_perf(struct session *s, uint32_t prog, struct perf_event_attr *attr, int pid, int cpu);
/* One a processor; those that are off have none. */
int attach_perf_cpus(struct session *s, uint32_t prog, struct perf_event_attr *attr);
/* Can it be attached only when the command of -c is executed? */
bool attach_at_exec(const struct session *s, const struct plan_prog *g);
/* Why the kernel refused a program's perf events, and what to do: or NULL. */
const char *attach_event_refusal(const struct session *s, const struct plan_prog *g, int err);
const char *attach_iter_refusal(int err);

/* Below a message about a program: where in the script its probe is. */
void attach_say_place(const struct session *s, const struct plan_prog *g);

/* Is this kernel function's program one for a multi link? It must be loaded so. */
bool attach_is_kernel_multi(struct kernel *k, const struct plan_prog *g);

/* A failure that has been put into words already. */
enum { ATTACH_ERR_SAID = -4096 };
/* attach_slow.c: did a signal to stop come? Asked where attaching may take long. */
bool attach_stopped(const struct session *s);
