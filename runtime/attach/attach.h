/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The att_* hooks, one for each kind of program, and what they share. Private to attach*.c,
 * step_watch.c, run_report.c and unwind.c.
 */
#pragma once
#include "runtime/session/session.h"

/* Attach plan->progs[prog]: attach_add() each link. 0 or -errno. */
typedef int att_fn(struct session *s, uint32_t prog);
#define PROG_KIND(id, name, section, frames, gen, attach, ...) att_fn attach;
#include "parser/lang/prog_kinds.def"

/* Descriptor of a loaded program. */
int attach_fd(const struct session *s, uint32_t prog);
/* Add a link to the session, which owns l.fd from here on. Pass a negative l.fd for a failure with
 * errno. 0 or -errno. */
int attach_add(struct session *s, struct link l);

struct bpf_link;
/* The same for a link of libbpf; NULL is a failure with errno. */
int attach_libbpf_link(struct session *s, struct bpf_link *link);

/* Attach items first to first + n - 1 of a list in one system call. 0 or -errno. */
typedef int attach_some_fn(void *ctx, uint32_t first, uint32_t n);
struct attach_refused {
	VEC(uint32_t); /* freed by the caller */
	uint32_t of;
	int err;	 /* of the last one */
	const char *why; /* NULL: by err */
};
/* attach_report.c */
/* Report that the kernel refused a program, or part of its functions. */
void attach_report(struct session *s, struct attach_report r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Print the reports in the order of the script: warnings, and the first error. */
void attach_print_reports(struct session *s);
/* Does a uprobe's error mean that the instruction cannot be probed? */
bool attach_is_instruction(int err);
/* Count refused functions, and warn, except with `missing_probes = ignore` and when all were
 * refused, which the caller reports. A program that only starts spans has the same functions as the
 * one that ends them, and is not reported. */
typedef const char *attach_symbol_fn(const void *ctx, uint32_t item);
void attach_left_out(struct session *s, uint32_t prog, const struct attach_refused *refused,
		     attach_symbol_fn *symbol, const void *ctx);
/* Attach as many of `n` items as the kernel accepts: a list that is refused is split in two until
 * the refused items are known. With `batch`, lists begin with that many items and grow or shrink to
 * what takes a fifth of a second, so that attaching can be interrupted; 0: one list. 0, or -errno
 * when nothing could be attached or the error is not of a single item (EPERM, ENOMEM …). */
int attach_bisect(attach_some_fn *some, void *ctx, uint32_t n, uint32_t batch,
		  struct attach_refused *refused);
struct perf_event_attr;
/* Open a perf event of thread `pid` (-1: all) on CPU `cpu` (-1: all), attach the program, and
 * enable the event unless exec does. 0 or -errno. */
int attach_perf(struct session *s, uint32_t prog, struct perf_event_attr *attr, int pid, int cpu);
/* One event on each online CPU. */
int attach_perf_cpus(struct session *s, uint32_t prog, struct perf_event_attr *attr);
/* Attach one program; appends to s->links. 0 or -errno. */
int attach_prog(struct session *s, uint32_t prog);
/* Does `missing_probes` allow tracing without this program, which failed with `err`? */
bool attach_can_skip(const struct session *s, const struct plan_prog *g, int err);
/* Can the program be attached only when the command of -c has been executed? */
bool attach_at_exec(const struct session *s, const struct plan_prog *g);
/* Why the kernel refused a program's perf events and what to do, or NULL. */
const char *attach_event_refusal(const struct session *s, const struct plan_prog *g, int err);
const char *attach_iter_refusal(int err);

/* A failure that has been reported already. */
enum { ATTACH_ERR_REPORTED = -4096 };
/* attach_user.c: the process that uprobe_multi links can be restricted to; 0: none. */
uint32_t attach_only_process(const struct session *s);

/* ---- attach_wide.c: a warning before thousands of functions of many processes are probed */

/* `n` functions of the file at `path` are about to be probed by `prog`. */
void attach_warn_wide(const struct session *s, uint32_t prog, const char *path, uint32_t n);
