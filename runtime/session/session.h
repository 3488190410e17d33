/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tracing session: the loaded object, its links, the shared control block, and the state to read
 * their data. runtime/load/ loads it, runtime/attach/ attaches it, runtime/events/ reads what it
 * sends, runtime/run/ begins, runs and ends it.
 */
#pragma once
#include "runtime/base/log.h"
#include "runtime/base/vec.h"
#include "runtime/session/ring.h"
#include "runtime/session/tracer_time.h"
#include "runtime/view/view.h"

struct bpf_object;
struct bpf_program;
struct interp;
struct ksyms;
struct packets;
struct event_source;
struct step_watch;
struct cpu_watch;
struct interval_thread;
struct session_prep;
struct unwind_worker;
struct usyms;

/* One attachment: a descriptor of a link or perf event. */
struct link {
	int fd;
	bool is_perf; /* a perf event: it can be disabled, and closing it takes 70 to 110 ms */
	bool closes_slowly;
	int cpu;	       /* of a perf event: its CPU, -1 for all */
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

struct session {
	const struct plan *plan;
	struct kernel *kernel;
	const struct sonde_config *config; /* which the session_prep has */
	struct bpf_object *object;
	const struct session_prep *prep;
	VEC(struct bpf_object *) waiting; /* waiting.c: loaded when they are needed */
	struct interp *interp;		  /* runs the programs instead of the kernel; or NULL */
	struct event_source *source;	  /* of its events; NULL: the kernel */
	struct bpf_program **progs;	  /* by plan->progs index */
	int *map_fds;			  /* by plan->maps index */
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
	struct usyms *usyms;	      /* NULL unless user stacks are needed */
	struct unwind_worker *unwind; /* the same; it belongs to the session_prep */
	/* open_spans.c; 0: none */
	uint64_t open_look_ns, open_step_ns, open_rest_ns, open_version;
	struct stack_source stacks;
	struct stack_cache *stack_cache; /* stacks.c */
	size_t names_limit;		 /* bytes of names before the next collection */
	struct codes *codes;		 /* functions of interpreters; NULL: none were seen */
	struct stack_sweep *stack_sweep; /* NULL unless user stacks are needed */
	struct interval_thread *interval_thread; /* NULL unless a thread runs intervals */
	struct cpu_watch *cpu_watch;	 /* CPUs that come and go; NULL: no event is on each CPU */
	struct step_watch *step_watch;	 /* NULL: no uprobe is single-stepped */
	struct packets *packets;	 /* NULL unless skboutput() sends any */
	struct deferred_string *strings; /* deferred_strings.c: of the current record */
	struct gfp_flags *gfp_flags;	 /* the same; NULL until %gr prints any */
	uint64_t boot_offset_ns;	 /* CLOCK_REALTIME - CLOCK_BOOTTIME */
	uint32_t tai_seconds;		 /* CLOCK_TAI - CLOCK_REALTIME, if tai_measured */
	bool tai_measured;
	const struct tracer_time *tracer_time; /* NULL unless the plan needs it */
	void *tracer_time_state;	       /* of its own; NULL: none yet */
	bool is_stack_unread;		       /* reading one failed, and was reported */
	uint64_t goroutine_sweep_ns;	       /* when the next one is due; 0: never */
	char *logs; /* with prep->keeps_logs: SESSION_LOG_BYTES for each program; else NULL */
	uint64_t map_records_lost; /* mmap and exec records the kernel dropped */
	uint64_t *skipped_runs;	   /* until tracing ended, by plan->progs index; NULL before */
};

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
/* Has a stop signal arrived? Asked where something can take long. */
bool session_stopped(const struct session *s);
/* Let the programs count the hits of their probes (loss_hits()), or not. */
void session_count_hits(const struct session *s, bool counts);
bool session_counts_hits(const struct session *s);
/* The probe to name in messages; NULL for a hidden program. */
const struct plan_probe *session_first_probe(const struct session *s, uint32_t prog);
/* What the kernel says of a program. False if it says nothing. */
struct bpf_prog_info;
bool session_prog_info(const struct session *s, uint32_t prog, struct bpf_prog_info *out);
/* Runs that the kernel skipped, because it ran a program or changed a map on that CPU. */
uint64_t session_skipped_runs(const struct session *s, uint32_t prog);
/* Tracing ends now: keep the counts of skipped runs, since later ones are no losses. The kernel
 * calls or skips a program of a perf event until the event is closed, even if it is disabled. */
void session_keep_skipped_runs(struct session *s);
/* The program's name for users. */
const char *session_prog_name(const struct session *s, uint32_t prog);
