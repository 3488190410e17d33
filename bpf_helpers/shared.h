/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What both sides of the kernel boundary must agree on: the ring of records, the control
 * block, the configuration, the loss table, a stored stack. Included by bpf_helpers/ *.bpf.c, by
 * codegen and by runtime. Plain C with fixed-width types only.
 */
#pragma once
#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

enum {
	SONDE_MAX_MAPS = 256,	 /* LIMIT_MAPS */
	SONDE_MAX_FRAMES = 127,	 /* kernel.perf_event_max_stack's default */
	SONDE_EPOCH_SLOTS = 4,	 /* array maps: how many clears may be on their way at once */
	SONDE_SCRATCH_SLOTS = 4, /* programs that may nest on a CPU: task, softirq, irq, NMI */
	SONDE_TRACER_FRAMES =
		11, /* frames of a program with nested loops, left out of its stacks */
	SONDE_SCRATCH_BYTES = 16384, /* a program's memory beside the BPF stack, at most */
	SONDE_SCRATCH_HEAD = 8,
	SONDE_SLOTS_BYTES = 2048,      /* all CPUs' words of a key, at most */
	SONDE_MAX_CPUS = 4096,	       /* CPUs that reading an aggregation in a script goes over */
	SONDE_STACK_ENTRIES = 1 << 17, /* stacks the store can hold; not preallocated */
	SONDE_SYSCALLS = 512,	       /* numbers that can be looked up: a power of two */
	SONDE_SPAN_CALLS = 64, /* open calls of a thread: the kernel has no more return probes */
};

/* In calls: numbers that no BPF helper has, for functions of the kernel's
   (runtime/session/load.c). */
enum {
	SONDE_KFUNC_FIRST = 0x5e550001,
	SONDE_KFUNC_SESSION_IS_RETURN = SONDE_KFUNC_FIRST,
	SONDE_KFUNC_RCU_READ_LOCK,
	SONDE_KFUNC_RCU_READ_UNLOCK,
	SONDE_KFUNC_COUNT = SONDE_KFUNC_RCU_READ_UNLOCK + 1 - SONDE_KFUNC_FIRST,
};

/* ---- records ------------------------------------------------------------------------------ */

/*
 * One ring for all CPUs, in an array map that the tracer has mapped. Positions count bytes from the
 * beginning of tracing, records take 8-byte steps. The ring is in segments, for an element of an
 * array has 4 MiB at most on older kernels; behind each there is room for a record that begins near
 * its end. A writer takes its bytes by adding to `written`, and writes the record's length last:
 * until then it is 0, for the reader leaves only zeros behind.
 * Between looking whether there is room and taking it others may do the same, so a writer looks for
 * more than it takes: room for some records of each CPU (ring_limit). Should even that be too
 * little, the writer that has taken what is not free says so (`overrun`), which ends the run.
 */
struct sonde_ring {
	uint64_t written __attribute__((aligned(128))); /* what writers have taken */
	uint64_t read __attribute__((aligned(128)));	/* what the reader has given back */
	uint32_t overrun;
};

/* Before each record. */
struct sonde_record_head {
	uint32_t length; /* bytes that follow, a multiple of 8 */
	uint32_t unused;
};

enum {
	SONDE_RING_SEGMENT_BITS = 18,
	SONDE_RING_SEGMENT = 1 << SONDE_RING_SEGMENT_BITS, /* bytes; of a smaller ring all */
};

/* Every record begins with this; `id` is an index in plan->events or one of the numbers below. */
struct sonde_event {
	uint32_t id;
	uint32_t probe; /* index in plan->probes */
};

enum sonde_event_id {
	SONDE_EV_STACK = 0x80000000u, /* struct sonde_stack_event: a user stack's first sighting */
	SONDE_EV_EXIT,		      /* struct sonde_exit_event */
};

struct sonde_stack_event {
	struct sonde_event head;
	uint64_t hash;
	uint64_t time_ns; /* CLOCK_MONOTONIC: says which execve's mappings were in force */
	uint32_t tgid;
	uint32_t exec_id;
};

struct sonde_exit_event {
	struct sonde_event head;
	uint64_t code;
};

/* print(@m), clear(@m) and the two fused: the epoch the map had. A clear has already advanced it,
 * so all that carries `epoch` or less is what user space prints and deletes. */
struct sonde_map_event {
	struct sonde_event head;
	uint32_t map; /* index in plan->maps */
	uint32_t epoch;
};

/* ---- control block: .bss, mapped into the tracer ------------------------------------------ */

struct sonde_control {
	uint32_t asleep;  /* the reader blocks: the next record must wake it (then cleared) */
	uint32_t exiting; /* exit() was called: programs return at once */
	uint32_t exit_code;
	uint32_t open_begins;  /* programs of open spans mark those that are off CPU at the start */
	uint32_t open_call;    /* which call of a thread, counted from the outermost */
	uint32_t open_more;    /* some thread has more open calls than that */
	uint64_t zero;	       /* always 0, of which the verifier knows nothing */
	uint64_t end_ns;       /* CLOCK_MONOTONIC when tracing ended: open spans end then */
	uint32_t stack_sweeps; /* how often stacks were taken out of the store */
	uint32_t epoch[SONDE_MAX_MAPS]; /* of each map: entries of earlier epochs are cleared */
	uint32_t acked[SONDE_MAX_MAPS]; /* last epoch user space has finished deleting */
	struct sonde_ring ring;
};

