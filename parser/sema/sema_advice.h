/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings about scripts that compile but may not do what their author wants. They come after all
 * other passes, for scripts without errors, and change nothing in the tree.
 */
#pragma once
#include "parser/sema/sema.h"

/* Report all that is suspicious. */
void advise(struct sema *s);

/* sema_usage.c: note which variables and maps are read and set; directly after the names, since
 * later passes replace expressions by their values. */
void usage_note(struct sema *s);
/* sema_usage.c: variables and maps that nothing reads, variables read before they are set. */
void advise_usage(struct sema *s);
/* sema_condition.c: a comparison, or a chain of && or ||, whose result is always the same; an
 * operator that binds differently than it looks. */
void advise_binary(struct sema *s, const struct expr *e);
/* sema_condition.c: a condition that is written as a literal. `around` is its statement. */
void advise_condition(struct sema *s, const struct expr *e, struct span around);
/* sema_condition.c: a loop over a range without numbers. */
void advise_loop(struct sema *s, const struct stmt *st);
/* sema_endless.c: `while (1)` without an end. */
void advise_endless(struct sema *s, struct stmt *st);
/* sema_unit.c: find the variables and maps that hold nanoseconds, for warnings and for pictures of
 * the maps; after the types are known. */
void units_note(struct sema *s);
/* sema_unit.c: nanoseconds that are compared with a small number without a unit, counted in buckets
 * of such a width, or divided before they are added. */
void advise_unit(struct sema *s, const struct expr *e);
/* sema_advice_map.c: times whose start may not have been stored. */
void advise_entries(struct sema *s, struct probe *p);
/* sema_advice_map.c: keys that are addresses of texts. */
void advise_keys(struct sema *s, const struct expr *m);
/* sema_advice_map.c: str() of a small number. */
void advise_address(struct sema *s, const struct expr *call);

/* sema_advice_args.c: argN of a function with fewer parameters. */
void advise_argument(struct sema *s, const struct expr *e);
/* sema_advice_args.c: addresses of texts that are printed as numbers. */
void advise_printed(struct sema *s, const struct expr *call);
/* sema_advice_args.c: the script's text of `e` if that is the address of a text, such as
 * args.filename; NULL: it is not. */
const char *advice_text_address(struct sema *s, const struct expr *e);
/* sema_advice_args.c: true for a member or element that is the address of a text. */
bool advice_is_text_pointer(const struct expr *e);
/* sema_clock.c: the difference of times of two clocks. */
void advise_clocks(struct sema *s, const struct expr *e);
/* sema_compare.c: comparisons that mean something else than they look. */
void advise_compare(struct sema *s, const struct expr *e);

/* The text of the script at `span`; NULL if it is not on one line, or longer than `most` (0: any
 * length). */
const char *advice_text(const struct sema *s, struct span span, uint32_t most);
/* The literal text that the operation `e` by `op` compares with *value; NULL: it does not. */
const struct expr *advice_compared(const struct expr *e, enum op op, const struct expr **value);
/* True if the text at `span` was expanded from a macro or function. */
bool advice_is_copy(const struct sema *s, struct span span);
