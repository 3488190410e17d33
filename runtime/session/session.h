/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracing session: the loaded object, its links, the shared control block, and the state to read
 * their data. session_open() loads, session_attach() attaches, the loop (loop.h) runs the session,
 * session_detach() stops the events, session_close() frees everything. Also the functions that the
 * files of this folder share; attach.h and loop_state.h are private to attach*.c and loop*.c.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "parser/plan/plan.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/session/ring.h"
#include "runtime/output/view.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_object;
struct bpf_program;
struct interp;
struct kernel;
struct ksyms;
struct packets;
struct recorded_events;
struct step_watch;
struct interval_thread;
struct unwind_worker;
struct usyms;

/* One attachment: a descriptor of a link or perf event. */
struct link {
	int fd;
	bool is_perf; /* a perf event: it can be disabled, and closing it takes 70 to 110 ms */
	bool closes_slowly;
	bool is_watch;	       /* of step_watch.c, not of the script */
	uint32_t n, n_stepped; /* functions, if there are several, and those single-stepped */
	uint32_t prog;	       /* index in plan->progs */
};

/* attach_report.c: a program that the kernel refused, in whole or in part. */
struct attach_report {
	uint32_t prog;
	enum log_level level;
	bool has_location; /* also print where its probe is in the script */
	char *text;
};

/* scope.c: a cgroup of version 2, and the levels of the hierarchy that it can be on. */
struct scope_cgroup {
	uint64_t id; /* 0: none */
	uint32_t first_level, last_level;
};
/* 0 or -errno: -EINVAL when the directory is not a cgroup of version 2. */
int scope_find_cgroup(const char *path, struct scope_cgroup *out);
/* Inode of the pid namespace, 0 when it is the initial one. */
uint32_t scope_pid_namespace(void);

struct session_scope {
	struct scope_cgroup cgroup;
	enum sonde_scope scope;
	uint32_t tgid;
	uint32_t command;    /* process of the command, whatever the scope; 0: none */
	const char *program; /* path of the command's program; NULL: there is no command */
	bool with_self;	     /* with SONDE_SCOPE_ALL: trace the tracer, too */
};

struct session {
	const struct plan *plan;
	struct session_scope scope;
	struct kernel *kernel;
	struct bpf_object *object;
	struct interp *interp;		      /* runs the programs instead of the kernel; or NULL */
	const struct recorded_events *replay; /* events that it runs on; or NULL */
	uint64_t replay_ns;		      /* the time there, CLOCK_BOOTTIME */
	struct bpf_program **progs;	      /* by plan->progs index */
	int *map_fds;			      /* by plan->maps index */
	int attach_to_fd; /* module BTF or program that the current load targets, or -1 */
	int kfunc_ids[SONDE_KFUNC_COUNT]; /* of functions that programs call; 0: not looked up */
	int losses_fd, stacks_fd, ring_fd, wake_fd, packets_fd; /* -1 when the object has none */
	struct ring_layout ring;
	struct sonde_control *control; /* mapped; NULL when the object has none */
	VEC(struct link) links;
	VEC(struct attach_report) reports; /* attach_report.c */
	uint32_t n_requested, n_attached;  /* programs that wait for events */
	uint32_t n_skipped;		   /* attach points that the kernel refused */
	uint32_t n_refused;		   /* functions that the kernel refused */
	int64_t n_namesakes; /* functions beyond the plan's targets, which have the same name */
	int stop_fd;	     /* readable when attaching must stop; -1: none */
	struct ksyms *ksyms;
	struct usyms *usyms;		      /* NULL unless user stacks are needed */
	struct unwind_worker *unwind;	      /* the same; it belongs to the session_prep */
	uint64_t open_retry_ns, open_step_ns; /* open_spans.c; 0: none */
	struct stack_source stacks;
	struct stack_cache *stack_cache;	 /* stacks.c */
	size_t names_limit;			 /* bytes of names before the next collection */
	struct stack_sweep *stack_sweep;	 /* NULL unless user stacks are needed */
	struct interval_thread *interval_thread; /* NULL unless a thread runs intervals */
	struct step_watch *step_watch;		 /* NULL: no uprobe is single-stepped */
	struct packets *packets;		 /* NULL unless skboutput() sends any */
	struct deferred_string *strings;	 /* deferred_strings.c: of the current record */
	struct gfp_flags *gfp_flags;		 /* the same; NULL until %gr prints any */
	uint64_t boot_offset_ns;		 /* CLOCK_REALTIME - CLOCK_BOOTTIME */
	uint32_t tai_seconds;			 /* CLOCK_TAI - CLOCK_REALTIME, if tai_measured */
	bool tai_measured;
	struct calibration *calibration; /* NULL unless some functions are calibrated */
	bool is_calibration_impossible;	 /* and it was reported (calibrate.c) */
	bool is_stack_unread;		 /* reading one failed, and was reported */
	uint64_t goroutine_sweep_ns;	 /* when the next one is due; 0: never */
	char *logs; /* with prep->keeps_logs: SESSION_LOG_BYTES for each program; else NULL */
	uint64_t map_records_lost; /* mmap and exec records the kernel dropped */
};

