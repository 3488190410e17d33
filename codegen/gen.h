/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private header of codegen/: the generator's state, values, and what each file offers.
 *
 *   codegen.c       the steps of code generation
 *   gen_prog.c      kernel programs: entry, scope, dispatch of system calls, body
 *   gen_span.c      both ends of spans       gen_span_go.c   ... of Go's functions
 *   gen_open.c      open spans               gen_cost.c      the tracer's own time
 *   gen_iter.c      iterators                gen_act.c       functions that act
 *   gen_stmt.c      statements               gen_expr.c      expressions
 *   gen_loop.c      loops                    gen_frame.c     storage of variables and epochs
 *   gen_part.c      long bodies, in functions of their own
 *   gen_follow.c    limits on the verifier's work for `unroll`
 *   gen_scratch.c   scratch memory           gen_type.c      loads, stores, buffers
 *   gen_map.c       maps                     gen_bucket.c    keyed histograms
 *   gen_agg.c       aggregations             gen_event.c     records
 *   gen_call.c      hooks of builtins.def    gen_len.c       len()
 *   gen_call_value.c  `call`: arguments and results of calls
 *   gen_thread.c    hooks about threads      gen_clock.c     clocks, registers, constants
 *   gen_compound.c  tuples, records, casts, pointers
 *   gen_struct.c    structs and arrays of C
 *   gen_string.c    strings in memory        gen_text.c      functions of strings
 *   gen_debug.c     debugf()                 gen_warn.c      -k
 *   gen_bytes.c     bytes in memory          gen_prefault.c  memory that is not resident
 *   gen_typed.c     arguments and results that BTF describes
 *   gen_usdt.c      arguments of USDT probes
 *   gen_uaddr.c     addresses of symbols of programs
 *   gen_import.c    calls of imported BPF functions
 *   gen_btf.c       debug info, which becomes BTF
 *   helper.c        calls of BPF helpers and of bpf_helpers/
 *   outline.c       which functions of bpf_helpers/ are inlined
 *   regs.c          registers of the architecture
 *   stack_depth.c   stack, calls and jumps of an object, as the verifier counts them
 *   emit.c          target machine, passes, output
 */
#pragma once
#include "parser/lang/ast_query.h"
#include "codegen/gen_ir.h"
#include "parser/lang/builtin.h"
#include "parser/plan/plan.h"
#include "parser/lang/type_space.h"
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>
#include <linux/bpf.h>

/* A value and its type in the script: LLVM pointers are untyped. */
struct value {
	enum {
		V_NONE,
		/* v is an i64, whatever the type's width; also used for hashes of stacks */
		V_INT,
		V_MEM,	   /* v is a pointer to type->size bytes */
		V_LITERAL, /* a string literal of `len` bytes; v is not set */
	} kind;
	const struct type *type;
	LLVMValueRef v;
	const char *literal; /* NUL-terminated */
	uint32_t len;
};

/* The BPF function that is being generated: a program, or the body of a loop in it. Entering the
 * body of a loop copies this struct; leaving it assigns the copy back. */
