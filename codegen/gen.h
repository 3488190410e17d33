/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The private header of codegen/: the generator's state, values, and what each file offers.
 *
 *   codegen.c       the steps of code generation
 *   gen_prog.c      kernel programs: entry, scope, dispatch of system calls, body
 *   gen_span.c      both ends of spans       gen_iter.c      iterators
 *   gen_stmt.c      statements               gen_expr.c      expressions
 *   gen_loop.c      loops                    gen_frame.c     storage of variables and epochs
 *   gen_part.c      long bodies, in functions of their own
 *   gen_follow.c    what the verifier follows
 *   gen_scratch.c   scratch memory           gen_type.c      loads, stores, buffers
 *   gen_map.c       maps                     gen_bucket.c    keyed histograms
 *   gen_agg.c       aggregations             gen_event.c     records
 *   gen_call.c      hooks of builtins.def    gen_len.c       len()
 *   gen_compound.c  tuples, records, casts, pointers
 *   gen_string.c    strings read from memory
 *   gen_debug.c     debugf()                 gen_warn.c      -k
 *   gen_text.c      functions of strings
 *   gen_bytes.c     bytes read from memory
 *   gen_typed.c     arguments and results that BTF describes
 *   gen_usdt.c      arguments of USDT probes
 *   gen_uaddr.c     addresses of symbols of programs
 *   gen_btf.c       debug info, which becomes BTF
 *   helper.c        calls of BPF helpers and of bpf_helpers/
 *   outline.c       which functions of bpf_helpers/ are inlined
 *   regs.c          registers of the architecture
 *   emit.c          target machine, passes, output
 */
#pragma once
#include "bpf_helpers/shared.h"
#include "parser/lang/ast.h"
#include "parser/lang/builtin.h"
#include "parser/plan/plan.h"
#include "parser/base/source.h"
#include "parser/lang/type.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>

/* A value and its type in the script: LLVM pointers are untyped. */
struct value {
	enum {
		V_NONE,
		V_INT,	   /* v: i64, whatever the type's width; hashes of stacks too */
		V_MEM,	   /* v: pointer to type->size bytes */
		V_LITERAL, /* literal, len */
	} kind;
	const struct type *type;
	LLVMValueRef v;
	const char *literal; /* NUL-terminated */
	uint32_t len;
};

/* The kernel function being generated: a program, or a loop's body in it. Entering a loop's body
 * copies this struct, leaving it assigns the copy back. */
struct gen_body {
	LLVMValueRef fn;
	LLVMMetadataRef di_fn;
	LLVMBasicBlockRef entry;		 /* allocas go here */
	LLVMBasicBlockRef start;		 /* of a loop's body: follows entry */
	LLVMBasicBlockRef done;			 /* target of `return` */
	LLVMBasicBlockRef exit;			 /* of exit(): another one in a fn's body */
	LLVMBasicBlockRef on_break, on_continue; /* NULL outside loops */
	LLVMBasicBlockRef on_spent; /* in a loop: LIMIT_ROUNDS or the time is used up */
	uint32_t n_copies;	    /* of this code: by the unrolls around it; 0: none */
	uint32_t loop_frames;	    /* kernel stack frames of the loops around, callers included */
	uint32_t n_parts;	    /* parts around: gen_part.c */
	LLVMValueRef ctx;
	LLVMValueRef current; /* typed pointer to the current task; NULL: not fetched yet */
	LLVMValueRef subject; /* typed pointer to the thread the probe is about; NULL: current */
	LLVMValueRef delta;   /* i64, at a span's end */
	LLVMValueRef began;   /* i64, the span's start; as delta */
	LLVMValueRef length;  /* i64, delta with the time of the tracer itself; NULL: the same */
	LLVMValueRef cut;     /* i64, 1: the start was not seen; NULL: not needed */
	LLVMValueRef self;    /* i64, delta without the calls inside; NULL: not needed */
	LLVMValueRef span;    /* the span's slot, at its end */
	LLVMValueRef depth;   /* i64, at the end of a call; NULL: spans of this kind do not nest */
	LLVMValueRef syscall; /* i64, in programs on sys_enter and sys_exit */
	LLVMValueRef frame;   /* with loops: variables and epochs in one buffer (gen_frame.c) */
	LLVMValueRef *vars;   /* addresses, by var->id */
	LLVMValueRef *epochs; /* addresses, by map index; NULL: not used, or in scratch memory */
	LLVMValueRef scratch; /* address of the pointer to scratch memory; NULL: none here */
};

