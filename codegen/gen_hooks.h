/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen column of builtins.def, a part of gen.h. `args` has no hook: gen_args_field reads its
 * fields.
 */
#pragma once

struct format_piece;
struct tp_field;

typedef struct value gen_fn(struct gen *g, struct expr *e);

#define VAR(id, sig, where, traits, needs, check, gen, ...) gen_fn gen;
#define FN(id, sig, where, traits, needs, event, check, gen, ...) gen_fn gen;
#define AGG(id, sig, agg, check, gen, ...) gen_fn gen;
#include "parser/lang/builtins.def"

/* printf in an iterator (gen_iter.c). */
gen_fn gen_iter_printf;
/* The format in the form of bpf_trace_printk() and bpf_seq_printf() (gen_debug.c). */
const char *gen_kernel_format(struct gen *g, const struct format_piece *pieces, uint32_t n,
			      struct expr **args);

/* args.FIELD of a user function: a number, or a value of several words (gen_word.c). */
struct value gen_user_arg(struct gen *g, const struct expr *e, const struct tp_field *f);

/* A field of a tracepoint's record that is computed from the arguments of the raw tracepoint
 * (rebuilt.def). */
struct value gen_rebuilt_field(struct gen *g, const char *field, const struct type *type);
/* Is the field of sched_switch also known of a thread that has left the CPU? */
bool gen_is_thread_field(const char *field);