struct gen_body {
	LLVMValueRef fn;
	LLVMMetadataRef di_fn;
	LLVMBasicBlockRef entry; /* allocas go here */
	LLVMBasicBlockRef start; /* the first block of a loop's body, after `entry` */
	LLVMBasicBlockRef done;	 /* target of `return` */
	/* target of exit(); differs from `done` in the body of a fn */
	LLVMBasicBlockRef exit;
	LLVMBasicBlockRef on_break, on_continue; /* NULL outside loops */
	/* in a loop: target when LIMIT_ROUNDS or the time is used up */
	LLVMBasicBlockRef on_spent;
	/* copies that the unrolls around this code make of it; 0: none */
	uint32_t n_copies;
	/* kernel stack frames of the loops around, with those of the kernel's functions that call
	 * them */
	uint32_t loop_frames;
	uint32_t n_parts;	 /* number of parts (gen_part.c) that this code is nested in */
	LLVMValueRef ctx, words; /* words: arguments of a raw tracepoint; ctx, or from a record */
	LLVMValueRef current;	 /* typed pointer to the current task; NULL: not fetched yet */
	LLVMValueRef subject;	 /* typed pointer to the thread the probe is about; NULL: current */
	LLVMValueRef delta;	 /* i64, at a span's end */
	LLVMValueRef began;	 /* i64, the span's start time, at its end */
	/* i64, delta including the tracer's own time; NULL: equal to delta */
	LLVMValueRef length;
	LLVMValueRef cut; /* i64, 1 if the span's start was not seen; NULL: not needed */
	/* i64, delta without the time of nested calls; NULL: not needed */
	LLVMValueRef self;
	LLVMValueRef span; /* the span's slot, at its end */
	bool prefaults;	   /* generating what is done before the body: gen_prefault.c */
	/* i64, nesting depth at the end of a call; NULL: spans of this kind do not nest */
	LLVMValueRef depth;
	/* i64, the system call's number, in programs on sys_enter and sys_exit */
	LLVMValueRef syscall;
	/* in probes with loops: one buffer with variables and epochs (gen_frame.c) */
	LLVMValueRef frame;
	LLVMValueRef *vars;   /* addresses, by var->id */
	LLVMValueRef *epochs; /* addresses, by map index; NULL: not used, or in scratch memory */
	LLVMValueRef scratch; /* address of the pointer to scratch memory; NULL: none here */
};

/* The kernel program being generated. */
struct gen_prog {
	uint32_t id;
	const struct plan_prog *plan;
	/* An alloca of an i32. In a test: the value of `return VALUE`. In a session program: 0
	 * requests that the program runs at the return too. NULL in other programs. */
	LLVMValueRef result;
	/* i64, when the program began; NULL: it need not know */
	LLVMValueRef began;
	LLVMValueRef charge; /* i32 on the stack (gen_cost.c); NULL: it ends or begins no call */
};

/* The probe in that program. */
struct gen_probe {
	uint32_t id;
	const struct plan_probe *plan;
	const struct probe *ast;
	const struct attach_point *point;
	bool is_open, is_left; /* generating for open spans; of these, calls that were left */
	bool is_start;	       /* generating the start of the probe's spans */
	struct span at;	       /* the expression or statement being generated: for messages */
	struct {	       /* offsets in body.frame */
		uint32_t size, rounds_at, result_at, *var_at, *epoch_at;
	} frame;
	bool spills;	   /* variables and most values are in scratch memory */
	bool splits;	   /* long blocks are generated as functions of their own: gen_part.c */
	bool unrolls_loop; /* `unroll` becomes a loop of the kernel: gen_follow.c */
	bool has_frame;	   /* variables are in body.frame: gen_frame.c */
	struct {	   /* gen_scratch.c */
		/* bytes: in use now, largest amount so far, used by variables */
		uint32_t used, most, of_vars;
		bool is_exceeded;
		LLVMBasicBlockRef before, start;
	} scratch;
};

struct gen {
	/* the module */
	LLVMContextRef llvm;
	LLVMModuleRef module;
	LLVMModuleRef library;	 /* the bitcode of bpf_helpers/; NULL once it is linked */
	LLVMTargetMachineRef tm; /* NULL before emit_optimize */
	LLVMBuilderRef b;
	LLVMDIBuilderRef di;
	LLVMMetadataRef di_file, di_unit;
	LLVMTypeRef i8, i16, i32, i64, ptr;
	LLVMValueRef *maps;  /* by plan index: the .maps globals */
	LLVMValueRef *spans; /* by plan probe index: task storage, or NULL */
	uint32_t n_loops;    /* for the names of loop bodies */
	uint32_t n_parts;    /* for the names of parts (gen_part.c) */

	const struct program *program;
	const struct plan *plan;
	struct arena *arena;
	struct diags *diags;	/* limits that the script exceeds */
	bool spills;		/* set for a new attempt: the last one exceeded the BPF stack */
	bool is_long;		/* ... a function of the last one was too long */
	bool parts_loop;	/* ... the last one had too many branches: gen_part.c */
	bool inlines;		/* ... calls of outlined functions exceeded a limit: inline them */
	bool has_outlined;	/* some functions of bpf_helpers/ are not inlined: outline.c */
	uint32_t scratch_bytes; /* the largest amount that any probe uses */
	bool failed; /* an error is in `diags`, or else a defect of sonde's in `message` */
	/* this attempt: another one follows, so nothing is reported */
	bool exceeds_stack;
	bool exceeds_length;   /* likewise */
	bool exceeds_branches; /* likewise */
	/* likewise: because of functions of bpf_helpers/ that are not inlined */
	bool exceeds_calls;
	/* the last function whose stack was reported as too large */
	const char *stack_error;
	char message[256];

