/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: the only data passed from the compiler to the runtime. It describes the kernel
 * programs and their targets, the layout of map keys, map values and ring-buffer records, and
 * what the runtime has to provide. All offsets are decided in plan*.c; codegen and runtime
 * follow them. The plan holds no pointer into the AST and lives in the plan arena.
 */
#pragma once
#include "parser/lang/config.h"
#include "parser/lang/format_spec.h"
#include "parser/lang/probe.h"
#include <regex.h>

/* A value at a fixed offset in a key, a map value, a record or a span's state. */
struct plan_field {
	const struct type *type;
	uint32_t offset, size; /* bytes */
};

enum plan_map_kind {
	PM_HASH,	 /* keyed, plain values */
	PM_SLOT_HASH,	 /* keyed aggregations and tseries: each value has a slot for each CPU */
	PM_ARRAY,	 /* plain value without keys: one element for each epoch slot */
	PM_PERCPU_ARRAY, /* aggregation without keys: likewise */
};

/* --sort. ORDER_VALUE is the order of a map without that option, too; ORDER_TOTAL differs from it
 * for stats(), whose value is the average. */
struct plan_order {
	enum { ORDER_DEFAULT, ORDER_VALUE, ORDER_TOTAL, ORDER_KEY } by;
	uint32_t part; /* ORDER_KEY: the part that comes first; 0: as they are */
	bool is_descending;
};

/* A map of the script. Hash keys begin with the uint32 epoch at offset 0; array indexes are
 * epoch % SONDE_EPOCH_SLOTS. `value` is at offset 0; arrays have a uint64 at touched_offset that
 * is nonzero once the element was written. */
struct plan_map {
	const char *name;   /* "@lat", "@" */
	const char *symbol; /* its C identifier in the ELF: "map_lat", "map_" + index when needed */
	struct span span;   /* first use */
	enum plan_map_kind kind;
	uint32_t bpf_type, flags; /* BPF_MAP_TYPE_*, BPF_F_* */
	struct plan_field *keys;  /* user-visible parts; offsets count from the key's start */
	const char **key_names;	  /* of each part: "comm", or "key_2" if its value has no name */
	uint32_t n_keys;
	uint32_t key_size;
	const struct type *value;
	bool is_time;		 /* sums of durations, in nanoseconds */
	bool is_dropped;	 /* the script removes entries */
	bool is_kept_back;	 /* no print() names it, and it is not printed at the end */
	uint32_t value_size;	 /* as the kernel stores it; for PM_PERCPU_ARRAY on each CPU */
	uint32_t touched_offset; /* arrays only */
	uint32_t n_words;	 /* aggregations: 64-bit words of a value; 0 means 1 */
	uint32_t n_slots,
		slot_bytes;	/* PM_SLOT_HASH: the slots of the CPUs, side by side; else 0 */
	uint32_t bucket_offset; /* keyed histograms: the key's last part, a uint32 bucket; else 0 */
	uint32_t
		interval_offset; /* tseries: behind the slots, the number of the interval; else 0 */
	uint32_t max_entries;
	struct plan_order order; /* of its rows in the output */
};

static inline bool plan_is_hash(const struct plan_map *m)
{
	return m->kind == PM_HASH || m->kind == PM_SLOT_HASH;
}

enum plan_event_kind {
#define EVENT(id, ...) PE_##id,
#include "parser/lang/event_kinds.def"
	PE_KIND_COUNT,
};
/* Their names in dumps and recordings; of a call with a format, that of the function. */
extern const char *const plan_event_names[PE_KIND_COUNT];

/* A ring-buffer record that a call in the script sends: a struct sonde_event, then the fields. */
struct plan_event {
	enum plan_event_kind kind;
	struct span span;
	uint32_t size;	/* whole record, bytes, a multiple of 8 */
	uint32_t least; /* of the shortest, when the length varies: `size` is the longest */
	struct plan_field *fields;
	uint32_t n_fields;
	struct format_piece *pieces; /* of a format: printf and the like; PE_ROW: columns */
	uint32_t n_pieces;
	bool is_named;	/* PE_SPAN: the script gives the name */
	uint32_t table; /* PE_ROW: the same columns are the same table; from 0 on */
	bool has_map;
	uint32_t map;	  /* map events */
	const char *text; /* PE_TIME: the format; PE_JOIN: the separator; PE_PACKET: the file */
	uint32_t top;	  /* print(@m, top, div): rows to show, 0 all */
	uint64_t divisor; /* values are divided by it unless it is 0 */
};

