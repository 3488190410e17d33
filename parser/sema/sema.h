/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks between parser and plan: one ordered list of passes over the tree.
 */
#pragma once
#include "parser/lang/ast.h"
#include "parser/lang/builtin.h"
#include "parser/base/diag.h"
#include "parser/lang/probe.h"

struct arena;

struct sema {
	struct arena *arena;
	struct diags *diags;
	struct kernel *kernel;
	struct program *program;
	struct probe *probe; /* the one being visited */
	bool report;	     /* sema_type.c: this is the round that reports */
	bool changed;	     /* sema_type.c: this round widened a type */
	bool is_wrong;	     /* this round met a mistake, told or not */
};

/* Run all passes. 0, or -1 when there were errors. After 0 every expression has a type, every name
 * its symbol, every probe its attach points. */
int sema_run(struct arena *a, struct program *p, struct kernel *k, struct diags *d);

/* The passes, in their order. Each goes on after errors; each file says what it needs and
 * leaves. */
void sema_names(struct sema *s);
void sema_types(struct sema *s);
void sema_checks(struct sema *s);
/* `let @m = kind(n);` against what the script does with @m: after the types. */
void sema_decls(struct sema *s);
/* Every map has a type now, or it is said: last, for another mistake may be why it has none. */
void sema_known(struct sema *s);

/* sema_points.c: resolve all attach points; a probe that `missing_probes` leaves without any
 * goes. */
void sema_points(struct sema *s);

/* For check hooks: report only in the reporting round. Returns &type_error. */
const struct type *sema_error(struct sema *s, struct span span, const char *tag, const char *fmt,
			      ...) __attribute__((format(printf, 4, 5), cold));
/* True when argument `i` of `call` names a whole map: print(@m), clear(@m), delete(@m, key). */
bool sema_is_whole_map(const struct expr *call, uint32_t i);
/* The keys of a use of a map, one by one: also where they are one tuple written out. NULL: they are
 * a tuple from elsewhere. (sema_compound.c) */
struct expr **sema_key_parts(const struct expr *m);
/* Is `e` made where a value of type t is wanted: a tuple or record written out, a text that str()
 * reads? (sema_compound.c) */
bool sema_is_made_in_place(const struct expr *e, const struct type *t);
/* May `e` read the variable? */
bool sema_mentions(struct expr *e, const struct var *v);
/* Is `m` a map whose entries are one key's buckets? */
bool sema_is_keyed_histogram(const struct expr *m);
/* Is it `args`, the object of args.FIELD? */
bool sema_is_args(const struct expr *e);
/* The tracepoint field an `args.FIELD` expression names at attach point `p`; NULL. */
const struct tp_field *sema_args_field(const struct attach_point *p, const char *name);
/* Whose memory the probe's addresses are of, when nothing else tells. */
enum type_space sema_space(const struct probe *p);
/* What the function at a return probe returns; NULL: nothing, or no number and no address. */
const struct type *sema_result_type(const struct attach_point *p);
/* May the span have no thread of its own running: is its probe's body run for open spans too? */
bool sema_is_open_end(const struct sema *s);
/* Type of such a field's value; NULL for what is not built. (field_type.c) */
const struct type *sema_field_type(struct arena *a, const struct tp_field *f);
/* Of a function's argument, NULL when it is no address. */
const struct type *sema_pointer_type(struct arena *a, const struct tp_field *f,
				     enum type_space space);
/* Of an argument that several functions have; NULL: they differ too much. */
const struct type *sema_common_argument(struct arena *a, const struct type *x,
					const struct type *y);

/* sema_constant.c: is `e` a number written out, or calculated of such? True and false are none. */
bool constant_number(const struct expr *e, bool *is_negative, uint64_t *magnitude);

/* sema_size.c: keys, bodies and numbers of attach points that are too much. */
void sema_check_sizes(struct sema *s);

/* sema_fit.c: a number written out that a variable's declared type cannot hold. */
void sema_check_fit(struct sema *s, const struct expr *target, const struct expr *value);

/* sema_user_args.c: look up what the user functions at `p` are given, for `args`. False: that is
 * not known, which was said for `e`, or, with e NULL, was not. */
bool user_args_known(struct sema *s, const struct expr *e, struct attach_point *p);
/* Type of args.FIELD, the field f of the first of them; it must be the same in all. */
const struct type *user_arg_type(struct sema *s, const struct expr *e, const struct attach_point *p,
				 const struct tp_field *f);

/* probe_special.c: names of tests and of benches must differ. */
void special_check_names(struct sema *s);
/* sema_usdt.c: the type of `argN` where no raw tracepoint has it; types of attach points that are
 * no USDT probes are 64 bits. */
const struct type *usdt_arg_type(struct sema *s, const struct expr *e);