	struct gen_prog prog;
	struct gen_probe probe;
	struct gen_body body;
	struct gen_slot { /* buffers of this program's functions, as they were made */
		LLVMValueRef fn, buffer;
		uint32_t bytes;
		bool is_ended;
	} *slots;
	uint32_t n_slots;
};

/* ---- memory (gen_type.c) */
/* Constants: an i64, an i32. */
LLVMValueRef gen_u64(struct gen *g, uint64_t n);
LLVMValueRef gen_u32(struct gen *g, uint32_t n);
/* The address `offset` bytes after `base`. */
LLVMValueRef gen_at(struct gen *g, LLVMValueRef base, uint32_t offset);
/* A buffer on the BPF stack, aligned to 8 bytes. gen_buffer_end() ends its lifetime: LLVM can then
 * reuse its memory. */
LLVMValueRef gen_buffer(struct gen *g, uint32_t size);
void gen_buffer_end(struct gen *g, LLVMValueRef buffer, uint32_t size);
/* End the lifetime of all buffers of this function that were made since g->n_slots was n, so that
 * the next probe of the program reuses their memory. */
void gen_buffers_end(struct gen *g, uint32_t n);
/* The type of integers of 1, 2, 4 or 8 bytes. */
LLVMTypeRef gen_int_type(struct gen *g, uint32_t size);
/* The i64 `v` as a value of the integer type. */
struct value gen_int_value(LLVMValueRef v, const struct type *type);
/* Store `v` at `dest` as `type`, in its size; strings are cut, or padded with NULs. */
void gen_store(struct gen *g, struct value v, const struct type *type, LLVMValueRef dest);
/* Load a value of `type` from `src`. */
struct value gen_load(struct gen *g, const struct type *type, LLVMValueRef src);
/* Zero `size` bytes at `dest`, which is aligned to 8 bytes. */
void gen_zero(struct gen *g, LLVMValueRef dest, uint32_t size);
/* Zero the bytes from offset `at` up to offset `size` of `dest`. */
void gen_zero_from(struct gen *g, LLVMValueRef dest, uint32_t at, uint32_t size);
/* Up to this size, bytes are copied, zeroed and compared inline; above it, calls take less code. */
enum { INLINE_BYTES = 256 };
/* The address of a copy of `text`, with a NUL at its end, in .rodata. */
LLVMValueRef gen_constant(struct gen *g, const char *text, uint32_t len);
/* Data in a section of .rodata. */
LLVMValueRef gen_constant_data(struct gen *g, LLVMValueRef data, const char *name,
			       const char *section);
/* Set the location in the script, for messages and for the line info of verifier logs. */
void gen_location(struct gen *g, struct span span);

/* ---- helpers (helper.c) */
/* Call the BPF helper BPF_FUNC_*. The result is an i64. */
LLVMValueRef gen_helper(struct gen *g, int number, LLVMValueRef *args, unsigned n);
#define GEN_HELPER(g, number, ...)                               \
	gen_helper((g), (number), (LLVMValueRef[]){__VA_ARGS__}, \
		   sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef))
/* Call a function of bpf_helpers/. Arguments are converted to the parameters' types. NULL for
 * void. */
LLVMValueRef gen_call_helper(struct gen *g, const char *name, LLVMValueRef *args, unsigned n);
#define GEN_CALL(g, name, ...)                                      \
	gen_call_helper((g), (name), (LLVMValueRef[]){__VA_ARGS__}, \
			sizeof((LLVMValueRef[]){__VA_ARGS__}) / sizeof(LLVMValueRef))
/* Open the library, the bitcode of bpf_helpers/, without reading its functions. 0 or -1. */
int helper_begin(struct gen *g);
/* Link the functions of the library that the module calls. 0 or -1. */
int helper_link(struct gen *g);
/* Is this map or data used by functions that will be linked to the object (linked.def)? */
bool helper_is_linked(const struct gen *g, const char *name);

