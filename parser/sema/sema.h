/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks between parser and plan: one ordered list of passes over the tree.
 */
#pragma once
#include "parser/lang/ast_query.h"
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
/* The field or argument that `args.NAME` names at attach point `p`; NULL. */
const struct tp_field *sema_args_field(const struct attach_point *p, const char *name);
/* May the span have no thread of its own running: is its probe's body run for open spans too? */
bool sema_is_open_end(const struct sema *s);
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

/* sema_points.c: report tests, or benches, that have the same name. */
void sema_unique_tests(struct sema *s);
/* sema_usdt.c: the type of `argN` where no raw tracepoint has it; types of attach points that are
 * no USDT probes are 64 bits. */
const struct type *usdt_arg_type(struct sema *s, const struct expr *e);
