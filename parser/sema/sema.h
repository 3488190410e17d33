/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The semantic checks between parser and plan: an ordered list of passes over the tree.
 */
#pragma once
#include "parser/base/nearest.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/builtin.h"
#include "parser/base/diag.h"

struct sema {
	struct arena *arena;
	struct diags *diags;
	struct kernel *kernel;
	struct program *program;
	struct probe *probe;   /* the one being visited */
	bool has_hoisted;      /* sema_name_hoist.c: the first such variable was reported */
	uint32_t loop_depth;   /* sema_check.c: loops around */
	struct stmt **assigns; /* sema_usage.c: all statements that assign a value */
	uint32_t n_assigns;
	struct probe **absent; /* sema_points.c: left out by `missing_probes` */
	uint32_t n_absent;
	struct attach_point *jumping; /* sema_exits.c: likewise */
	uint32_t n_jumping;
	struct local_place *local_places; /* sema_local.c: variables that were looked up */
	bool has_skip_hint;		  /* an error has named missing_probes */
	uint64_t unstable; /* a bit for each row of config_rows whose word was reported */
	bool report;	   /* sema_type.c: this is the final round, which reports errors */
	bool changed;	   /* sema_type.c: this round widened a type */
	bool is_wrong;	   /* this round found an error, reported or not */

	/* sema_comptime.c: */
	bool has_comptime;    /* something has to be decided at compile time */
	bool settles;	      /* this round does so: types did not change in the one before */
	bool settled;	      /* it decided something */
	uint32_t n_undecided; /* pass 1: branches of `if comptime` around this place */
	bool scales;	      /* the next product may be of a float: (int64)(x * 1000) */
	uint32_t n_comptime;  /* expressions around this one that must be known */
	struct type_lock *locks;
	uint32_t n_locks;
	struct span *untaken; /* branches that were left out */
	uint32_t n_untaken;
	struct untaken_block *untaken_blocks; /* sema_comptime.c */
	uint32_t n_untaken_blocks;
	bool is_in_untaken; /* their types are being found */
};

/* Run all passes. Returns 0, or -1 when there were errors. After 0 every expression has a type,
 * every name its symbol, and every probe its attach points. */
int sema_run(struct arena *a, struct program *p, struct kernel *k, struct diags *d);

/* The passes, in their order. Each continues after errors; the head of each file states what it
 * requires and leaves. */
void sema_names(struct sema *s);
void sema_types(struct sema *s);
void sema_checks(struct sema *s);
/* Check `let @m = kind(n);` against the uses of @m; after the types. */
void sema_decls(struct sema *s);
/* Report maps whose type is unknown, unless another error may be the reason; last. */
void sema_known(struct sema *s);

/* sema_points.c: resolve all attach points; probes that `missing_probes` leaves without any are
 * dropped. */
void sema_points(struct sema *s);
/* True if a probe that was left out names this map, and so may be its only writer. */
bool sema_is_absent_map(struct sema *s, const char *name);

/* For pass 2 and check hooks: report an error, but only in the final round. Returns &type_error. */
const struct type *sema_error(struct sema *s, struct span span, const char *tag, const char *fmt,
			      ...) __attribute__((format(printf, 4, 5), cold));
