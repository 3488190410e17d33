/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The state of a walk over a user stack (unwind.bpf.c). It is in the scratch memory of a stack.
 *
 * The stack of the current thread is read when it is needed. The memory of another thread can be
 * read only by a program itself, not by its global functions. So the walk of such a stack returns
 * to its caller for memory: sonde_unwind_other() sets `need`, and repeats its step when the caller
 * has read that memory to the window (waiting.bpf.c).
 *
 * The functions of a walk are global: the verifier checks each once, with unknown arguments,
 * instead of in each of 127 iterations. It does not know the contents of *w either.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/unwind_hotspot.h"
#include "bpf_helpers/unwind_machine.h"
#include "bpf_helpers/unwind_v8.h"

enum {
	PAGE = 4096,
	WALK_WINDOW = 512, /* bytes of the stack that a walk reads at once */
	WALK_MOST = 8192,  /* bytes of a stack that is recalled, at most */
	WALK_SLOTS = 128,  /* words of a stack that a trail remembers: a power of two */
	WALK_GIVEN = 8,	   /* the most words that a step reads: a power of two */
	/* Of a stack with more than SONDE_MAX_FRAMES frames, the innermost WALK_INNER and the
	 * outermost are kept, with SONDE_STACK_GAP between. During the walk, the last WALK_OUTER
	 * frames (a power of two) are in w->words from WALK_OUTER_AT on. */
	WALK_INNER = 100,
	WALK_OUTER = 32,
	WALK_OUTER_AT = 136,
	RUN_WORDS = 64,	   /* words read of a frame of an interpreter, or of a thread's keys */
	RUN_CODE = 80,	   /* bytes read of an object that describes code */
	RUN_MOST = 4096,   /* frames of interpreters in a walk */
	WALK_DEEP = 12288, /* frames of a walk within one mapping: 0.5 ms */
};

/* Two numbers of a process's address space that differ if its mappings have changed: see
 * unwind_vma.bpf.c. */
struct sonde_signs {
	uint64_t space, changes;
};

/*
 * A trail: what a walk has read. The result of a walk depends only on its first registers, the
 * words that it reads, and the tables. If all of these are unchanged, the stack is the same, and
 * need not be walked or hashed again. Fewer words do not suffice: with ip, sp, bp and the word at
 * sp alone, 2 of 31,589 stacks were wrong.
 */
struct sonde_trail {
	uint64_t ip, sp, fp, link;
	uint64_t hash;	     /* hash of the stack; 0: none */
	uint32_t generation; /* generation of the process's ranges */
	uint32_t limit;
	uint32_t sweeps; /* sweeps of the stack store at that time */
	uint32_t n_slots;
	uint64_t signs_at; /* kernel address of the signs */
	struct sonde_signs signs;
	uint64_t bytes;		   /* bytes of the stack up to the last slot */
	uint16_t at[WALK_SLOTS];   /* offsets of the slots from sp, in words */
	uint64_t word[WALK_SLOTS]; /* the words in the slots */
};

enum walk_extra { EXTRA_UNKNOWN, EXTRA_IN_REGISTER };

/* A mapping (struct vm_area_struct of the kernel). */
struct sonde_vma {
	uint64_t start, bytes, offset, flags;
	uint64_t device, inode; /* 0: no file */
};