/* A function or location that a program is attached to. */
struct plan_target {
	const char *symbol, *path; /* as in struct attach_target */
	uint64_t offset, size;
	bool is_entry;
	const char *module; /* kernel functions: as in struct attach_target */
	uint64_t address;
	uint64_t ref_ctr;     /* usdt: file offset of the semaphore, 0: none */
	const char *recorded; /* the name of its events in struct kernel's recording; or NULL */
	bool is_jump;	      /* to another function, where a function of a program is left */
	/* What the runtime finds out: the kernel single-steps the instruction; why no other one of
	 * the function is probed, or NULL. */
	bool is_stepped;
	const char *why_stepped;
	/* With several targets: func_id of struct plan_probe, name_id from bit 32 on. From
	 * PLAN_FORMAT_BIT on: for usdt the index of the argument format; at exits of user functions
	 * the condition of a jump (struct user_exit); at entries PLAN_IS_LOOP. */
	uint64_t cookie;
};

/* PLAN_IS_JUMP: above the conditions; only where a probe uses `call`. */
enum { PLAN_FORMAT_BIT = 52, PLAN_IS_LOOP = 1, PLAN_IS_JUMP = 32 };

/* A kernel program: one ELF function, one attachment, or one to each of its targets. */
struct plan_prog {
	enum plan_prog_kind kind;
	const char *symbol;  /* ELF function, at most 15 bytes, so that the kernel shows it whole */
	const char *section; /* as libbpf spells them: "tp_btf/sched_switch" */
	uint32_t *probes;    /* indexes in plan->probes; none for hidden programs */
	uint32_t n_probes;
	uint32_t *starts; /* indexes in plan->probes: whose spans begin here */
	uint32_t n_starts;
	const char *fallback; /* the slower mechanism this kernel is left with, and why; or NULL */
	const char *event;    /* the kernel's name of the tracepoint or iterator; or NULL */
	const struct typed_function *typed; /* fentry, fexit, rawtracepoint: what it is given */
	uint64_t hertz;			    /* PP_PROFILE, PP_EVENT: the rate; 0: by a period */
	bool is_sleepable; /* it faults in the memory of its strings first (prefault.h) */
	/* It only does this for another program: 1 + that one's index in plan->progs; else 0. */
	uint32_t prefaults;
	bool walks; /* user stacks by tables */
	union {
		struct {			     /* PK_KERNEL_FUNCTION, PK_USER_FUNCTION */
			const char *function;	     /* or the pattern */
			struct plan_target *targets; /* of user functions: sorted by file */
			uint32_t n_targets;
			bool by_cookie;	   /* several targets: the cookie says which */
			bool by_condition; /* of user functions: some cookie has a condition */
			bool has_loops;	   /* ... some entry is passed in each round of a loop */
			bool has_jumps;	   /* ... some cookie has PLAN_IS_JUMP */
			/* ... the programs read arguments; registers by name, or the address of
			 * the instruction */
			bool reads_args, reads_registers;
		};
		struct { /* tracepoints; used by PP_TRACEPOINT */
			const char *category;
			uint32_t tracepoint_id;
		};
		uint64_t period_ns;	/* PK_PERIOD */
		struct perf_point perf; /* PK_EVENT */
		const char *pin;	/* PK_ITER: the file that keeps it, or NULL */
		const char *test;	/* PK_TEST: its name */
	};
};

/* The number of functions that a program is on; 0 when it is on none. */
static inline uint32_t plan_n_targets(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_KERNEL_FUNCTION | PK_USER_FUNCTION) ? g->n_targets : 0;
}

/* The file that keeps an iterator; NULL when the program is none, or is not pinned. */
static inline const char *plan_pin(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_ITER) ? g->pin : NULL;
}

/* True when the cookie tells which of several functions a run is of. */
static inline bool plan_has_cookie(const struct plan_prog *g)
{
	return plan_n_targets(g) && g->by_cookie;
}

/* True when some of its targets are jumps that are taken on a condition. */
static inline bool plan_by_condition(const struct plan_prog *g)
{
	return prog_kind_is(g->kind, PK_USER_FUNCTION) && g->by_condition;
}