/* A call of a function of imported BPF (gen_import.c). */
struct value gen_imported(struct gen *g, struct expr *e);

/* ---- expressions and statements */
/* Generate an expression. Scratch memory that it takes is released if the value is an integer. */
struct value gen_expr(struct gen *g, struct expr *e);
/* Generate an expression of an integer type. Returns its i64. */
LLVMValueRef gen_int(struct gen *g, struct expr *e);
/* Go to `then` if the integer `e` is not 0, else to `otherwise`. */
void gen_condition(struct gen *g, struct expr *e, LLVMBasicBlockRef then,
		   LLVMBasicBlockRef otherwise);
/* Generate the statements of a block; a long block is split into parts (gen_part.h). */
void gen_stmts(struct gen *g, const struct block *b);
/* The same, but all in the current function, however many statements there are. */
void gen_each_stmt(struct gen *g, const struct block *b);
/* x op y for i64 values and an arithmetic operator. */
LLVMValueRef gen_arith(struct gen *g, enum op op, LLVMValueRef x, LLVMValueRef y, bool is_signed);

/* The register at byte `offset` of struct pt_regs, the context. */
LLVMValueRef gen_register(struct gen *g, uint32_t offset);

/* ---- typed functions and raw tracepoints (gen_typed.c) */
/* The i64 of an argument, narrowed to its width and extended by its sign. It is a plain number even
 * if the verifier tracks the argument as a pointer. */
LLVMValueRef gen_typed_arg(struct gen *g, const struct tp_field *param);
/* The i64 that the function returned: the whole register, not narrowed. */
LLVMValueRef gen_typed_result(struct gen *g);
/* Element `index` of a constant table of name ids. */
LLVMValueRef gen_name_at(struct gen *g, LLVMValueRef table, LLVMValueRef index);
/* The number of the tracer's frames at the top of the kernel stack. */
uint32_t gen_tracer_frames(const struct gen *g);
/* Is the program one of a kprobe, and no recorded event runs it? */
bool gen_is_kernel_entry(const struct gen *g);
/* The hash of the user stack of the thread `task`, which is the current one. */
LLVMValueRef gen_user_stack(struct gen *g, LLVMValueRef task, LLVMValueRef probe, uint32_t limit,
			    enum stack_walk walk);
/* ---- USDT (gen_usdt.c): the value of argument i; if the attach point is a pattern, the name id of
 * the probe that fired */
struct value gen_usdt_arg(struct gen *g, struct expr *e, unsigned i);
LLVMValueRef gen_usdt_name(struct gen *g);

/* The attach cookie as the kernel gives it. With needs.tracer_time its highest bits hold enum
 * sonde_cost_class. */
LLVMValueRef gen_whole_cookie(struct gen *g);
/* The cookie without these bits: plan_target.cookie of the target that fired, in a program with
 * several targets. */
LLVMValueRef gen_cookie(struct gen *g);
/* The bits of gen_cookie() from PLAN_FORMAT_BIT on. */
LLVMValueRef gen_cookie_format(struct gen *g);
/* The part of gen_cookie() that identifies the function. It is the same at both ends of a call. */
LLVMValueRef gen_cookie_function(struct gen *g);
/* The values of the builtins `probe` and `func`: indexes in plan->names. */
LLVMValueRef gen_probe_name(struct gen *g);
LLVMValueRef gen_func_name(struct gen *g);

/* A typed pointer to the thread that the probe is about (gen_call.c). Reading pid, comm and the
 * like through it costs a load, while a helper call takes 10 to 85 ns. */
LLVMValueRef gen_task(struct gen *g);

/* ---- compound values (gen_compound.c) */
struct value gen_list(struct gen *g, struct expr *e);
/* Store `e` at `at` as `type`. The value is built in place if possible. Scratch memory that `e`
 * takes is released. */
