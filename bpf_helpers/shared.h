/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Definitions that BPF programs and user space share: records and their ring, the control block,
 * the configuration, the loss table, stored stacks. Included by bpf_helpers/ *.bpf.c, codegen and
 * runtime. Plain C with types of fixed width only.
 */
#pragma once
#ifdef __bpf__
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef short int16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int int32_t;
typedef long long int64_t;
#else
#include <stdint.h>
#endif

enum {
	SONDE_MAX_MAPS = 256,	/* LIMIT_MAPS */
	SONDE_MAX_FRAMES = 127, /* kernel.perf_event_max_stack's default */
	/* time limit of loops in programs that keep a CPU from other work */
	SONDE_LOOP_NS = 1000000,
	/* iterations of such loops between two readings of the clock */
	SONDE_LOOP_CLOCK = 512,
	SONDE_EPOCH_SLOTS = 4,	   /* array maps: clears that may be pending at once */
	SONDE_NAME_BYTES = 64,	   /* a row of the tables of strerror() and the like */
	SONDE_STRING_WORDS = 1024, /* strings of more bytes are walked by bpf_loop() */
	SONDE_SCRATCH_SLOTS = 4,   /* programs that can nest on a CPU: task, softirq, irq, NMI */
	/* trails (walk.h, keep_recall.bpf.c) of a CPU, of all CPUs, and of a CPU of very many:
	 * powers of two */
	SONDE_TRAILS = 128,
	SONDE_TRAILS_ALL = 1 << 14,
	SONDE_TRAILS_LEAST = 8,
	SONDE_TRACER_FRAMES = 11,      /* max. frames of a program with nested loops */
	SONDE_SCRATCH_BYTES = 2 << 20, /* max. scratch memory of a program, beside the BPF stack */
	SONDE_PERCPU_BYTES = 32768,    /* the kernel's limit for a value of a per-CPU map */
	SONDE_SCRATCH_HEAD = 8,
	SONDE_SLOTS_BYTES = 2048,      /* max. size of all CPUs' slots of a key */
	SONDE_MAX_CPUS = 4096,	       /* max. CPUs that a script's read of an aggregation covers */
	SONDE_STACK_ENTRIES = 1 << 17, /* capacity of the stack store; not preallocated */
	SONDE_SYSCALLS = 512,	       /* system call numbers in lookup tables: a power of two */
	/* open calls of a thread, at most; the kernel tracks as many return probes */
	SONDE_SPAN_CALLS = 64,
	/* The shape of a thread's slots for open calls is the size of one in bytes, and from this
	 * bit on how many there are, a power of two. */
	SONDE_SHAPE_SLOTS = 16,
	SONDE_GOROUTINE_KEY = 24,
	SONDE_FAULT_PAGE = 4096, /* the smallest page of user memory */
	/* capacity for goroutines with open calls and for these calls; not preallocated */
	SONDE_GOROUTINE_CALLS = 1 << 18,
};

/* Numbers in call instructions that stand for kernel functions; no BPF helper has them
 * (runtime/load/prog_handlers.c). */
enum {
	SONDE_KFUNC_FIRST = 0x5e550001,
	SONDE_KFUNC_SESSION_IS_RETURN = SONDE_KFUNC_FIRST,
	SONDE_KFUNC_RDONLY_CAST,
	SONDE_KFUNC_RCU_READ_LOCK,
	SONDE_KFUNC_RCU_READ_UNLOCK,
	SONDE_KFUNC_COUNT = SONDE_KFUNC_RCU_READ_UNLOCK + 1 - SONDE_KFUNC_FIRST,
};

/* ---- records ------------------------------------------------------------------------------ */

/*
 * One ring for all CPUs, in an array map that the tracer maps into its memory. Positions count
 * bytes since tracing began; records are multiples of 8 bytes. The ring is split into segments,
 * because older kernels limit an array element to 4 MiB; after each segment there is space for a
 * record that begins near the segment's end.
 *
 * A writer reserves bytes by adding to `written`, and stores the record's length last. Until then
 * the length is 0, because the reader zeroes what it has consumed. Other writers can reserve
 * between a writer's check for space and its own addition, so the check demands more than the
 * record needs: space for some records of every CPU (ring_limit). If a writer still reserves bytes
 * that are not free, it sets `overrun`, which ends the run.
 */