/* The kernel program being generated. */
struct gen_prog {
	uint32_t id;
	const struct plan_prog *plan;
	/* i32, an alloca. Tests: what `return VALUE` gave. Sessions: 0 requests the return. Else
	 * NULL. */
	LLVMValueRef result;
	LLVMValueRef began; /* i64, when it began; NULL: its spans are not calibrated */
};

/* The probe in it. */
struct gen_probe {
	uint32_t id;
	const struct plan_probe *plan;
	const struct probe *ast;
	const struct attach_point *point;
	bool is_open;	/* in a program of open spans: tracing has ended */
	bool is_start;	/* generating the start of the probe's spans */
	struct span at; /* the expression or statement being generated: for messages */
	struct {	/* offsets in body.frame */
		uint32_t size, rounds_at, result_at, *var_at, *epoch_at;
	} frame;
	bool spills;			      /* variables and most values are in scratch memory */
	bool splits;			      /* long blocks are in functions: gen_part.c */
	bool unrolls_loop;		      /* unrolls are loops of the kernel: gen_follow.c */
	bool has_frame;			      /* variables are in body.frame: gen_frame.c */
	struct {			      /* gen_scratch.c */
		uint32_t used, most, of_vars; /* bytes: in use now, at most, by variables */
		bool is_exceeded;
		LLVMBasicBlockRef before, start;
	} scratch;
};

struct gen {
	/* the module */
	LLVMContextRef llvm;
	LLVMModuleRef module;
	LLVMModuleRef library;	 /* bpf_helpers/, until it is linked */
	LLVMTargetMachineRef tm; /* NULL before emit_optimize */
	LLVMBuilderRef b;
	LLVMDIBuilderRef di;
	LLVMMetadataRef di_file, di_unit;
	LLVMTypeRef i8, i16, i32, i64, ptr;
	LLVMValueRef *maps;  /* by plan index: the .maps globals */
	LLVMValueRef *spans; /* by plan probe index: task storage, or NULL */
	uint32_t n_loops;    /* for the names of loop bodies */
	uint32_t n_parts;    /* likewise, of gen_part.c */

	const struct program *program;
	const struct plan *plan;
	struct arena *arena;
	struct diags *diags;	/* limits that the script exceeds */
	bool spills;		/* second attempt: the first took more stack than BPF has */
	bool is_long;		/* second attempt: a function of the first was too long */
	bool parts_loop;	/* second attempt: the first had too many branches: gen_part.c */
	bool inlines;		/* second attempt: functions of the first took too much */
	bool has_outlined;	/* outline.c */
	uint32_t scratch_bytes; /* the most that any probe takes */
	bool failed;	     /* an error is in `diags`, or else a defect of sonde's in `message` */
	bool exceeds_stack;  /* the first attempt; nothing is reported */
	bool exceeds_length; /* likewise */
	bool exceeds_branches;	 /* likewise */
	bool exceeds_calls;	 /* likewise: with functions of bpf_helpers/ that are not inlined */
	const char *stack_error; /* the last function of which that was reported */
	char message[256];

	struct gen_prog prog;
	struct gen_probe probe;
	struct gen_body body;
};