/* The system calls that a probe on sys_enter or sys_exit is for: PP_SYSCALL_ENTER, _EXIT. */
struct plan_syscall {
	int64_t number;	 /* -1: any */
	int64_t *more;	 /* other calls of a pattern, which share the body */
	uint32_t *names; /* their `probe`, in plan->names */
	uint32_t n_more, n_names;
};

/* A stack that is captured when a span starts. */
struct plan_kept_stack {
	uint32_t limit;		 /* frames; 0: all */
	enum stack_walk walk;	 /* of a user stack */
	struct plan_field field; /* its hash */
};

/* The hidden state of the spans that a probe ends (spans.def): `slots` of slot_bytes each, behind
 * `head` bytes. Offsets in a slot: start (uint64 ns) 0, the key (uint64), if there is one, 8; of
 * calls also the target's cookie (uint64) 16. */
struct plan_span {
	enum span_kind kind; /* SPAN_NO: the probe ends none */
	uint32_t owner;	     /* the probe whose state it is: system calls of one body share it */
	uint32_t bpf_type, flags; /* BPF_MAP_TYPE_*, BPF_F_* of its map */
	uint32_t max_entries, key_size;
	uint32_t head; /* number of open slots, and of execve, if there are several; else 0 */
	uint32_t slots, slot_bytes;
	uint32_t inside; /* offset of the time of the calls inside (uint64 ns); 0: not needed */
	uint32_t before; /* of the tracer's own time before the span (cost.bpf.c); 0: none */
	struct plan_field call;	    /* the value of `call`; type NULL: it is not used */
	struct plan_field *entries; /* entry(…), by their call.event */
	uint32_t n_entries;
	/* SPAN_SWITCH: what the start keeps, because another thread runs at the end */
	struct plan_kept_stack *stacks, *kstacks; /* user and kernel stacks, each once */
	uint32_t n_stacks, n_kstacks;
	uint32_t reason;	 /* offset of the name of the reason (uint64); 0: it is not kept */
	struct plan_field *args; /* args fields, by name below */
	const char **arg_names;
	uint32_t n_args;
};

/* An attach point as the user wrote it. */
struct plan_probe {
	const char *name; /* "tracepoint:sched:sched_switch": the builtin `probe`, and messages */
	uint32_t name_id, func_id; /* `probe` and `func` in plan->names; func_id 0: it has none */
	uint32_t type_id;	   /* `probetype`, likewise */
	struct span span;
	uint32_t prog;	/* index in plan->progs */
	uint32_t ast;	/* index in program->probes, for codegen */
	uint32_t point; /* index in that probe's points */
	struct plan_syscall syscall;
	struct plan_span state;
	struct span divisor; /* the first one that may be 0; empty: there is none */
	bool has_divisors;   /* there are more */
};

/* What the runtime must provide; codegen links only what is needed. */
struct plan_needs {
	bool ring_buffer; /* some record can be sent */
	uint32_t ring_bytes;
	bool kstack, ustack;
	bool recall;		/* kernel stacks of threads that leave the CPU */
	bool reason;		/* kernel stacks tell why they wait, or what runs */
	bool unwind, dwarf;	/* some ustack is walked by tables if possible; only by tables */
	bool own_unwind;	/* ... in a probe that runs in the tracer: BEGIN, END, self */
	bool frame_pointers;	/* ... by the kernel: ustack(fp) */
	uint32_t stack_entries; /* different stacks that can be kept; 0 when there are none */
	bool task;		/* fields of a thread are read: CO-RE */
	bool scope;		/* some program tests the scope */
	bool cgroup;		/* of a thread that may be another than the current one */
	bool exit;		/* exit() appears */
	bool paths;		/* path() walks the entries of folders */
	bool pids;		/* threads are looked up by number */
	bool only_cgroup;	/* of a thread's cgroup: --cgroup */
	bool pid_namespace;	/* numbers of processes are those of another than the initial one */
	bool warnings;		/* -k: failed reads and lookups send a record */
	bool packets;		/* skboutput() sends packets */
	bool times;		/* lengths of spans are read */
	bool tracer_time;	/* the tracer's own time is subtracted from spans of calls */
	bool cpus;		/* the number of CPUs: aggregations may be read in programs */
};

/* Names of functions and attach points, each once; a TY_NAME value is an index. [0] is "". */
struct plan_names {
	const char **text;
	uint32_t n;
	uint32_t *slots; /* by hash: index in text, 0 when free */
	uint32_t n_slots;
};