void gen_expr_into(struct gen *g, struct expr *e, const struct type *type, LLVMValueRef at);
struct value gen_field(struct gen *g, struct expr *e);
struct value gen_index(struct gen *g, struct expr *e);
struct value gen_cast(struct gen *g, struct expr *e);
struct value gen_deref(struct gen *g, struct expr *e);
/* Read `size` bytes of memory in `space` at `address`. A failed read gives zeros and is counted as
 * a loss. */
void gen_read_to(struct gen *g, LLVMValueRef to, uint32_t size, LLVMValueRef address,
		 enum type_space space);
/* Hide the bounds of an index from LLVM. If LLVM knows that the index is small, it adds it to the
 * array's address with a bitwise or, which the verifier rejects; or it compares a copy of the
 * index, so that the verifier does not see its bound. */
LLVMValueRef gen_opaque(struct gen *g, LLVMValueRef at);
/* Read a value of `type` from an address of the traced memory. */
struct value gen_read_at(struct gen *g, LLVMValueRef address, enum type_space space,
			 const struct type *type);
/* ---- structs and arrays (gen_struct.c): the value of x.member, of x[i]; the address &x */
struct value gen_member(struct gen *g, struct expr *e);
/* Copy `size` bytes within the memory of BPF programs. `at` is an aligned address plus a multiple
 * of `offset`, which tells the alignment; `to` is aligned to 8 bytes. */
void gen_copy_bytes(struct gen *g, LLVMValueRef to, LLVMValueRef at, uint32_t size,
		    uint32_t offset);
/* The value, of a type that is kept in memory, at `base` + `offset`. A value that is not aligned to
 * 8 bytes is copied. */
struct value gen_load_part(struct gen *g, const struct type *type, LLVMValueRef base,
			   uint32_t offset);
struct value gen_element(struct gen *g, struct expr *e);
LLVMValueRef gen_address(struct gen *g, struct expr *e);
/* The address of a field in the record of a tracepoint. */
LLVMValueRef gen_field_address(struct gen *g, const struct tp_field *f);
/* Member i of a tuple or record. */
struct value gen_part(struct gen *g, struct value v, uint32_t i);
/* Store a compound value member by member, as a compound type whose members have other sizes. */
void gen_store_parts(struct gen *g, struct value v, const struct type *to, LLVMValueRef dest);
LLVMValueRef gen_equal_parts(struct gen *g, struct value x, struct value y);
/* i1: are the first n bytes of `m`, a string in memory, those of the literal `s`, with its NUL? */
LLVMValueRef gen_begins_with(struct gen *g, struct value m, struct value s, uint32_t n);
/* i1: are two values of comparable types equal (gen_expr.c)? gen_equal_parts() compares compound
 * values. */
LLVMValueRef gen_equal(struct gen *g, struct value x, struct value y);
/* The i64 `v` truncated to the width of `t`, then extended by its sign. */
LLVMValueRef gen_narrow(struct gen *g, LLVMValueRef v, const struct type *t);

/* ---- loops (gen_loop.c), storage of variables (gen_frame.c) */
/* Generate a loop of any kind. */
void gen_loop(struct gen *g, struct stmt *st);
/* Call it when a variable was set: in the body of a loop it hides the value from the verifier. */
void gen_loop_hide(struct gen *g, const struct var *v);
/* Hide the value of an integer variable from the verifier, anywhere. */
void gen_loop_hide_integer(struct gen *g, const struct var *v);
/* Generate `break` or `continue`. Code that follows goes into an unreachable block. */
void gen_jump(struct gen *g, bool is_break);
/* Are the copies of the selected probe's unrolls too much for the verifier (gen_follow.c)? */
bool gen_unrolls_loop(const struct gen *g);
/* At the start of a probe: allocate and zero its variables. */
void gen_frame_begin(struct gen *g);
/* At the start of a loop's body: use the frame that the kernel passes to it. */
void gen_frame_enter(struct gen *g, LLVMValueRef frame);
/* The address of a variable. */
LLVMValueRef gen_var_at(struct gen *g, uint32_t var);
/* The address of the epoch of a map, as read at the start of this run. */
LLVMValueRef gen_epoch_at(struct gen *g, uint32_t map);
/* Assign `value` to a variable (gen_stmt.c). */
void gen_set_var(struct gen *g, const struct var *v, struct value value);
/* The size in bytes of a variable on the stack, if its value can be hidden from the verifier; else
 * 0. */