/* ---- memory (gen_type.c) */
LLVMValueRef gen_u64(struct gen *g, uint64_t n);
LLVMValueRef gen_u32(struct gen *g, uint32_t n);
/* The address `offset` bytes after `base`. */
LLVMValueRef gen_at(struct gen *g, LLVMValueRef base, uint32_t offset);
/* A buffer on the BPF stack, aligned to 8. Its memory can be reused after gen_buffer_end. */
LLVMValueRef gen_buffer(struct gen *g, uint32_t size);
void gen_buffer_end(struct gen *g, LLVMValueRef buffer, uint32_t size);
struct value gen_int_value(LLVMValueRef v, const struct type *type);
/* Store `v` at `dest` as `type`, in its size; strings are cut, or padded with NULs. */
void gen_store(struct gen *g, struct value v, const struct type *type, LLVMValueRef dest);
/* The value of `type` at `src`. */
struct value gen_load(struct gen *g, const struct type *type, LLVMValueRef src);
void gen_zero(struct gen *g, LLVMValueRef dest, uint32_t size);
/* Zero the bytes from `at` to `size`. */
void gen_zero_from(struct gen *g, LLVMValueRef dest, uint32_t at, uint32_t size);
/* Up to this size bytes are copied, zeroed and compared inline; calls take less code for more. */
enum { INLINE_BYTES = 256 };
/* The string and a NUL in .rodata. */
LLVMValueRef gen_constant(struct gen *g, const char *text, uint32_t len);
/* i1 from an i64. */
LLVMValueRef gen_truth(struct gen *g, LLVMValueRef v);
LLVMBasicBlockRef gen_block(struct gen *g, const char *name);
/* Set the location in the script: for messages, and for the BTF line info that verifier logs
 * show. */
void gen_location(struct gen *g, struct span span);

/* ---- helpers (helper.c) */
/* Call the BPF helper BPF_FUNC_*. The result is an i64. */
LLVMValueRef gen_helper(struct gen *g, int number, LLVMValueRef *args, unsigned n);
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

/* ---- functions that are not inlined (outline.c) */
/* Is the script long? Before the library is linked. */
bool outline_is_wanted(const struct gen *g);
/* Decide which of the linked functions are inlined. */
void outline_choose(struct gen *g, bool is_wanted);
/* Remove the line information of those that are, so that the lines in BTF are the script's. */
void outline_drop_places(struct gen *g);

/* ---- expressions and statements */
struct value gen_expr(struct gen *g, struct expr *e);
/* The i64 of an integral expression. */
LLVMValueRef gen_int(struct gen *g, struct expr *e);
void gen_stmts(struct gen *g, const struct block *b);
/* The same in the current function, however many they are. */
void gen_each_stmt(struct gen *g, const struct block *b);
/* x op y for i64 values and an arithmetic operator. */
LLVMValueRef gen_arith(struct gen *g, enum op op, LLVMValueRef x, LLVMValueRef y, bool is_signed);

/* The register at byte `offset` of struct pt_regs, the context. */
LLVMValueRef gen_register(struct gen *g, uint32_t offset);

/* ---- typed functions and raw tracepoints (gen_typed.c) */
/* The i64 of an argument, narrowed to its size and sign. It is a number even if the verifier types
 * the argument as a pointer. */
LLVMValueRef gen_typed_arg(struct gen *g, const struct tp_field *param);
/* What the function returned: the whole register. */
LLVMValueRef gen_typed_result(struct gen *g);
/* ---- USDT (gen_usdt.c): argument i; the name id of the probe that fired, of a pattern */
struct value gen_usdt_arg(struct gen *g, struct expr *e, unsigned i);
LLVMValueRef gen_usdt_name(struct gen *g);

/* The cookie as the kernel gives it: with the class of the probed instruction, if calibrated. */
LLVMValueRef gen_whole_cookie(struct gen *g);
/* plan_target.cookie of the target that fired, in a program with several. */
LLVMValueRef gen_cookie(struct gen *g);
/* Its bits from PLAN_FORMAT_BIT on. */
LLVMValueRef gen_cookie_format(struct gen *g);
/* The part of it that says which function it is, the same at both ends of a call. */
LLVMValueRef gen_cookie_function(struct gen *g);
/* Values of `probe` and `func`: indexes in plan->names. */
LLVMValueRef gen_probe_name(struct gen *g);
LLVMValueRef gen_func_name(struct gen *g);