/* prepare.c: what is prepared while the compiler works. */
struct session_prep {
	bool is_interpreted;		      /* the kernel does not run the programs */
	const struct recorded_events *replay; /* events that they run on; or NULL */
	int btf_fd;			      /* custom BTF for CO-RE, or -1 */
	struct sonde_config config;
	struct session_scope scope;
	struct ring_layout ring;
	int kfunc_ids[SONDE_KFUNC_COUNT]; /* 0: not looked up */
	struct precreated_map *maps;	  /* creating a large one takes 1 to 3 ms */
	uint32_t n_maps;
	struct unwind_worker *unwind; /* NULL unless user stacks are needed (unwind.h) */
	int unwind_error;	      /* why there are no tables: -errno, or 0 */
	/* Ask the verifier what it counted: session_log(). What it refuses is not reported then. */
	bool keeps_logs;
};
void session_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
		     const struct session_scope *scope, bool is_interpreted);
void session_prep_free(struct session_prep *prep);

/* Is the program needed in this run? Those that mark descendants are so with -c and --follow. */
static inline bool session_uses_prog(const struct session *s, const struct plan_prog *g)
{
	return !prog_kind_is(g->kind, PK_TREE) || s->scope.scope == SONDE_SCOPE_TREE ||
	       s->scope.scope == SONDE_SCOPE_FOLLOW;
}

/* Load the object. 0, or -errno after a message. */
int session_open(struct session *s, const struct plan *plan, struct kernel *k,
		 struct session_prep *prep, const void *elf, size_t len);
/* What the verifier counted for a program, as text; NULL if that was not asked for. */
enum { SESSION_LOG_BYTES = 4096 };
static inline const char *session_log(const struct session *s, uint32_t prog)
{
	return s->logs ? s->logs + (size_t)prog * SESSION_LOG_BYTES : NULL;
}
/* Run a program that no event runs. Any thread may call it. 0, or -errno after a message. */
int session_run_prog(const struct session *s, uint32_t prog);
/* Run the programs of BEGIN. */
int session_run_begin(const struct session *s);
/* Run the programs of a kind (BEGIN, END …) in their order. */
int session_run_special(const struct session *s, enum plan_prog_kind kind);
/* Attach every program that can be attached before the command is executed. 0, or -errno after a
 * message; -EINTR without one when s->stop_fd ended it. */
int session_attach(struct session *s);
/* Are there other programs? They are attached when the command is at its first instruction. */
bool session_attaches_at_exec(const struct session *s);
int session_attach_at_exec(struct session *s);
struct out;
/* attach_iter.c: read every iterator to its end, or pin it to its file. `drain` handles the records
 * that its program sends meanwhile. 0, or -errno after a message (-EPIPE without one). */