struct sonde_walk {
	uint64_t ip, sp, fp;
	uint64_t link;	    /* x30 of the innermost frame, on arm64 */
	uint64_t word_mask; /* see CUT_WORD */
	uint32_t word;
	/* the address of the word that has the frame's extra register, or enum walk_extra */
	uint64_t extra_at;
	/* another thread's task_struct, if the walk is of its stack; the saved user registers */
	uint64_t other, regs;
	uint64_t context; /* of a program on a switch: its address */
	/* the memory of the other thread from here upwards has to be read; 0: none */
	uint64_t need;
	uint64_t refused; /* the other thread has no memory at this address */
	/* the first words of the last windows of its memory */
	uint64_t given_at[WALK_GIVEN], given[WALK_GIVEN];
	uint32_t n_given;
	uint64_t start, bytes, origin; /* the mapping of the last frame (struct unwind_range) */
	uint32_t piece;
	uint32_t flags;	    /* enum unwind_range_flags */
	uint32_t is_mapped; /* no more will be known of that mapping than this */
	/* the mapping cannot be verified: before 6.1, and for other threads */
	uint32_t is_unsure;
	uint64_t file;	/* hash of the file that is mapped there; 0: no file */
	uint64_t files; /* hash of the files of all frames */
	uint32_t ranges, n_ranges;
	uint64_t signature;  /* differs if the mappings may differ: unwind_vma.bpf.c */
	uint32_t generation; /* of the ranges; 0: none */
	uint32_t n_frames;
	uint32_t limit; /* frames that were asked for; 0: at most SONDE_MAX_FRAMES are walked */
	uint32_t end;	/* enum unwind_end */
	uint32_t exact; /* ip is the next instruction; else it is a return address */
	uint32_t by_fp; /* ip was found by a frame pointer */
	/* arm64: a frame pointer led to the frame, whose sp is not known; it is not below w->sp */
	uint32_t is_sp_least;
	/* number of frames before those that the next certain frame has to confirm; 0: there are
	 * none to confirm */
	uint32_t n_certain;
	uint32_t found;	     /* enum unwind_end: GOES_ON if the frame's address is in code */
	uint32_t is_missing; /* something was not in the tables */
	uint32_t must_ask;   /* user space has to be told, by a struct sonde_unwind_event */
	/* number of this scratch slot; only 0 learns trails, since no other walk runs on the CPU
	 * while slot 0 is taken */
	uint32_t slot;
	uint32_t trail; /* index of the walk's trail */
	uint64_t hash;	/* hash of the stack, if it was recalled by its trail; else 0 */
	struct sonde_vma vma;
	/* the range that w->vma is compared with: not on the stack, see unwind_vma.bpf.c */
	uint64_t known_start, known_bytes, known_origin, known_tag;
	uint32_t known_piece, known_flags;
	uint64_t look;	   /* buffer for reads of kernel structs */
	uint64_t node[15]; /* the pivots of a node of the kernel's tree of mappings */
	/* frames of an interpreter, see unwind_run.bpf.c */
	uint64_t task;	      /* the current one */
	uint32_t is_native;   /* frames of interpreters are not wanted */
	uint32_t run_runtime; /* the number of the runtime whose layout this is; 0: none yet */
	struct unwind_layout layout;
	uint64_t run_at;    /* the C frame or frame with which the next run begins; 0: none */
	uint64_t run_frame; /* the next frame of the run; 0: the walk is in no run */
	uint64_t run_low, run_bytes; /* the frame of the C function */
	uint64_t run_last;	     /* before 3.11: the function's frame */
	uint64_t run_ip, run_caller; /* its address, and that of its caller */
	uint32_t run_n;		     /* frames before the run */
	uint32_t run_after;	     /* how many there were after the last run, plus 1 */
	uint32_t run_rest;	     /* frames that may be added */
	/* no more frames are needed: those before the last run were overwritten, or enough
	 * functions were found */
	uint32_t is_deep;
	int64_t run_wanted; /* how many more functions are needed, minus 1 */
	uint32_t n_left;    /* frames of an interpreter that stay C frames */
	uint64_t run[RUN_WORDS], code[16];
	/* frames of HotSpot, see unwind_run_hotspot.bpf.c */
	struct unwind_hotspot java;
	uint64_t java_block, java_block_bytes; /* the last block: the interpreter is one */
	uint64_t java_at;		       /* word address of `java`; 0: it was not read yet */
	uint64_t java_nmethod; /* address of the name that a CodeBlob of compiled code has */
	uint64_t java_method, java_hash;      /* of the frame; 0: none, or not known yet */
	uint64_t java_text[2], java_bytes[2]; /* the names of the method and of its class */
	uint64_t java_sp, java_fp, java_ip;   /* of the caller */
	uint32_t java_is_named;		      /* java_text is set */
	uint32_t java_compile;		      /* the number of the compilation */
	/* where in its block the frame is, and SONDE_RUN_INLINES; SONDE_RUN_AT_NONE: interpreted */
	uint64_t java_place;
	/* PHP, see unwind_run_php.bpf.c */
	uint64_t first[4];    /* ip, sp and fp of the innermost frame; run_wanted */
	uint64_t php_globals; /* address of executor_globals */
	uint64_t php_opline;  /* the instruction that the function executes now; 0: not known */
	uint64_t php_value;   /* where on the stack the last run's result goes; 0: not known */
	uint64_t php_at;      /* the frame that is read next */
	uint64_t php_is_user, php_line; /* of its function */
	uint64_t php_texts[4];		/* hashes of texts; 0: not known */
	/* generators: the one whose frame it is; the outermost one that delegates; the last one
	 * that was added; the one to look at */
	uint64_t php_generator, php_leaf, php_parent, php_node;
	uint64_t php_skip; /* C frames that have no run, a bit for each */
	uint32_t php_step;
	uint32_t php_n;	   /* C frames of the function so far */
	uint32_t php_last; /* the number of the one that got the last run */
	uint32_t php_n_skipped;
	uint32_t php_n_unsure; /* last runs of which it is not known where their result goes */
	uint32_t php_tries;    /* how often the walk was done again */
	uint32_t php_is_wrong; /* it must be done again */
	uint32_t php_is_unreadable;
	/* Perl, see unwind_run_perl.bpf.c; also some words of PHP's */
	uint64_t perl_base;  /* the first context of the stack of contexts */
	uint64_t perl_outer; /* the stack of contexts before it; 0: none */
	uint64_t perl_at;    /* the next context; below perl_base: none */
	/* the statement that is executed in it, and that before the last context */
	uint64_t perl_cop, perl_next_cop;
	uint64_t perl_sub; /* of the last context; 0: none */
	uint64_t perl_env,
		perl_env_outer;	   /* places to jump to: the next one, and the one after it */
	uint64_t perl_length[3];   /* of texts */
	uint64_t perl_ends;	   /* the last context is the last of a run */
	uint32_t perl_has_context; /* the run has one */
	uint32_t perl_is_matched;  /* the place that called the last run was its own */
	uint32_t perl_is_idle;	   /* the innermost code may not run at present */
	uint32_t perl_is_done;	   /* there are no more runs */
	/* V8, see unwind_run_v8.bpf.c */
	struct unwind_v8 v8;
	uint32_t v8_at; /* word address of `v8`; 0: the process has none */
	uint32_t v8_is_read;
	uint64_t v8_maps[3];			/* of types that were found */
	uint64_t v8_hash;			/* of the function */
	uint64_t v8_name, v8_inferred, v8_file; /* its texts; 0: none */
	/* see sonde_unwind_v8_text() */
	uint64_t v8_text, v8_more;
	uint32_t v8_total, v8_total_name, v8_total_file;
	struct unwind_v8_texts v8_texts;
	uint64_t window_at, window_bytes; /* address of the window, and how much of it is valid */
	uint64_t window[WALK_WINDOW / 8];
	union {
		struct sonde_stack stack;
		uint64_t words[168]; /* also a kernel stack with its tracer frames, and slack */
	};
};