struct sonde_ring {
	uint64_t written __attribute__((aligned(128))); /* reserved by writers */
	uint64_t read __attribute__((aligned(128)));	/* released by the reader */
	uint32_t overrun;
};

/* Precedes each record. */
struct sonde_record_head {
	uint32_t length; /* bytes that follow, a multiple of 8; stored last */
	uint32_t unused;
};

enum {
	SONDE_RING_SEGMENT_BITS = 18,
	SONDE_RING_SEGMENT = 1 << SONDE_RING_SEGMENT_BITS, /* a smaller ring is one segment */
};

/* The beginning of every record. `id` is an index in plan->events or one of enum sonde_event_id. */
struct sonde_event {
	uint32_t id;
	uint32_t probe; /* index in plan->probes */
};

enum sonde_event_id {
	/* struct sonde_stack_event: a user stack is seen for the first time */
	SONDE_EV_STACK = 0x80000000u,
	SONDE_EV_EXIT,	  /* struct sonde_exit_event */
	SONDE_EV_UNWIND,  /* struct sonde_unwind_event: unwind tables are missing */
	SONDE_EV_WARNING, /* struct sonde_warning_event: -k */
	SONDE_EV_CODE,	  /* struct sonde_code_event */
	SONDE_EV_NOTHING, /* to be skipped */
};

struct sonde_stack_event {
	struct sonde_event head;
	uint64_t hash;
	uint64_t time_ns; /* CLOCK_MONOTONIC: selects the mappings in force then */
	uint32_t tgid;
	uint32_t exec_id;
};

/* A text that a program has read from an interpreter's memory. */
struct sonde_code_text {
	uint32_t n;    /* characters, of which as many follow as fit, the last ones of a path */
	uint8_t bytes; /* bytes of a character: 1, 2 or 4; 0: it could not be read */
	uint8_t unused[3];
};

enum { SONDE_CODE_NAME = 128, SONDE_CODE_FILE = 192, SONDE_CODE_LINES = 640 };

/* A function of an interpreter is seen for the first time on a stack. */
struct sonde_code_event {
	struct sonde_event head;
	uint32_t runtime; /* row of runtimes.def */
	uint32_t code;	  /* its number in frames */
	uint32_t line;	  /* of its definition */
	uint32_t n_lines; /* bytes of its table of lines; more than there is space for: not read */
	uint32_t tgid, unused;
	uint64_t at, lines_at; /* in the process's memory: its code object, the table */
	struct sonde_code_text name, file;
	uint8_t name_bytes[SONDE_CODE_NAME];
	uint8_t file_bytes[SONDE_CODE_FILE];
	uint8_t lines[SONDE_CODE_LINES];
};

/* Asks user space to read the mappings of process `tgid`: a walk met code for which there is no
 * table. Sent once a second until they have been read. is_exec: the process has just executed a
 * program whose file has no table. */
struct sonde_unwind_event {
	struct sonde_event head;
	uint32_t tgid;
	uint32_t exec_id;
	uint64_t is_exec;
};

/* -k: a BPF helper failed with `result`, or a map had no element, at this span of the script. */
struct sonde_warning_event {
	struct sonde_event head;
	uint32_t helper; /* BPF_FUNC_… */
	int32_t result;
	uint32_t start, end;
};

struct sonde_exit_event {
	struct sonde_event head;
	uint64_t code;
};

/* print(@m), clear(@m), or both in one record. `epoch` is the map's epoch at the call. A clear has
 * already advanced it, so user space prints and deletes everything up to and including `epoch`. */
struct sonde_map_event {
	struct sonde_event head;
	uint32_t map; /* index in plan->maps */
	uint32_t epoch;
};