/* Add a hint, or a second place, to that error if it is reported. Return &type_error. */
const struct type *sema_hint(struct sema *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));
const struct type *sema_note(struct sema *s, struct span span, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
/* For pass 1: report the use of a word that an option (unstable_WORD) warns of, once, or forbids.
 * The standard library may use it. */
void sema_unstable(struct sema *s, struct span span, const char *word);
/* "kprobe, uprobe": the types for whose attach points `has` holds. */
const char *sema_where(struct arena *a, bool (*has)(const struct attach_point *p));
/* sema_args.c: the fields or arguments that `args` has at attach point `p`. */
const struct tp_field *sema_args_fields(const struct attach_point *p, uint32_t *n);
/* The one of that name; NULL. */
const struct tp_field *sema_field_named(const struct tp_field *fields, uint32_t n,
					const char *name);
/* The field or argument that `args.NAME` names at attach point `p`; NULL. */
const struct tp_field *sema_args_field(const struct attach_point *p, const char *name);
/* True when the body also runs for spans that are still open at the end (open_spans = count), so
 * that the current thread may not be the span's. */
bool sema_is_open_end(const struct sema *s);
/* True, after an error, when it also runs for threads that still run at the end: of these `what` is
 * not known. */
bool sema_is_lost_slice(struct sema *s, const struct expr *e, const char *what);
/* Report that events have no typed task, so that `word` does not exist. Returns &type_error. */
const struct type *sema_no_typed(struct sema *s, const struct expr *e, const char *word);
/* sema_constant.c: the value of a literal number or of one that was folded. False when `e` is
 * neither; true and false are not numbers. */
bool constant_number(const struct expr *e, __int128 *v);
/* The number as text. */
const char *constant_str(struct arena *a, __int128 v);
/* The numbers that an integer of `size` bytes holds. */
static inline __int128 constant_least(uint32_t size, bool is_signed)
{
	return is_signed ? -((__int128)1 << (8 * size - 1)) : 0;
}
static inline __int128 constant_greatest(uint32_t size, bool is_signed)
{
	return ((__int128)1 << (8 * size - is_signed)) - 1;
}

/* sema_size.c: limits on keys, bodies and the number of attach points. */
void sema_check_sizes(struct sema *s);

/* sema_import.c: set e->call.imported if the call is of a function of imported BPF. False if it is
 * not. */
bool sema_find_imported(struct sema *s, struct expr *e);
/* Check its arguments, which have types. The type of the result. */
const struct type *sema_type_imported(struct sema *s, struct expr *e);

/* sema_struct.c: turn a name that is an enum's constant into that; false: it is none. */
bool struct_constant(struct sema *s, struct expr *e);
/* sema_struct.c: turn the operand of sizeof or offsetof into a type if it is a typedef's name. */
void struct_name_operand(struct sema *s, struct expr *e);
/* The same for an argument that may be a type: typeinfo(uint8). */
void struct_name_argument(struct sema *s, struct expr *e);
/* sema_struct.c: report a struct or array that cannot be copied. */
void struct_check_value(struct sema *s, const struct expr *e);

/* sema_fit.c: report a literal that does not fit the variable's declared type. */
void sema_check_fit(struct sema *s, const struct expr *target, const struct expr *value);

/* sema_args_whole.c: rewrite `args` to the record of all fields. */
const struct type *args_as_record(struct sema *s, struct expr *e);

/* sema_user_args.c: look up the parameters of the user functions at `p`, for `args`. False when
 * they are unknown, which is reported at `e` unless that is NULL. */
/* Look up the types of one function of an attach point, and by which its values are shown. Without
 * debug information there are none, which is not reported. */
void user_types_shown(struct sema *s, struct attach_point *p, struct attach_target *t);
bool user_args_known(struct sema *s, const struct expr *e, struct attach_point *p);
/* Type of args.FIELD, where `f` is the field in the first function; it must be the same in all. */
const struct type *user_arg_type(struct sema *s, const struct expr *e, const struct attach_point *p,
				 const struct tp_field *f);

/* Type of an argument or result that is not a number or an address; of one that is in memory a
 * pointer to it. NULL: it cannot be read. */
const struct type *user_value_type(struct sema *s, const struct tp_field *f);

/* Type of `retval` at `p`, which sets p->user.result; &type_error: reported. */
const struct type *user_result_type(struct sema *s, const struct expr *e, struct attach_point *p);

/* sema_points.c: report tests, or benchmarks, that have the same name. */
void sema_unique_tests(struct sema *s);
/* sema_usdt.c: the type of `argN` outside of raw tracepoints; 64 bits where the attach point is
 * no USDT probe. */
const struct type *usdt_arg_type(struct sema *s, const struct expr *e);

/* ---- sema_exits.c: functions that end in jumps to other functions (tail calls) */

/* Check that the functions of `p` have a result where the probe fires, for `e`, which reads it.
 * Those of a pattern that do not are removed from it, with a warning. False: reported. */
bool sema_exits_have_result(struct sema *s, const struct expr *e, struct attach_point *p);
/* Unless `missing_probes` is error: remove the attach points of such functions from a probe that
 * reads `retval`. */
void sema_drop_jumping(struct sema *s, struct probe *p);
/* One warning of all that were removed. */
void sema_report_jumping(struct sema *s);