/* A typed pointer to the subject: pid, comm and the like are loads from it, which cost nothing,
 * while a helper call takes 10 to 85 ns. */
LLVMValueRef gen_task(struct gen *g);

/* ---- compound values (gen_compound.c) */
struct value gen_list(struct gen *g, struct expr *e);
/* Store `e` as `type`; built in place if possible. Scratch memory that it takes is released. */
void gen_expr_into(struct gen *g, struct expr *e, const struct type *type, LLVMValueRef at);
struct value gen_field(struct gen *g, struct expr *e);
struct value gen_index(struct gen *g, struct expr *e);
struct value gen_cast(struct gen *g, struct expr *e);
struct value gen_deref(struct gen *g, struct expr *e);
/* Read `size` bytes of the traced memory; a failure gives zeros and is counted. */
void gen_read_to(struct gen *g, LLVMValueRef to, uint32_t size, LLVMValueRef address,
		 enum type_space space);
/* An index that LLVM does not know. When LLVM knows that it is small, it adds the index to the
 * array's address with a bitwise or, which the verifier rejects; or it compares a copy of it, so
 * that the verifier does not see the bound. */
LLVMValueRef gen_opaque_index(struct gen *g, LLVMValueRef at);
/* The value of `type` at an address. */
struct value gen_read_at(struct gen *g, LLVMValueRef address, enum type_space space,
			 const struct type *type);
/* ---- structs and arrays (gen_struct.c): x.member, x[i] of a place, &x */
struct value gen_member(struct gen *g, struct expr *e);
/* Copy `size` bytes in sonde's memory from `at`, which is an aligned address plus a multiple of
 * `offset`; `to` is aligned. */
void gen_copy_bytes(struct gen *g, LLVMValueRef to, LLVMValueRef at, uint32_t size,
		    uint32_t offset);
/* The value of a memory type at `base` + `offset`. */
struct value gen_load_part(struct gen *g, const struct type *type, LLVMValueRef base,
			   uint32_t offset);
struct value gen_element(struct gen *g, struct expr *e);
LLVMValueRef gen_address(struct gen *g, struct expr *e);
/* Part i of a tuple or record. */
struct value gen_part(struct gen *g, struct value v, uint32_t i);
/* Store the parts one by one, as a compound type whose parts have other sizes. */
void gen_store_parts(struct gen *g, struct value v, const struct type *to, LLVMValueRef dest);
LLVMValueRef gen_equal_parts(struct gen *g, struct value x, struct value y);
/* i1: are two values of comparable types equal? (gen_expr.c) */
LLVMValueRef gen_equal(struct gen *g, struct value x, struct value y);
/* The i64 `v` converted to the narrower type. */
LLVMValueRef gen_narrow(struct gen *g, LLVMValueRef v, const struct type *t);

/* ---- loops (gen_loop.c), storage of variables (gen_frame.c) */
void gen_loop(struct gen *g, struct stmt *st);
/* The variable was set: in a loop's body, hide its value from the verifier. */
void gen_loop_hide(struct gen *g, const struct var *v);
/* Hide the value of an integer variable from the verifier, anywhere. */
void gen_loop_hide_integer(struct gen *g, const struct var *v);
void gen_jump(struct gen *g, bool is_break);
/* Are the selected probe's unrolls too long for the verifier (gen_follow.c)? */
bool gen_unrolls_loop(const struct gen *g);
/* At the start of a probe: allocate and zero its variables. */
void gen_frame_begin(struct gen *g);
/* At the start of a loop's body: use the frame that it is passed. */
void gen_frame_enter(struct gen *g, LLVMValueRef frame);
/* The address of a variable. */
LLVMValueRef gen_var_at(struct gen *g, uint32_t var);
/* The address of a map's epoch in this run. */
LLVMValueRef gen_epoch_at(struct gen *g, uint32_t map);
/* Assign `value` to a variable (gen_stmt.c). */
void gen_set_var(struct gen *g, const struct var *v, struct value value);
/* Bytes of a variable on the stack whose values can be hidden from the verifier; 0: none. */
uint32_t gen_frame_hidable(const struct gen *g, uint32_t var);
/* The address of the word that tells why a loop has ended. */
LLVMValueRef gen_frame_state(struct gen *g);
/* The address of the count of iterations for LIMIT_ROUNDS, in probes with nested loops; of a struct
 * sonde_loop if the time is limited. */