/* join(): the strings of an array follow, each with its NUL. */
enum {
	SONDE_PATH_MORE = 272, /* bytes after the buffer of a path, for its last name */
	SONDE_JOIN_STRINGS = 16,
	SONDE_JOIN_STRING = 1024, /* bytes of one string at most, NUL included */
	SONDE_JOIN_BYTES = 16384, /* of all together */
};

struct sonde_join_event {
	struct sonde_event head;
	uint64_t used; /* bytes */
	char bytes[SONDE_JOIN_BYTES];
};

/* skboutput(): this is written to the perf buffer of packets, followed by `used` bytes of the
 * packet. */
struct sonde_packet_event {
	struct sonde_event head;
	uint64_t time_ns; /* CLOCK_BOOTTIME */
	uint32_t used;
	uint32_t skipped; /* bytes before the offset, among these */
	uint32_t length;  /* of the whole packet */
	uint32_t unused;
};

/* Records of a perf buffer have less than 64 KiB. */
enum { SONDE_PACKET_BYTES = 65000 };

/* Flags of a record of span(). */
enum sonde_span_flags {
	SONDE_SPAN_OPEN = 1,   /* it has not ended, but tracing has */
	SONDE_SPAN_NESTED = 2, /* the thread is in another span, which may be recorded later */
	SONDE_SPAN_CUT = 4,    /* it began before tracing did, and counts from there */
	SONDE_SPAN_LEFT = 8,   /* by an exception or longjmp: length_ns is a limit */
	SONDE_SPAN_TRACER_BIT =
		8, /* from there on: nanoseconds of the tracer in it, if subtracted */
};

struct sonde_span_event {
	struct sonde_event head;
	uint64_t start_ns, length_ns; /* CLOCK_MONOTONIC */
	uint32_t pid, tid;
	uint64_t flags; /* enum sonde_span_flags */
	char comm[16];
};

/* ---- arguments and results of calls (call.bpf.c) --------------------------------------------- */

enum {
	SONDE_CALL_WORDS = 12,	    /* of arguments, as arg0 to arg11 */
	SONDE_CALL_RESULTS = 6,	    /* words of results */
	SONDE_CALL_TEXTS = 4,	    /* of them, texts that are read */
	SONDE_CALL_TEXT_BYTES = 32, /* of each, with a NUL */
};

/* Where a text is: bits 4 to 7 of a byte. Bits 0 to 3: the number of its first word. */
enum sonde_call_form {
	SONDE_CALL_NONE,
	SONDE_CALL_CHARS,	 /* the word is the address of bytes that end with a NUL */
	SONDE_CALL_POINTER_SIZE, /* two words: address, size */
	SONDE_CALL_SIZE_POINTER,
	SONDE_CALL_AT_POINTER, /* the word is the address of two: address, size */
};

/* What is kept of a call of one function, by its number: bytes 0 to 3 are texts of arguments, byte
 * 4 is that of the result. */
enum {
	SONDE_CALL_RESULT_BIT = 32,
	SONDE_CALL_STACK_BIT = 63, /* arguments are on the stack */
};

/* A text that was read. */
struct sonde_call_text {
	uint64_t n; /* bytes and a NUL; all that fit: it may be longer; 0: it could not be read */
	char bytes[SONDE_CALL_TEXT_BYTES];
};

/* The value of `call`. The words of the result follow, those of arguments, then their texts. */
struct sonde_call {
	uint64_t function;	     /* its number: a name in the plan */
	uint64_t is_returned;	     /* the result is known */
	struct sonde_call_text text; /* of the result */
};

/* ---- the tracer's own time in spans of user functions (cost.bpf.c) -------------------------- */

/* What the kernel does with the instruction that is probed: bits of the attach cookie. */
enum sonde_cost_class {
	SONDE_COST_STEP, /* execute it elsewhere, step by step */
	SONDE_COST_PUSH,
	SONDE_COST_NOP,
	SONDE_COST_NOP5,
	SONDE_COST_JUMP,
	SONDE_COST_RET,
	SONDE_COST_CLASSES = 8,
	SONDE_COST_BIT = 60, /* of the cookie, from there on */
};

