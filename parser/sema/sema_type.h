/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of pass 2 share, private to them.
 */
#pragma once
#include "parser/sema/sema.h"
#include "parser/lang/type_space.h"

/* The types of literals and of what is not known yet, recognised by address: sema_type.c. */
extern const struct type sema_literal, sema_unknown;

/* 64 bits. */
static inline const struct type *sema_word(bool is_signed)
{
	return type_int(8, is_signed);
}

static inline bool sema_is_wrong(const struct type *t)
{
	return t->kind == TY_ERROR && t != &sema_unknown;
}

/* ---- sema_type.c */
/* Find the types of `e` and its sub-expressions, and set e->type. */
const struct type *sema_type_expr(struct sema *s, struct expr *e);
/* The same for the statements of a block. */
void sema_type_block(struct sema *s, struct block *b);
/* Replace `e` by the other expression, and find its types. */
const struct type *sema_become(struct sema *s, struct expr *e, const struct expr *other);
const struct type *sema_unify(struct sema *s, const struct type *x, const struct type *y);
const struct type *sema_stored(const struct type *t);
/* The type of a map's value in an expression: most aggregations are integers there. */
const struct type *sema_read_type(const struct type *t);
void sema_widen(struct sema *s, const struct type **slot, struct span *first, const struct type *t,
		const struct expr *from, const char *what);
/* A value of type `t`, that of `from`, is assigned to a variable. */
void sema_assign_var(struct sema *s, struct var *v, const struct type *t, const struct expr *from);
const char *sema_name_of(struct sema *s, const struct type *t);

/* sema_hint.c: hints for the last error, if it is reported. */
/* For a comparison of values of different types. */
const struct type *hint_compare(struct sema *s, const struct expr *e);
/* For a value or key that a map (what: its name) of type `slot` cannot hold. */
void hint_other(struct sema *s, const struct type *slot, const struct expr *from, const char *what);
/* For a value of type `t` that the variable cannot hold: where that is declared. */
void hint_assigned(struct sema *s, const struct var *v, const struct expr *from,
		   const struct type *t);
/* For arguments `first` and `first` + 1, which are in the wrong order. */
void hint_swapped(struct sema *s, const struct expr *call, uint32_t first);
/* For an argument of the wrong type. */
void hint_argument(struct sema *s, const struct expr *call, const struct expr *arg);
/* What a type is called beside `other`: a text and a number have words of their own. */
const char *hint_type(struct sema *s, const struct type *t, const struct type *other);
/* The usage of a function, and a call of it. False: it is NULL, or its row has no call. */
bool hint_example(struct sema *s, const struct builtin *b);
/* A call with too many or too few arguments. */
void hint_arity(struct sema *s, const struct expr *call);
/* `pid == $1`, and $1 is no number; `comm == $1`, and it is one. False: `e` is of no parameter. */
bool hint_parameter(struct sema *s, const struct expr *e);
/* `"pid " + pid`, `"a" || "b"`: report that texts are not joined so. False: it is no such thing. */
bool hint_join_texts(struct sema *s, const struct expr *e);
/* A hint if the first argument is a text with braces for values, as of Python. False: it is not. */
bool hint_braces(struct sema *s, const struct expr *call);
/* A call that has no value where one is needed. */
void hint_no_value(struct sema *s, const struct expr *value);
/* "x" + 1, which leaves nothing of the text. */
void hint_join(struct sema *s, const struct expr *e);

/* ---- sema_local.c: (T)e */
struct expr *sema_cast(struct sema *s, struct span at, const struct type *t, struct expr *e);

/* ---- sema_known.c */
/* Rewrite a value that is shown or is a key, if it is of a type of a language's library: a
 * std::string to its text. Returns its type. */
const struct type *known_shown(struct sema *s, struct expr *e);

/* ---- sema_float.c */
/* Report that `what` cannot be done with the floating-point number `e`. */
const struct type *float_refuse(struct sema *s, const struct expr *e, const char *what);
/* Of a product: may it be of a float and an integer? Only the first one in a cast may. */
bool float_take_scale(struct sema *s);
bool float_is_scaled(const struct type *x, const struct type *y);
/* The type of a cast of the floating-point number `t` to `to`. */
const struct type *float_cast(struct sema *s, const struct expr *e, const struct type *t,
			      const struct type *to);