/* ---- configuration: .rodata, set before load, so the verifier prunes what is off ---------- */

enum sonde_scope {
	SONDE_SCOPE_ALL = 0,	/* everything but the tracer */
	SONDE_SCOPE_PID = 1,	/* one process */
	SONDE_SCOPE_TREE = 2,	/* a command and its descendants: a flag in task storage */
	SONDE_SCOPE_FOLLOW = 3, /* one process, and its descendants by the same flag */
};

/* Kernel text of the tracer's own frames; user space looks the addresses up. */
struct sonde_range {
	uint64_t start, end;
};

/* Where the tracer's own code is: `bytes` from `start`. */
struct sonde_code {
	uint64_t start, bytes;
};

/* Frames that a tracepoint's program sees above the place it was called from. */
enum sonde_frame { SONDE_FRAME_TRACEITER, SONDE_FRAME_BPF_TRACE, SONDE_FRAME_COUNT };

enum { SONDE_MAX_PROGS = 256 }; /* programs whose frames are known; later ones keep theirs */

struct sonde_config {
	uint32_t self_tgid;
	uint32_t scope;	     /* enum sonde_scope */
	uint32_t scope_tgid; /* SONDE_SCOPE_PID, and the -c command itself */
	uint32_t n_cpus;     /* possible ones */
	uint32_t pid_ns;     /* the tracer's pid namespace by its inode, 0: the initial one */
	uint32_t cgroup_first, cgroup_last; /* on which of these levels cgroup_id can be */
	uint64_t cgroup_id;		    /* --cgroup, 0: none */
	uint32_t ring_bytes, ring_limit;    /* what can be taken, and up to where more is begun */
	uint32_t ring_index_mask, ring_offset_mask; /* a position's segment, and where in it */
	uint64_t start_ns;			    /* CLOCK_BOOTTIME when tracing began */
	struct sonde_code own_image, own_libraries; /* all that the tracer executes */
	struct sonde_range trace_run;		    /* bpf_trace_run1 … bpf_trace_run12 */
	struct sonde_range frames[SONDE_MAX_PROGS][SONDE_FRAME_COUNT]; /* by plan->progs index */
	uint64_t zeros[SONDE_SLOTS_BYTES / 8]; /* what a new key's value is copied from */
};

/* ---- stacks ------------------------------------------------------------------------------- */

/* Value of the stack store; its key is the 64-bit hash of the frames (user stacks: with tgid and
 * exec_id), never 0. */
struct sonde_stack {
	uint32_t n_frames;
	uint32_t tgid;	  /* 0: a kernel stack */
	uint32_t exec_id; /* how often the process had called execve: names one address space */
	uint32_t sent;	  /* the first sighting's record was reserved */
	uint64_t ips[SONDE_MAX_FRAMES];
};

/* ---- the loss table: a per-CPU array, index probe * SONDE_LOSS_COUNT + cause --------------- */

enum sonde_loss {
	SONDE_LOSS_RING_FULL,	 /* no room for a record */
	SONDE_LOSS_MAP_FULL,	 /* E2BIG */
	SONDE_LOSS_MAP_NOMEM,	 /* ENOMEM */
	SONDE_LOSS_MAP_BUSY,	 /* EBUSY and what else an update may return */
	SONDE_LOSS_STACK_FAILED, /* bpf_get_stack failed */
	SONDE_LOSS_STACK_CUT,	 /* deeper than SONDE_MAX_FRAMES */
	SONDE_LOSS_STACK_STORE,	 /* the stack store is full */
	SONDE_LOSS_TASK_STORAGE, /* no memory for a thread's state */
	SONDE_LOSS_SCRATCH,	 /* programs nested deeper than SONDE_SCRATCH_SLOTS */
	SONDE_LOSS_DIVISION,	 /* divisions by zero, whose result was taken as 1 */
	SONDE_LOSS_CLEAR,	 /* clear() while SONDE_EPOCH_SLOTS clears were on their way */
	SONDE_LOSS_SPAN_DEEP,	 /* calls nested deeper than SONDE_SPAN_CALLS */
	SONDE_LOSS_SPAN_RETURN,	 /* calls whose return was not seen */
	SONDE_LOSS_STRING_CUT,	 /* a text was longer than what str() holds */
	SONDE_LOSS_READ_FAULT,	 /* memory that could not be read: it is empty or 0 */
	SONDE_LOSS_RUN,		 /* a run left out: no memory beside the stack, nested too deeply */
	SONDE_LOSS_LOOP_CUT,	 /* loops cut after LIMIT_LOOP or LIMIT_ROUNDS */
	SONDE_LOSS_INDEX,	 /* elements behind an array's end, taken as 0 */
	SONDE_LOSS_SPAN_START,	 /* times on the CPU whose beginning was not seen */
	SONDE_LOSS_INTERVAL,	 /* firings of an interval too late to run: counted by user space */
	SONDE_LOSS_COUNT,
};