/* How the two ends of a call are attached; or PLAIN, for a probe without a span. */
enum sonde_cost_method {
	SONDE_COST_SESSION,
	SONDE_COST_PAIR,   /* a program at the entry, and a return probe */
	SONDE_COST_EXITS,  /* ... and one at each exit */
	SONDE_COST_PLAIN,  /* no span: one program at an instruction */
	SONDE_COST_RETURN, /* ... or at a return, by the kernel's return probe */
	SONDE_COST_METHODS,
};

/* floor_ns: the part of the tracer's time that is in the span of the call itself. call_ns: the
 * kernel's time for a call; with EXITS, for one hit of a probe. 0: not known, or not needed. */
struct sonde_cost {
	uint64_t floor_ns, call_ns;
};

/* What the reader waits for. */
enum sonde_sleep {
	SONDE_AWAKE,
	SONDE_ASLEEP,  /* the next record */
	SONDE_DROWSES, /* some milliseconds to pass, or an urgent record */
};

/* ---- control block: .bss, mapped into the tracer ------------------------------------------ */

/* The control block notes for this many probes whether they fired. */
enum { SONDE_MAX_FIRED = 4096 };

struct sonde_control {
	uint32_t asleep;  /* enum sonde_sleep; whoever wakes the reader clears it */
	uint32_t exiting; /* exit() was called: programs return at once */
	uint32_t exit_code;
	uint32_t counts_hits; /* hits of probes are counted: --stats, --max-overhead, status line */
	uint32_t open_begins; /* iter/task programs mark threads that are off CPU at the start */
	uint32_t open_call;   /* which open call of a thread to visit, counted from the outermost */
	uint32_t open_more;   /* some thread has more open calls */
	uint32_t open_missing; /* user stacks of waiting threads need tables that are not there */
	uint32_t open_last;    /* 1: the last attempt: such stacks are not tried again */
	uint32_t open_cut;     /* a user stack was cut, since tables are not there yet */
	uint64_t zero;	       /* always 0, but unknown to the verifier */
	uint64_t end_ns;       /* CLOCK_MONOTONIC at the end of tracing: open spans end then */
	uint32_t stack_sweeps; /* how often the store of stacks was swept */
	struct sonde_cost costs[SONDE_COST_METHODS][SONDE_COST_CLASSES];
	/* 1: the tracer asks on which CPU calls are measured; a program answers and clears it */
	uint32_t cost_ask;
	uint32_t cost_cpu;		/* the answer */
	uint64_t n_short;		/* calls that took less than what is subtracted */
	uint32_t epoch[SONDE_MAX_MAPS]; /* of each map; entries of earlier epochs are cleared */
	uint32_t acked[SONDE_MAX_MAPS]; /* last epoch that user space has deleted completely */
	struct sonde_ring ring;
	uint8_t fired[SONDE_MAX_FIRED]; /* by plan->probes index */
};

/* ---- configuration: .rodata, set before load, so the verifier prunes what is off ---------- */

enum sonde_scope {
	SONDE_SCOPE_ALL = 0,	/* everything except the tracer */
	SONDE_SCOPE_PID = 1,	/* one process */
	SONDE_SCOPE_TREE = 2,	/* a command and its descendants, by a flag in task storage */
	SONDE_SCOPE_FOLLOW = 3, /* one process, and its descendants by the same flag */
};

/* Address range of a kernel function whose frame belongs to the tracer; user space looks it up. */
struct sonde_range {
	uint64_t start, end;
};

/* Address range of the tracer's code in user space. */
struct sonde_code {
	uint64_t start, bytes;
};

/* How kernel stacks of threads that leave the CPU are taken (keep_recall.bpf.c). */
enum sonde_recall {
	SONDE_RECALL_LATE,   /* they are taken when the thread comes back: replays */
	SONDE_RECALL_NEVER,  /* they are captured when it leaves */
	SONDE_RECALL_READ,   /* or recalled: the whole stack is read by a helper */
	SONDE_RECALL_DIRECT, /* ... word by word */
};