/* Report a key that is a floating-point number, or has one. */
const struct type *float_check_key(struct sema *s, const struct expr *key, const struct type *t);

/* ---- sema_width.c */
/* Bytes of an integer before it was widened to be stored; 0: it is a literal, or not known yet. */
uint32_t sema_width(const struct expr *e);
/* An integer of `width` bytes is assigned to a variable or map. */
void sema_note_width(struct sema *s, const struct expr *target, uint32_t width);

/* sema_check.c: true when control never continues after this statement. It does after `while (1)`,
 * which ends after LIMIT_ROUNDS iterations. */
bool sema_leaves(const struct stmt *st);

/* ---- sema_loop.c */
void sema_type_loop(struct sema *s, struct stmt *st);

/* ---- sema_operator.c */
/* Find the type of `e`, which must be an integer; `op` is for the message. */
const struct type *sema_need_int(struct sema *s, struct expr *e, const char *op);
/* The same for an expression whose type was found already: each is visited once, or nesting would
 * take exponential time. */
const struct type *sema_check_int(struct sema *s, const struct expr *e, const char *op);
/* The type of a condition; a pointer is true when it is not 0. `op` is for the message. */
const struct type *sema_check_truth(struct sema *s, struct expr *e, const char *op);
const struct type *sema_type_binary(struct sema *s, struct expr *e);
const struct type *sema_type_unary(struct sema *s, struct expr *e);
/* The type of the operand of sizeof and offsetof, which may be a type. */
const struct type *sema_type_alone(struct sema *s, struct expr *e);
const struct type *sema_type_ternary(struct sema *s, struct expr *e);

/* ---- sema_constant.c: operations whose operands have types; `t` is the result's type when it
 * cannot be folded */
/* The type of a literal number. */
const struct type *constant_type(const struct expr *e);
/* Fold arithmetic, comparisons and unary minus if the operands are literal numbers. */
const struct type *constant_binary(struct sema *s, struct expr *e, const struct type *t);
const struct type *constant_compare(struct expr *e);
/* Fold && and || of literals. */
const struct type *constant_logic(struct expr *e);
/* A byte of a literal string, as a number. */
struct expr *constant_byte(struct arena *a, const struct expr *e);
/* Replace a member of a literal tuple or record by its value. False when it is none. */
bool constant_member(struct expr *e, uint32_t i, const struct expr *object);
/* Fold an operation on a literal string: join, cut or compare. NULL when it is none of these. */
const struct type *constant_string(struct sema *s, struct expr *e);
const struct type *constant_negated(struct sema *s, struct expr *e, const struct type *t);
/* True when the right operand is valid; else (a zero divisor, a bad shift count) it is reported. */
bool constant_check_right(struct sema *s, enum op op, const struct expr *right);

/* ---- sema_tag.c */
/* Report that `what`, an integer of type `old` since `first`, is assigned `from`, whose type `t` is
 * a time of another clock or an address in another space. False if it is not. */
bool tag_refuse(struct sema *s, const struct type *old, struct span first, const struct type *t,
		const struct expr *from, const char *what);
/* The type of the operation `e`, which is `t` but for what it knows of addresses and times. */
const struct type *tag_keep(struct sema *s, const struct expr *e, const struct type *t);

/* True if less is known of `t`, or of a member of it, than of the equal type `wider`: it held only
 * literals so far, or numbers from elsewhere. */
bool tag_knows_less(const struct type *t, const struct type *wider);

/* ---- sema_text.c: strings, and arrays of bytes */
bool sema_is_text(const struct type *t);

/* ---- sema_call.c */
/* Report that the call `e` needs `what` in place of `arg`, unless that is reported already. A hint
 * of NULL is the call's usage. */
const struct type *sema_wrong_arg(struct sema *s, const struct expr *e, const struct expr *arg,
				  const char *what, const char *hint);
/* Find the type of a call and of its arguments. */
const struct type *sema_type_call(struct sema *s, struct expr *e);

/* ---- sema_comptime.c */
/* A number, a string, or a tuple or record of them. */
bool comptime_is_literal(const struct expr *e);
/* True for a `comptime …` that is not decided yet. */
bool comptime_is(const struct expr *e);
/* True when what depends on the type `t` of `e` can be decided now: in the final round, or inside
 * of `comptime` when types are settled; then the type must not change any more. */