LLVMValueRef gen_frame_rounds(struct gen *g);
/* A test with loops: the address of the i32 that `return` gave. NULL without loops: it is
 * g->prog.result. */
LLVMValueRef gen_frame_result(struct gen *g);
/* Is the time limited that loops of the program may take? */
bool gen_frame_is_timed(const struct gen *g);

/* ---- maps (gen_map.c) */
struct value gen_map_read(struct gen *g, struct expr *e);
void gen_map_write(struct gen *g, struct expr *target, struct value v);
/* 1 if the entry existed, else 0. */
LLVMValueRef gen_map_delete(struct gen *g, struct expr *target);
/* 1 if the entry exists, else 0. */
LLVMValueRef gen_map_has(struct gen *g, struct expr *target);
/* Copy an entry's value to a variable. 1 if the entry exists, else 0. */
LLVMValueRef gen_map_find(struct gen *g, struct expr *target, const struct var *v);
/* Add `amount` atomically. Returns the previous value. */
LLVMValueRef gen_map_add(struct gen *g, struct expr *target, LLVMValueRef amount);
/* The address of an aggregation's value. The caller generates code that adds to it, then
 * gen_map_element_end(). */
LLVMValueRef gen_map_element(struct gen *g, struct expr *target, LLVMBasicBlockRef *end);
void gen_map_element_end(struct gen *g, LLVMBasicBlockRef end);
/* The same for the entry of an interval of a series. */
LLVMValueRef gen_map_interval(struct gen *g, struct expr *target, LLVMValueRef interval,
			      LLVMBasicBlockRef *end);
/* Add one to a bucket of a histogram. */
void gen_map_bucket(struct gen *g, struct expr *target, LLVMValueRef bucket);
/* ---- aggregations (gen_agg.c) */
/* TARGET = CALL, where CALL is an aggregation. */
void gen_aggregate(struct gen *g, struct expr *target, struct expr *call);
/* The value of an aggregation over all CPUs. `at` is the element, which may be NULL; for a map
 * without keys the address of the key. */
struct value gen_agg_read(struct gen *g, uint32_t map, LLVMValueRef at);
/* x / y for y that is not 0. */
LLVMValueRef gen_quotient(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed);
/* The map's epoch in this run: i32. */
LLVMValueRef gen_epoch(struct gen *g, uint32_t map);
/* Read the epoch again, after it was advanced. */
void gen_epoch_refresh(struct gen *g, uint32_t map);

/* All buckets of one key of a keyed histogram (gen_bucket.c). */
LLVMValueRef gen_bucket_delete(struct gen *g, struct expr *e, LLVMValueRef key);
LLVMValueRef gen_bucket_has(struct gen *g, struct expr *e, LLVMValueRef key);

/* i1: are `size` bytes at two addresses equal? */
LLVMValueRef gen_equal_bytes(struct gen *g, LLVMValueRef x, LLVMValueRef y, uint32_t size);
/* `n` times the size that a pointer of type t points to; n if t is not a pointer. */
LLVMValueRef gen_scaled(struct gen *g, LLVMValueRef n, const struct type *t);