/* Kernel code to which return probes and the function graph tracer make functions return. */
enum { SONDE_RETURN_TRAMPOLINES = 3 };

/* Kernel functions between a tracepoint and its program. */
enum sonde_frame { SONDE_FRAME_TRACEITER, SONDE_FRAME_BPF_TRACE, SONDE_FRAME_COUNT };

/* Number of programs whose tracer frames are removed from stacks. Further programs keep them. */
enum { SONDE_MAX_PROGS = 256 };

struct sonde_config {
	uint32_t self_tgid;
	uint32_t scope;	       /* enum sonde_scope */
	uint32_t scope_tgid;   /* the process of -p, or the -c command */
	uint32_t n_cpus;       /* number of possible CPUs */
	uint32_t trails_mask;  /* trails of a CPU (of user stacks, of kernel stacks) - 1 */
	uint32_t loss_mask;    /* slots of a probe in the loss table - 1 */
	uint32_t command_tgid; /* the -c command, also with --system; 0: none */
	uint32_t pid_ns;       /* inode of the tracer's pid namespace, 0: the initial one */
	uint32_t cgroup_first, cgroup_last; /* range of levels to search for cgroup_id */
	uint64_t cgroup_id;		    /* --cgroup; 0: none */
	int64_t preempt_count; /* x86-64: its distance from a CPU's run queue; 0: not known */
	uint32_t unwinds;      /* user stacks by tables (unwind.h), not frame pointers */
	uint32_t ring_bytes, ring_limit; /* size of the ring, and the limit for starting a record */
	uint32_t ring_index_mask, ring_offset_mask; /* split a position: segment, offset */
	uint64_t start_ns;			    /* CLOCK_BOOTTIME at the start of tracing */
	uint64_t boot_to_wall_ns; /* CLOCK_REALTIME - CLOCK_BOOTTIME then: for tseries() */
	uint64_t tai_ns;	  /* CLOCK_TAI - CLOCK_BOOTTIME then */
	struct sonde_code own_image, own_libraries; /* all code of the tracer */
	struct sonde_range trace_run;		    /* bpf_trace_run1 … bpf_trace_run12 */
	struct sonde_range schedule;		    /* schedule() */
	struct sonde_range entry;		    /* the entry code of the kernel */
	uint64_t trampolines[SONDE_RETURN_TRAMPOLINES];
	uint32_t recall;	/* enum sonde_recall */
	uint32_t checks_recall; /* recalled stacks are captured, too, and compared */
	uint32_t pt_regs;	/* BTF id of the kernel's struct */
	struct sonde_range frames[SONDE_MAX_PROGS][SONDE_FRAME_COUNT]; /* by plan->progs index */
	uint64_t zeros[SONDE_SLOTS_BYTES / 8]; /* initial value of a new key */
};

/* ---- stacks ------------------------------------------------------------------------------- */

/* Value of the stack store. The key is the 64-bit hash of the frames (and of tgid and exec_id for
 * user stacks), never 0; SONDE_STACK_NOT_SEEN stands for user stacks that are not known. */
#define SONDE_STACK_NOT_SEEN 1ull
/* Stands for frames that are left out of a user stack. It is no address of code: the kernel's
 * addresses below it are data. */
#define SONDE_STACK_GAP (~0ull)
/* A frame of an interpreter, in a user stack: the row of runtimes.def, the function's number (0:
 * not known), and the number of the instruction's first byte, divided by 2. */
#define SONDE_RUN_FRAME (1ull << 63)
#define SONDE_RUN_WORD(runtime, code, at) \
	(SONDE_RUN_FRAME | (uint64_t)(runtime) << 59 | (uint64_t)(code) << 24 | ((at) & 0xffffff))
#define SONDE_RUN_RUNTIME(word) ((uint32_t)((word) >> 59 & 15))
#define SONDE_RUN_NO_RUNTIME 15 /* in addresses of the kernel, and SONDE_STACK_GAP */
#define SONDE_RUN_CODE(word) ((uint32_t)((word) >> 24 & 0xffffff))
/* The instruction tells which functions it stands for: some may be inlined there. So such a word
 * also tells how many frames the script asks for; 0 or SONDE_MAX_FRAMES: all. */