uint32_t gen_frame_hidable(const struct gen *g, uint32_t var);
/* The address of the word that tells why a loop has ended. */
LLVMValueRef gen_frame_state(struct gen *g);
/* The address of the count of iterations for LIMIT_ROUNDS, in probes with nested loops. If the time
 * of loops is limited, it is the address of a struct sonde_loop. */
LLVMValueRef gen_frame_rounds(struct gen *g);
/* In a test with loops: the address of the i32 that `return` gave. NULL in other programs; a test
 * without loops keeps it at g->prog.result. */
LLVMValueRef gen_frame_result(struct gen *g);
/* Is the time of loops in this program limited? */
bool gen_frame_is_timed(const struct gen *g);

/* ---- maps (gen_map.c) */
/* Read the entry that `e` names. A missing entry reads as 0. */
struct value gen_map_read(struct gen *g, struct expr *e);
/* Store `v` in the entry that `target` names. */
void gen_map_write(struct gen *g, struct expr *target, struct value v);
/* Delete an entry. The i64 is 1 if it existed, else 0. */
LLVMValueRef gen_map_delete(struct gen *g, struct expr *target);
/* The i64 1 if the entry exists, else 0. */
LLVMValueRef gen_map_has(struct gen *g, struct expr *target);
/* Copy an entry's value to a variable. The i64 is 1 if the entry exists, else 0. */
LLVMValueRef gen_map_find(struct gen *g, struct expr *target, const struct var *v);
/* Add `amount` to an entry atomically. Returns the previous value, an i64. */
LLVMValueRef gen_map_add(struct gen *g, struct expr *target, LLVMValueRef amount);
/* The address of this CPU's words of an aggregation. The caller generates code that adds to them,
 * then gen_enter(g, end). */
LLVMValueRef gen_map_element(struct gen *g, struct expr *target, LLVMBasicBlockRef *end);
/* The same for tseries(): the entry of the interval with this number. */
LLVMValueRef gen_map_interval(struct gen *g, struct expr *target, LLVMValueRef interval,
			      LLVMBasicBlockRef *end);
/* Add to this CPU's word of count() or sum(). */
void gen_map_sum(struct gen *g, struct expr *target, LLVMValueRef amount);
/* Add one to a bucket of a histogram. */
void gen_map_bucket(struct gen *g, struct expr *target, LLVMValueRef bucket, LLVMValueRef value);
/* ---- aggregations (gen_agg.c) */
/* TARGET = CALL, where CALL is an aggregation. */
void gen_aggregate(struct gen *g, struct expr *target, struct expr *call);
/* The value of an aggregation over all CPUs. `at` is the address of the element, which may be NULL
 * at run time; for a map without keys it is the address of the key. */
struct value gen_agg_read(struct gen *g, uint32_t map, LLVMValueRef at);
/* x / y for y that is not 0. */
LLVMValueRef gen_quotient(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed);
/* The map's epoch, as read at the start of this run: i32. */
LLVMValueRef gen_epoch(struct gen *g, uint32_t map);
/* Read the epoch again, after the run has advanced it. */
void gen_epoch_refresh(struct gen *g, uint32_t map);

/* Delete all buckets of a key of a keyed histogram; does it have any (gen_bucket.c)? Both return an
 * i64, 1 or 0. */
LLVMValueRef gen_bucket_delete(struct gen *g, struct expr *e, LLVMValueRef key);
LLVMValueRef gen_bucket_has(struct gen *g, struct expr *e, LLVMValueRef key);

/* i1: are `size` bytes at two addresses equal? */
LLVMValueRef gen_equal_bytes(struct gen *g, LLVMValueRef x, LLVMValueRef y, uint32_t size);
/* `n` times the size that a pointer of type t points to; n if t is not a pointer. */
LLVMValueRef gen_scaled(struct gen *g, LLVMValueRef n, const struct type *t);

/* ---- scratch memory (gen_scratch.c) */
/* Like gen_buffer(), for any size. A buffer that is too long for the BPF stack is in scratch
 * memory. gen_scratch_release() releases it: `mark` is the value that g->probe.scratch.used had
 * before. gen_expr() does so for each value that fits a register. */