/* ---- scratch memory (gen_scratch.c) */
/* Like gen_buffer, for any size. What is too long for the BPF stack is taken from scratch memory,
 * and released by gen_scratch_release() with the value that g->probe.scratch.used had before.
 * gen_expr does so for each value that fits a register. */
LLVMValueRef gen_big_buffer(struct gen *g, uint32_t size);
/* `at`, or if that is an address in scratch memory of a probe that spills, the same computed again:
 * kept, it would be on the stack. */
LLVMValueRef gen_scratch_again(struct gen *g, LLVMValueRef at);
/* A value that is used after others have been computed. In a probe that spills, an integer is kept
 * in scratch memory meanwhile, and the address of a value in scratch memory computed again. */
struct gen_kept {
	struct value value;
	bool is_in_scratch;
	uint32_t offset;
};
struct gen_kept gen_keep(struct gen *g, struct value v);
struct value gen_kept_value(struct gen *g, const struct gen_kept *kept);
/* `size` bytes for the whole run of a probe; their offset. */
uint32_t gen_scratch_take(struct gen *g, uint32_t size);
uint32_t gen_scratch_take_var(struct gen *g, const struct var *v, uint32_t size);
void gen_scratch_release(struct gen *g, uint32_t mark);
/* The address of an offset. */
LLVMValueRef gen_scratch_at(struct gen *g, uint32_t at);
/* Around a probe's body: acquire a slot of scratch memory and release it, if the body uses any. */
void gen_scratch_begin(struct gen *g);
void gen_scratch_end(struct gen *g);
/* Define the map, after all programs. */
void gen_scratch_map(struct gen *g);

/* ---- -k (gen_warn.c) */
/* Report a read whose result is not 0, at the expression that is being generated. */
void gen_warn_read(struct gen *g, LLVMValueRef result, bool is_user, bool is_string);
/* Report a lookup whose result is NULL. */
void gen_warn_missing(struct gen *g, LLVMValueRef element);

/* ---- strings (gen_string.c) */
/* Read the string of a str() call to `at`, which has its type's size. */
struct value gen_str_at(struct gen *g, struct expr *e, LLVMValueRef at);
/* The string `v` as `type`: padded, or cut so that it ends with a NUL. */
struct value gen_cut_string(struct gen *g, struct value v, const struct type *type);
/* The address of a copy of the string `v`, for a helper. */
LLVMValueRef gen_text_address(struct gen *g, struct value v);
/* A field of variable length in a tracepoint's record (__data_loc): its string, or its address. */
struct value gen_data_loc(struct gen *g, LLVMValueRef handle, const struct type *type);

/* ---- programs (gen_prog.c, gen_event.c) */
/* Every function needs it: libbpf's linker refuses the .eh_frame of functions without a section. */
void gen_no_unwind(struct gen *g, LLVMValueRef fn);
void gen_program(struct gen *g, uint32_t index);

/* ---- debug info (gen_btf.c) */
void gen_di_begin(struct gen *g);
LLVMMetadataRef gen_di_program(struct gen *g, LLVMValueRef fn, const char *name, struct span span);
/* A loop's body: a static function of `n_params` words that returns one. */
LLVMMetadataRef gen_di_body(struct gen *g, LLVMValueRef fn, const char *name, unsigned n_params,
			    struct span span);
/* Define a map: a global in .maps, whose BTF libbpf reads. */
LLVMValueRef gen_di_map(struct gen *g, const char *name, unsigned map_type, unsigned flags,
			uint32_t max_entries, uint32_t key_size, uint32_t value_size);

/* ---- output (emit.c) */
struct codegen_output;
/* Delete functions without callers. */
void emit_drop_unused(struct gen *g);
int emit_optimize(struct gen *g);
/* The instructions of LLVM of all functions, and of the longest one. */
uint32_t emit_instructions(const struct gen *g);
uint32_t emit_most_instructions(const struct gen *g);
int emit_machine(struct gen *g, struct codegen_output *out);
