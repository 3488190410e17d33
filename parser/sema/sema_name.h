/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of pass 1 (sema_name.c), private to sema_name*.c.
 */
#pragma once
#include "parser/sema/sema.h"

/* sema_name_builtin.c: resolve a name, or a call, to its row in builtins.def. A call without
 * arguments of a builtin variable, and kstack(n), become an EX_NAME. */
void name_builtin(struct sema *s, struct expr *e);
void name_call(struct sema *s, struct expr *e);
/* Report the name or call, unless it is known or was reported. In branches of `if comptime` pass 1
 * leaves that to pass 2, which knows which branch is taken. */
void name_report_unknown(struct sema *s, struct expr *e);

/* sema_local.c: the name of a variable of the traced function, in a probe at a source line or an
 * instruction: rewritten to what reads it, or refused. False: there is none of that name. */
bool name_local(struct sema *s, struct expr *e);
/* Hint the variables that are there. False: none, or the probe is elsewhere. */
bool name_hint_local(struct sema *s, const struct expr *e);

/* sema_name_map.c: resolve the map of an EX_MAP. A use with keys, or an assignment, fixes the
 * number of keys; `whole` is for print(@m) and the like, which name a map as a whole. */
void name_map(struct sema *s, struct expr *e, bool whole);
/* Rewrite delete(@m, k, …), has_key and find likewise, to delete(@m[k, …]), so that later passes
 * see one form. */
void name_fold_key(struct arena *a, struct expr *e);

/* `@ = { …; avg(x) }` becomes `{ …; @ = avg(x) }`: an aggregation is no value. */
void name_agg_into_block(struct sema *s, struct stmt *st);

/* Refuse &@m, which in bpftrace is for functions of C. False when `e`, a unary, is another one. */
bool name_refuse_address(struct sema *s, struct expr *e);

/* sema_name_hoist.c: the variable that was assigned in blocks that have ended, for a read after
 * them; NULL if there is none. At the end of a probe the variables of these blocks become one. */
struct var *name_hoist(struct sema *s, const struct expr *e);
void name_hoist_finish(struct sema *s, struct probe *p);
/* sema_name_late.c: report a variable that is assigned, but only further down in the probe. False:
 * it is not. */
bool name_read_early(struct sema *s, const struct expr *e);
/* sema_name_builtin.c: hint what to write for `$PPID` and `$HOME`. False: it is no variable of a
 * shell. */
bool name_hint_shell(struct sema *s, const struct expr *e);
/* sema_name_late.c: hint how to keep what another probe has assigned to a variable of this name.
 * False: none has. */
bool name_hint_other_probe(struct sema *s, const struct expr *e);
/* Find the maps that print(@m) and the like name as a whole; report those that nothing writes. */
void name_whole_maps(struct sema *s);
/* `@[comm] == count();`: report it, and make it the assignment that is meant. False: it is none. */
bool name_compared(struct sema *s, struct stmt *st);
