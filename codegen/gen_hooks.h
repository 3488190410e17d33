/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gen column of builtins.def. `args` has no hook: gen_args_field reads its fields.
 */
#pragma once
#include "codegen/gen.h"

typedef struct value gen_fn(struct gen *g, struct expr *e);

gen_fn gen_pid, gen_tid, gen_uid, gen_comm, gen_cpu, gen_nsecs, gen_kstack, gen_ustack, gen_probe,
	gen_func, gen_retval, gen_arg, gen_delta, gen_printf, gen_print, gen_clear, gen_delete,
	gen_exit, gen_count, gen_sum, gen_args_field, gen_depth, gen_open, gen_entry, gen_str,
	gen_gid, gen_username, gen_elapsed, gen_ncpus, gen_rand, gen_cgroup, gen_curtask, gen_ksym,
	gen_usym, gen_strftime, gen_time, gen_has_key, gen_extreme, gen_log_bucket,
	gen_linear_bucket, gen_len;

/* ctx.FIELD and printf in iterators (gen_iter.c). */
gen_fn gen_iter_field, gen_iter_printf;

/* A field of a tracepoint's record, computed from the arguments of the raw tracepoint
 * (rebuilt.def). */
struct value gen_rebuilt_field(struct gen *g, const char *field, const struct type *type);