LLVMValueRef gen_big_buffer(struct gen *g, uint32_t size);
/* `at`; but if it is an address in scratch memory and the probe spills, the code computes it again.
 * A kept address would take space on the BPF stack. */
LLVMValueRef gen_scratch_again(struct gen *g, LLVMValueRef at);
/* A value that is used after others have been computed. In a probe that spills, an integer is kept
 * in scratch memory in the meantime, and the address of a value in scratch memory is computed
 * again. */
struct gen_kept {
	struct value value;
	bool is_in_scratch;
	uint32_t offset;
};
/* gen_keep() stores a value, gen_kept_value() loads it or computes its address again. */
struct gen_kept gen_keep(struct gen *g, struct value v);
struct value gen_kept_value(struct gen *g, const struct gen_kept *kept);
/* Take `size` bytes of scratch memory for the whole run of a probe. Returns their offset.
 * gen_scratch_take_var() does so for a variable. */
uint32_t gen_scratch_take(struct gen *g, uint32_t size);
uint32_t gen_scratch_take_var(struct gen *g, const struct var *v, uint32_t size);
void gen_scratch_release(struct gen *g, uint32_t mark);
/* The address of an offset in scratch memory. */
LLVMValueRef gen_scratch_at(struct gen *g, uint32_t at);
/* Around a probe's body: acquire a slot of scratch memory and release it, if the body uses any. */
void gen_scratch_begin(struct gen *g);
void gen_scratch_end(struct gen *g);
/* Define the map, after all programs. */
void gen_scratch_map(struct gen *g);

/* ---- -k (gen_warn.c) */
/* With -k, warn of a read whose result is not 0. The expression being generated is named. */
void gen_warn_read(struct gen *g, LLVMValueRef result, bool is_user, bool is_string);
/* Likewise of a lookup whose result is NULL. */
void gen_warn_missing(struct gen *g, LLVMValueRef element);

/* ---- strings (gen_string.c) */
/* Read the string of a str() call to `at`, which has space for the call's type. */
struct value gen_str_at(struct gen *g, struct expr *e, LLVMValueRef at);
/* The string `v` as `type`: padded, or cut so that it ends with a NUL. */
struct value gen_cut_string(struct gen *g, struct value v, const struct type *type);
/* The text of a TY_NAME (gen_text.c). */
struct value gen_name_text(struct gen *g, struct expr *name);
/* The address of a copy of the string `v`, for a helper. */
LLVMValueRef gen_text_address(struct gen *g, struct value v);
/* A __data_loc field of a tracepoint: the string itself, or its address, as `type` says. */
struct value gen_data_loc(struct gen *g, LLVMValueRef handle, const struct type *type);

/* ---- programs (gen_prog.c, gen_event.c) */
/* Make a function "nounwind", as all must be: libbpf's linker refuses objects with .eh_frame. */
void gen_no_unwind(struct gen *g, LLVMValueRef fn);
/* Generate plan->progs[index]. */
void gen_program(struct gen *g, uint32_t index);

/* ---- debug info (gen_btf.c) */
/* Create the compile unit and the file of the debug info. */
void gen_di_begin(struct gen *g);
/* The debug info of a program, which has one parameter, the context. */
LLVMMetadataRef gen_di_program(struct gen *g, LLVMValueRef fn, const char *name, struct span span);
/* The debug info of a loop's body: a static function of `n_params` words that returns one. */
LLVMMetadataRef gen_di_body(struct gen *g, LLVMValueRef fn, const char *name, unsigned n_params,
			    struct span span);
/* Begin a static function, whose code is generated next: sets body.fn, .di_fn, .entry and .start.
 * End it, when its code is complete. */
LLVMValueRef gen_function_begin(struct gen *g, const char *name, LLVMTypeRef type,
				struct span span);
void gen_function_end(struct gen *g);
/* Define a map: a global in .maps, whose BTF libbpf reads. */
LLVMValueRef gen_di_map(struct gen *g, const char *name, unsigned map_type, unsigned flags,
			uint32_t max_entries, uint32_t key_size, uint32_t value_size);

#include "codegen/gen_hooks.h"