/* Added to the limit of a walk: no frames of interpreters; those alone are wanted, n of them (0:
 * all that the stack has). */
#define WALK_NATIVE 0x10000
#define WALK_RUNS(n) (0x20000 | (n) << 8)

/* Walk the user stack of the current thread: at most `limit` frames, to w->stack.ips. Returns their
 * number; w->end says why there are no more. If w->hash is set, the stack was recalled instead.
 * `sweeps` is that of the stack store, since recalled stacks must still be in it. */
uint64_t sonde_unwind_walk(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id, uint32_t limit,
			   uint32_t sweeps);
/* The stack of the last walk has this hash, and is in the store: recall it from now on. */
uint64_t sonde_unwind_learn(struct sonde_walk *w, uint64_t hash);

/* The same for another thread, in steps. The caller sets w->other and w->regs. begin returns 0 if
 * the thread cannot be unwound. other goes to the next frame, and returns 1 at the end of the walk.
 * finish returns the number of frames. */
uint32_t sonde_unwind_begin(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id);
uint32_t sonde_unwind_other(struct sonde_walk *w);
uint64_t sonde_unwind_finish(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id);
uint32_t sonde_unwind_test_since(struct sonde_walk *w, uint32_t tgid, uint32_t exec_id,
				 uint64_t since);