/* A function whose calls are kept (`call`). */
struct plan_call {
	const char *name, *path;	    /* name NULL: it is none */
	uint64_t offset;		    /* in the file */
	const struct typed_function *typed; /* NULL: not known */
	uint64_t texts;			    /* as in struct call_layout */
};

struct plan {
	struct plan_map *maps;
	uint32_t n_maps;
	struct plan_event *events;
	uint32_t n_events;
	struct plan_prog *progs;
	uint32_t n_progs;
	struct plan_probe *probes;
	uint32_t n_probes;
	struct plan_names names;
	struct plan_call
		*calls; /* by name: of the attach point, or of the function if that is named */
	uint32_t n_calls;
	struct plan_needs needs;
	struct config config;
	const struct source *source;	  /* the source that spans in the plan refer to */
	const struct bpf_import *imports; /* files of C for BPF, for messages about them */
	uint32_t n_imports;
	bool allows_unsafe;   /* --unsafe was given */
	uint64_t duration_ns; /* after which tracing ends, as the words of the script say; or 0 */
};

enum plan_run {
	RUN_ORDINARY, /* without tests and benchmarks */
	RUN_TESTS,    /* --test: tests, BEGIN and END */
	RUN_BENCHES,  /* --bench: benchmarks, BEGIN and END */
	RUN_ALL,      /* --check, --emit */
};

struct plan_options {
	struct kernel *kernel; /* its capabilities decide between mechanisms; NULL: it has all */
	enum plan_run run;
	bool scope_tree;		 /* -c: the hidden fork and exec programs are needed */
	bool scope_all;			 /* all processes are traced, in this kernel */
	bool only_cgroup, pid_namespace; /* as in struct plan_needs */
	bool warnings;			 /* the same */
	uint32_t max_stacks;		 /* 0: SONDE_STACK_ENTRIES */
	const regex_t *filter;		 /* --probe-filter; NULL: all probes */
	const char *sort;		 /* --sort: orders of maps, separated by commas; or NULL */
};

/* Make the plan of a checked program. NULL when a limit is exceeded, which is reported to `d`. */
struct plan *plan_make(struct arena *a, struct program *p, const struct plan_options *options,
		       struct diags *d);
/* Print the plan (--emit plan); sizes are for n_cpus possible CPUs. */
void plan_dump(const struct plan *p, uint32_t n_cpus, FILE *out);
/* Its two parts: the layouts of maps and records, the programs and what they need. */
void plan_dump_maps(const struct plan *p, uint32_t n_cpus, FILE *out);
void plan_dump_programs(const struct plan *p, FILE *out);
/* Bytes of a map's keys and values when it is full. */
uint64_t plan_map_bytes(const struct plan_map *m, uint32_t n_cpus);

/* The stack of `stacks` with the same frames, or NULL. */
const struct plan_kept_stack *plan_find_stack(const struct plan_kept_stack *stacks, uint32_t n,
					      struct plan_kept_stack like);

/* plan_run.c: how many probes there are. One on many functions counts as many, as users count
 * them. */
uint32_t plan_count_probes(const struct plan *p);

/* plan_row.c: the table of a row's columns: that of an event of `p` with the same columns, or a new
 * one. */
uint32_t plan_row_table(const struct plan *p, const struct plan_event *row);
/* The number of tables of rows. */
uint32_t plan_n_tables(const struct plan *p);
/* The name of a table of rows: "rows", "rows_2", … */
enum { PLAN_TABLE_NAME = 24 };
const char *plan_table_name(uint32_t table, char out[PLAN_TABLE_NAME]);

/* plan_names.c: the number of `text`, which need not end with a NUL; added when it is new. */
uint32_t plan_name_add(struct arena *a, struct plan *p, const char *text, uint32_t len);
/* The number of a name; 0 when the plan does not have it. */
uint32_t plan_name_find(const struct plan *p, const char *text, uint32_t len);
/* The name of a number; "" for an invalid one. */
const char *plan_name(const struct plan *p, uint32_t id);
/* Do its programs read structs of the kernel, whose layout BTF describes? */
static inline bool plan_uses_core(const struct plan *p)
{
	return p->needs.scope || p->needs.ustack || p->needs.reason || p->needs.task ||
	       p->needs.paths || p->needs.packets;
}