bool comptime_folds(struct sema *s, struct expr *e, const struct type *t);
/* Report types that have changed since. */
void comptime_check_locks(struct sema *s);
/* Check the predicate. False when the probe's body is not to be checked: `/comptime x/` is false,
 * or not decided yet. */
bool comptime_predicate(struct sema *s, struct probe *p);
/* Drop the probes whose `/comptime x/` is false. */
void comptime_drop_probes(struct sema *s);
/* Drop the maps that only branches named which are not compiled. */
void comptime_drop_maps(struct sema *s);
/* Find the type of the condition of an `if`. True for `if comptime`, whose branches need nothing
 * more. */
bool comptime_prune(struct sema *s, struct stmt *st);
/* Give variables that have no type that of a branch which was left out. True if one got a type. */
bool comptime_type_untaken(struct sema *s);
/* The same for `c ? a : b`, whose condition has its type and `was` comptime: the type of the
 * branch, which replaces it. NULL when it was not. */
const struct type *comptime_choose(struct sema *s, struct expr *e, bool was);
/* The type of `comptime x`, which becomes x once that is a literal. */
const struct type *sema_type_comptime(struct sema *s, struct expr *e);

/* The type of the operand of typeof, as a variable has it; of a whole map with keys that of its
 * key. */
const struct type *sema_type_of(struct sema *s, struct expr *e);

/* ---- sema_memory.c */
/* The type of the arithmetic `e`, one of whose operands is a pointer. */
const struct type *memory_arith(struct sema *s, struct expr *e);
/* True for two pointers, or a pointer and a number that was one, into different memory. */
bool memory_mixes(const struct type *x, const struct type *y);
/* Two pointers, or two arrays of pointers of one size. */
bool memory_are_pointers(const struct type *x, const struct type *y);
/* The type of a declared array: its pointers are into the memory that those of `value`, or NULL,
 * are. */
const struct type *memory_declared_array(struct sema *s, const struct type *t,
					 const struct type *value);
/* True for a pointer and another pointer or a number. */
bool memory_comparable(const struct type *x, const struct type *y);
/* The type of what `e` reads at an address of type `t`. */
const struct type *memory_read(struct sema *s, const struct expr *e, const struct type *t);
/* Report that a replay has no memory with a `t`. &type_error. */
const struct type *memory_not_recorded(struct sema *s, struct span span, const struct type *t);
/* The type of a copy of a `t` that is in `space`, which the pointers in it keep. */
const struct type *memory_copied(struct sema *s, const struct type *t, enum type_space space);
/* The struct that holds copies of both, which are equal but for where they come from. */
const struct type *memory_unify_copies(const struct type *x, const struct type *y);
const struct type *memory_array(struct sema *s, struct span at, const struct type *elem,
				uint64_t n);
const struct type *memory_cast(struct sema *s, struct expr *e, const struct type *t,
			       const struct type *to);

/* The type of an argument, result or register of the probe, which may be an address of the
 * program. */
const struct type *memory_given(const struct sema *s, const struct type *t);
/* False, after an error at `e`, for a number that may be an address in either memory. */
bool memory_is_clear(struct sema *s, const struct expr *e, const struct type *t);
/* False, after an error, if the call `e` reads at an address of type `t` in another thread than the
 * one that the probe is about. */
bool memory_is_of_span(struct sema *s, const struct expr *e, const struct type *t);
/* Report at `e` a read of the memory of another thread than the one that the probe is about, and
 * return the error's type; NULL if it is the same thread. */
const struct type *memory_check_space(struct sema *s, const struct expr *e, enum type_space space);

/* ---- sema_struct.c */
/* The type "struct X", "union X", "enum X", or of a typedef; NULL: there is none. */
const struct type *struct_named(struct sema *s, const char *name);
/* Report an unknown type. */
void struct_unknown(struct sema *s, struct span span, const char *name);
/* The expression's type, with what it points to if only the name of that was known. */
const struct type *struct_resolve(struct sema *s, struct expr *e);
/* True if the size is known. Reads the layout of a struct that was only declared. */
bool struct_has_size(const struct type *t);
/* The type of x.member, where x has its type. */
const struct type *struct_member(struct sema *s, struct expr *e);
/* The type of what is at the member or element `e`, of type t, in the memory that it is in. */
const struct type *struct_in_place(struct sema *s, const struct expr *e, const struct type *t);
/* Report that the struct t has no member of the name in `e`, and which was probably meant. */
const struct type *struct_no_member(struct sema *s, const struct expr *e, const struct type *t);
/* Rewrite `char name[]`, the last member of a struct, to its address. */
void struct_decay(struct sema *s, struct expr *e);
/* In a cast to a pointer: make an array or string that is in memory its address, as C does. */
bool struct_is_decayed(struct sema *s, struct expr *e);
const struct type *struct_offsetof(struct sema *s, struct expr *e);
/* The type of &x. */
const struct type *struct_address(struct sema *s, struct expr *e);
const struct type *struct_cast(struct sema *s, const struct expr *e, const struct type *t,
			       const struct type *to);