int session_iterate(struct session *s, struct out *out, void (*drain)(void *ctx), void *ctx);
/* Stop all events. Links are closed; those that are slow to close are disabled and left to a helper
 * process, so that the user need not wait. */
void session_detach(struct session *s);
void session_close(struct session *s);

/* open_spans.c: for a script with open_spans = count. Once all is attached, note the threads that
 * are off CPU, with their user stacks; those for which there were no unwind tables are tried again
 * now and then. Before detaching, note the end of tracing; after it, run the bodies for open spans.
 * `drain` handles the records that programs have sent. 0, or -errno after a message. */
int session_open_begin(struct session *s);
void session_open_retry(struct session *s);
int session_open_stop(struct session *s, void (*drain)(void *ctx), void *ctx);
int session_open_count(const struct session *s);

/* follow.c: mark the descendants of `pid` as traced. Call it when all is attached. */
void session_follow(const struct session *s, uint32_t pid);

/* attach.c: attach one program; appends to s->links. 0 or -errno. */
int attach_prog(struct session *s, uint32_t prog);
/* Does `missing_probes` allow tracing without this program, which failed with `err`? */
bool attach_can_skip(const struct session *s, const struct plan_prog *g, int err);

/* stacks.c */
int stacks_open(struct session *s);
void stacks_close(struct session *s);
/* A program reported a new user stack: note the mappings of its process. */
void stacks_note(struct session *s, const struct sonde_stack_event *ev);
/* A stack was removed from the store. No view may be in use. */
void stacks_forget(struct session *s, uint64_t hash);
/* Free names of user symbols that no stack has any more, if there are many. No view may be in
 * use. */
void stacks_collect_names(struct session *s);
/* For -v: what is kept at the end. Returns how many processes were forgotten although maps had
 * stacks of them. */
uint64_t stacks_report(const struct session *s);

/* stack_sweep.c: free space in the stack store. Run it when it is due and all records that were in
 * the ring have been handled. */
struct stack_sweep *stack_sweep_new(const struct plan *p);
void stack_sweep_free(struct stack_sweep *w);
void stack_sweep_note(struct stack_sweep *w, const struct sonde_stack_event *ev);
bool stack_sweep_is_due(const struct session *s);
/* How many stacks were removed so far. */
uint64_t stack_sweep_removed(const struct stack_sweep *w);
void stack_sweep_run(struct session *s);

/* goroutine_sweep.c: forget the open calls of Go functions whose processes have ended, from time to
 * time. */
void goroutine_sweep_start(struct session *s);
void goroutine_sweep(struct session *s);

/* deferred_strings.c: values that become strings in user space. The strings live until
 * deferred_strings_forget(). */
void deferred_strings_open(struct session *s);
void deferred_strings_forget(struct session *s);
const char *deferred_strings_time(struct session *s, const char *format, uint64_t wall_ns);
uint64_t deferred_strings_wall_clock(const struct session *s);

/* cgroup_path.c: "unified:/a,cpu:/a", the paths of a cgroup id in all hierarchies whose names match
 * `filter` (NULL: all); the number, where there is none. From malloc; NULL when out of memory. */
char *cgroup_path_text(uint64_t id, const char *filter);
/* The same of what was recorded of that id: its paths without a filter. */
char *cgroup_path_filter(const char *paths, uint64_t id, const char *filter);

/* loss.c: what was lost of one probe; hits of a program that the kernel did not deliver. */
uint64_t loss_of_probe(const struct session *s, uint32_t probe);
uint64_t loss_missed(const struct session *s, uint32_t prog);
/* loss.c: report all losses by cause and probe. Returns their number. */
uint64_t loss_report(struct session *s, struct out *out);
/* How much the programs have counted as lost so far. */
uint64_t loss_total(const struct session *s);