/* Has the file of the current thread's program a table? */
uint32_t sonde_unwind_has_program(void);
/* The current thread has just executed a program: ask for its tables if there are none. */
uint32_t sonde_unwind_exec(uint32_t tgid, uint32_t exec_id);

#define FACTOR 0x9e3779b97f4a7c15ull /* for hashes: 2^64 / the golden ratio, odd */
#define GLOBAL __attribute__((noinline))
#define LOOP _Pragma("clang loop unroll(disable)")
/* A value in memory, read again: the verifier forgets what branches have told it of the value, and
 * need not follow what comes next once for each of them. */
#define AGAIN(v) (*(const volatile __typeof__(v) *)&(v))
/* Hide what the verifier and LLVM know of a value; they would follow each possible value. */
#define OPAQUE(v) __asm__ volatile("" : "+r"(v))

/* Should user space be asked to read the mappings of the process? */
uint32_t sonde_unwind_must_ask(uint32_t tgid, uint32_t exec_id);
/* Set the walk's mapping to the one that contains its address, and set w->found. */
uint32_t sonde_unwind_locate(struct sonde_walk *w, struct sonde_trail *t);
/* What the walk's ip stands for: the return address below the walk's sp, if a return probe has
 * replaced it, or the probed instruction, if it is the address of its copy; 0: neither. */
uint64_t sonde_unwind_replaced(struct sonde_walk *w);
/* The same for the first frame, which is in code without a table: set the walk's ip. */
uint32_t sonde_unwind_first(struct sonde_walk *w, struct sonde_trail *t);
/* Are all words that the walk of the trail has read unchanged? */
uint32_t sonde_unwind_recall(struct sonde_trail *t);
/* Read the signs of the current process's mappings into the trail, and set w->signature. */
uint32_t sonde_unwind_sign(struct sonde_walk *w, struct sonde_trail *t);
/* If an array of n ranges contains x, set the walk's mapping to that range, moved by `shift`, and
 * return 1; else return 0. */
uint32_t sonde_unwind_range(struct sonde_walk *w, uint32_t ranges, uint64_t n, uint64_t x,
			    int64_t shift);
/* The index of the rule of the row that covers an offset in a piece. */
uint32_t sonde_unwind_row(uint32_t piece, uint64_t offset);
/* Read the window again, from `address` upwards: a read costs 70 ns whatever its size. Returns 0 if
 * there is no memory, or it is not read yet (w->need). */
uint32_t sonde_unwind_read(struct sonde_walk *w, uint64_t address);
/* Put the outermost frames of a deep stack behind the innermost ones. */
uint32_t sonde_unwind_join(struct sonde_walk *w);
/* Go to the caller of a function that runs on another stack than its caller, or runs an
 * interpreter. Returns enum unwind_end. */
uint32_t sonde_unwind_switch(struct sonde_walk *w, struct sonde_trail *t,
			     const struct unwind_rule *rule);
/* Find a frame of HotSpot, and put the function in its place. Returns 1 if w->java_* are the
 * registers of its caller. */
uint32_t sonde_unwind_java(struct sonde_walk *w, struct sonde_trail *t);
/* The same for V8, whose functions keep the frame pointer. Returns 1 if w->java_* are the registers
 * of the caller; else rbp leads to it. has_begun: the innermost frame is not there yet; put the
 * function in its place if it has just begun, and return 0. */
uint32_t sonde_unwind_v8(struct sonde_walk *w, struct sonde_trail *t, uint32_t has_begun);
/* The value of a register of the innermost frame, by its DWARF number. */
uint64_t sonde_unwind_register(struct sonde_walk *w, uint32_t number);
/* Is there a call instruction before x? */
uint32_t sonde_unwind_follows_call(struct sonde_walk *w, uint64_t x);
/* Is x where the function of a fiber returns to, as boost::context sets it up? */
uint32_t sonde_unwind_is_base(struct sonde_walk *w, uint64_t x);