#define SONDE_RUN_INLINES (1ull << 55)
#define SONDE_RUN_ASK(n) ((((uint64_t)(n) + 1) & SONDE_MAX_FRAMES) << 48)
#define SONDE_RUN_ASKED(word) \
	((word) & SONDE_RUN_INLINES ? (((uint32_t)((word) >> 48) - 1) & SONDE_MAX_FRAMES) : 0)
#define SONDE_RUN_AT(word) ((uint32_t)((word) & 0xffffff))
#define SONDE_RUN_AT_NONE 0xffffff /* the instruction does not matter: no line is shown */
struct sonde_stack {
	uint16_t n_frames;
	uint16_t end;	  /* enum unwind_end: why there are no more */
	uint32_t tgid;	  /* 0: a kernel stack */
	uint32_t exec_id; /* the process's execve count: identifies one address space */
	uint16_t sent;	  /* the record of the first sighting was reserved */
	uint16_t seen;	  /* user stacks: stack_sweeps when it was last looked up */
	/* CLOCK_MONOTONIC: all stacks with this hash were in the files that were mapped at that
	 * time. 0: they may have been in different files. */
	uint64_t time_ns;
	uint64_t ips[SONDE_MAX_FRAMES];
};

/* How a user stack is walked; 0: as usual. */
enum { STACK_BY_FP = 1, STACK_NATIVE = 2 };

/* Why a thread leaves the CPU: the rows of reasons.def. */
enum sonde_reason {
	SONDE_REASON_NONE, /* a function without a row */
#define REASON(id, ...) SONDE_REASON_##id,
#include "bpf_helpers/reasons.def"
	SONDE_REASON_COUNT,
};

/* What the kernel does: the rows RUNS_IN of the same table. */
enum sonde_context {
	SONDE_CONTEXT_thread = SONDE_REASON_COUNT,
	SONDE_CONTEXT_timer,
	SONDE_CONTEXT_softirq,
	SONDE_CONTEXT_interrupt,
};

enum {
	SONDE_REASON_NAME = 48,	  /* bytes of the name of a function in reasons.def, at most */
	SONDE_REASON_NAMES = 256, /* functions there, at most */
};

/* A user stack may be removed from the store, even if its process runs, if `sweeps` has grown by
 * this number since the stack was last looked up. Programs then store it again. */
enum { SONDE_STACK_IDLE = 2 };

static inline uint32_t sonde_stack_is_idle(const struct sonde_stack *s, uint32_t sweeps)
{
	return (uint16_t)(sweeps - s->seen) >= SONDE_STACK_IDLE;
}

/* How much time the loops of a run have left. It is in the frame of a program with limited
 * loops. */
struct sonde_loop {
	int64_t left;	   /* iterations to the next reading of the clock */
	uint64_t start_ns; /* the first reading; 0: none yet */
};

/* ---- the loss table ----------------------------------------------------------------------- */

/* Causes of losses: the rows of losses.def. */
enum sonde_loss {
#define LOSS(id, ...) SONDE_LOSS_##id,
#include "bpf_helpers/losses.def"
	SONDE_LOSS_COUNT,
	/* no loss: how often the probe's body began in scope, while control.counts_hits */
	SONDE_HITS = SONDE_LOSS_COUNT,
	/* likewise: kernel stacks that may be recalled, and how many were */
	SONDE_KSTACKS,
	SONDE_RECALLED,
	SONDE_COUNTERS,
};

/* CPUs share the counters of a probe where there are more of them. */
enum { SONDE_LOSS_SLOTS = 64 };

/* An element of the loss table: index probe * slots + CPU & loss_mask. It fills cache lines, of 8
 * counters each. */
struct sonde_counters {
	uint64_t n[(SONDE_COUNTERS + 7) / 8 * 8];
};
