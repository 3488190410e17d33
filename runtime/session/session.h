/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracing session: the loaded object, its links, the shared control block, and what is needed to
 * read it. session_open loads, session_attach attaches, the loop (loop.h) runs it, session_detach
 * stops the events, session_close gives all back.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "parser/plan/plan.h"
#include "runtime/base/vec.h"
#include "runtime/session/ring.h"
#include "runtime/output/view.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;
struct bpf_program;
struct kernel;
struct ksyms;
struct interval_thread;
struct usyms;

/* One attachment: a descriptor of a link or perf event. */
struct link {
	int fd;
	bool is_perf; /* perf event: can be disabled, costs 70-110 ms to close */
	bool closes_slowly;
	uint32_t prog; /* index in plan->progs */
};

/* scope.c: a cgroup of version 2, and on which levels of the hierarchy it can be. */
struct scope_cgroup {
	uint64_t id; /* 0: none */
	uint32_t first_level, last_level;
};
/* 0 or -errno: -EINVAL when the directory is none of a cgroup of version 2. */
int scope_find_cgroup(const char *path, struct scope_cgroup *out);
/* Inode of the pid namespace, 0 when it is the initial one. */
uint32_t scope_pid_namespace(void);

struct session_scope {
	struct scope_cgroup cgroup;
	enum sonde_scope scope;
	uint32_t tgid;
	bool with_self; /* the tracer too, where everything is traced */
};

struct session {
	const struct plan *plan;
	struct session_scope scope;
	struct kernel *kernel;
	struct bpf_object *object;
	struct bpf_program **progs; /* by plan->progs index */
	int *map_fds;		    /* by plan->maps index */
	int attach_to_fd; /* BTF of a module, or a program: what is loaded now goes on it; or -1 */
	int kfunc_ids[SONDE_KFUNC_COUNT]; /* of functions that programs call; 0: to be asked */
	int losses_fd, stacks_fd, ring_fd, wake_fd; /* -1 when the object has none */
	struct ring_layout ring;
	struct sonde_control *control; /* mapped; NULL when the object has none */
	VEC(struct link) links;
	uint32_t n_requested, n_attached; /* programs that wait for events, by session_attach */
	uint32_t n_skipped;		  /* attach points that the kernel refused */
	uint32_t n_refused;		  /* functions that the kernel allows no probe on */
	int64_t n_namesakes; /* functions beyond the plan's targets: several have one name */
	int stop_fd;	     /* readable when attaching is to end; -1: none */
	struct ksyms *ksyms;
	struct usyms *usyms; /* NULL unless user stacks are needed */
	struct stack_source stacks;
	struct stack_cache *stack_cache;	 /* stacks.c */
	struct stack_sweep *stack_sweep;	 /* NULL unless user stacks are needed */
	struct interval_thread *interval_thread; /* NULL unless a thread runs intervals */
	struct deferred_string *strings;	 /* deferred_strings.c: of the current record */
	uint64_t boot_offset_ns;		 /* CLOCK_REALTIME - CLOCK_BOOTTIME */
	uint64_t map_records_lost;		 /* mmap and exec records the kernel dropped */
};

/* What can be made ready while the compiler works: BTF cut, symbol addresses. Owned by the session
 * once it is opened. */
struct session_prep {
	int btf_fd; /* custom BTF for CO-RE, or -1 */
	struct sonde_config config;
	struct session_scope scope;
	struct ring_layout ring;
	int kfunc_ids[SONDE_KFUNC_COUNT]; /* found already; 0: not asked for */
	struct precreated_map *maps;	  /* created already: the large ones cost 1 to 3 ms each */
	uint32_t n_maps;
};
void session_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
		     const struct session_scope *scope);

void session_prep_free(struct session_prep *prep);

/* Load the object. 0, or -errno with what is wrong said on standard error. */
int session_open(struct session *s, const struct plan *plan, struct kernel *k,
		 struct session_prep *prep, const void *elf, size_t len);
/* Run a program whose kind is run by us, not by events. Any thread may. 0, or -errno, said. */
int session_run_prog(const struct session *s, uint32_t prog);
/* Run the BEGIN or END programs, in their order. */
int session_run_special(const struct session *s, enum plan_prog_kind kind);
/* Attach every program that can be attached before the command is executed. 0, or -errno, said;
 * -EINTR, unsaid, when s->stop_fd ended it. */
int session_attach(struct session *s);
/* Are there others? They are attached when the command stands at its first instruction. */
bool session_attaches_at_exec(const struct session *s);
int session_attach_at_exec(struct session *s);
struct out;
/* attach_iter.c: read every iterator to its end, or leave it in its file; `drain` is called between
 * for the records that its program sent. 0, or -errno, said (but for -EPIPE). */
int session_iterate(struct session *s, struct out *out, void (*drain)(void *ctx), void *ctx);
/* No event after this one: links are closed, or disabled and left to a helper process where closing
 * would keep the user waiting. */
void session_detach(struct session *s);
void session_close(struct session *s);

/* open.c: spans of a script with open_spans = count. Note what is off CPU when all is attached;
 * note when tracing ends, before detaching; run the bodies of open spans after it. */
int session_open_begin(const struct session *s);
void session_open_stop(const struct session *s);
int session_open_count(const struct session *s);

/* follow.c: what `pid` has started is traced too. Called when all is attached. */
void session_follow(const struct session *s, uint32_t pid);

/* attach.c: one program. Appends to s->links. 0 or -errno. */
int attach_prog(struct session *s, uint32_t prog);
/* May tracing go on without this program, which `err` refused, as `missing_probes` has it? */
bool attach_can_skip(const struct session *s, const struct plan_prog *g, int err);

/* stacks.c */
int stacks_open(struct session *s);
void stacks_close(struct session *s);
/* A user stack was seen for the first time: remember its process's mappings. */
void stacks_note(struct session *s, const struct sonde_stack_event *ev);
/* Stacks were taken out of the store: no view may be in use. */
void stacks_forget(struct session *s);

/* stack_sweep.c: room in the stack store. Run it when it is due and all records that were in the
 * ring before are shown. */
struct stack_sweep *stack_sweep_new(void);
void stack_sweep_free(struct stack_sweep *w);
void stack_sweep_note(struct stack_sweep *w, const struct sonde_stack_event *ev);
bool stack_sweep_is_due(const struct session *s);
void stack_sweep_run(struct session *s);

/* deferred_strings.c: values that user space puts into words. The strings live until
   deferred_strings_forget. */
void deferred_strings_open(struct session *s);
void deferred_strings_forget(struct session *s);
const char *deferred_strings_time(struct session *s, const char *format, uint64_t wall_ns);
uint64_t deferred_strings_wall_clock(void);

/* loss.c: what was lost, by cause and probe, to the output; the number of losses. */
uint64_t loss_report(struct session *s, struct out *out);