const struct type *struct_enum_cast(struct sema *s, const struct expr *e, const struct type *to);

/* ---- sema_compound.c */
/* sema_unify for two different compound types. */
const struct type *compound_unify(struct sema *s, const struct type *x, const struct type *y);
/* The type of the comparison `e` of two compound values. */
const struct type *compound_compare(struct sema *s, struct expr *e, bool equality);
/* The type of *p. */
const struct type *compound_deref(struct sema *s, struct expr *e);
/* The type of t.x, where t is compound and has its type. */
const struct type *compound_member(struct sema *s, struct expr *e);
/* The type of a tuple or record literal. */
const struct type *compound_list(struct sema *s, struct expr *e);
/* The type that a script names; NULL after an error. */
const struct type *compound_named(struct sema *s, const struct type_name *n);
/* The type that a `let` declares; that of `let $x : timestamp` has the format of what is
 * assigned. */
const struct type *compound_declared(struct sema *s, const struct stmt *st);
const struct type *compound_cast(struct sema *s, struct expr *e);
const struct type *compound_index(struct sema *s, struct expr *e);
/* @m[t], where the tuple t holds all keys. */
void compound_spread_key(struct sema *s, struct expr *e);
/* The type of a map entry, NULL while it is unknown. */
const struct type *compound_entry(struct sema *s, const struct map *m);

/* ---- sema_go.c: what is not known of a function of Go. Each function returns false if it has
 * reported an error; for functions of other languages they return true. */

/* Check that `e`, an argument by number, can be read at p. */
bool sema_go_argument(struct sema *s, const struct expr *e, const struct attach_point *p);
/* Check that `e`, the result, can be read at p. */
bool sema_go_result(struct sema *s, const struct expr *e, const struct attach_point *p);
/* Check that a call can be measured, or matched with its start, at p. `e` is the builtin `word`. */
bool sema_go_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		  const char *word);
/* The same for functions of C whose program switches stacks. is_nested: the word says which calls
 * are inside others. */
bool sema_switch_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		      const char *word, bool is_nested);

/* ---- sema_iter.c: rules of iter probes */

struct format_spec;

/* True when the builtin can be used at this attach point; else it is reported. */
bool iter_check_where(struct sema *s, const struct builtin *b, struct span span,
		      const struct attach_point *p);
/* Report arguments that the kernel cannot format; returns the type of the call. */
/* sema_hooks.c: a field of a tracepoint that is the address of a string, and reported. */
bool sema_is_string_address(struct sema *s, const struct expr *e);
/* sema_row.c: do the arguments from `from` on have values and names for columns? */
bool sema_check_columns(struct sema *s, const struct expr *call, uint32_t from);
const struct type *iter_check_printf(struct sema *s, struct expr *e,
				     const struct format_spec *spec);

/* ---- sema_span.c: checks of spans that other passes use */

/* True when `e`, a field of `args`, is the number of the system call whose return `p` is. */
bool sema_is_call_number(const struct probe *p, const struct expr *e);
/* Continue as in the probe that starts the spans of the current one. Returns the current probe,
 * for the caller to restore. */
struct probe *sema_to_start(struct sema *s);
/* Mark the attach points of the probe as ends of spans, which `e`, the word, needs. False:
 * reported. */
bool sema_need_span(struct sema *s, struct expr *e, const char *word);
/* Check that the argument of entry() uses only what is known when the span starts. */
bool sema_check_entry(struct sema *s, struct expr *e);
/* Rewrite `e` to function(e): to entry(e) or str(e). */
void sema_wrap(struct sema *s, struct expr *e, const char *function);

/* sema_reason.c: report the comparison of `name`, if it is `reason`, with a text that it never is.
 * False if reported. */
bool sema_check_reason(struct sema *s, const struct expr *name, const struct expr *text);
