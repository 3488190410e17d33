/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first pass of the token filter: its state, the token array, and the stack of open brackets.
 * Private to filter.c and filter_stack.c.
 */
#pragma once
#include "parser/base/limits.h"
#include "parser/syntax/filter.h"

typedef void *yyscan_t; /* flex's handle */

enum mode { IN_TOP, IN_HEAD, IN_PREDICATE, IN_BODY, IN_ITEM, IN_PARAM };

/* An open bracket, and what is open in it besides brackets. */
struct frame {
	uint32_t token;
	uint32_t n_prefix, n_ternary, n_else_if;
	bool is_c_for; /* for (…; …; …): reported, its errors are silenced */
};

struct reader {
	struct filter *f;
	struct arena *arena;
	struct diags *diags;
	yyscan_t scanner;
	struct lexer lexer;
	enum mode mode;
	struct frame frames[LIMIT_NESTING];
	uint32_t n_frames;
	uint32_t probe_start; /* first token since the last block */
	bool is_value;	      /* filter_open_value() */
	bool is_stopped;      /* nested too deeply: the rest is not read */
	bool skips_semicolon; /* skip a ';' after an item that needs none */
};

/* Change the mode, and the lexer's state with it. */
void reader_enter(struct reader *r, enum mode mode);
/* The innermost open bracket, or NULL. */
struct token *reader_top(const struct reader *r);
/* Append a token. A closing bracket that closes nothing becomes its own partner. */
void reader_push(struct reader *r, struct token t);
/* Report and stop when more than LIMIT_NESTING brackets, prefix operators, '?' and else-if are open
 * at `s`. */
void reader_check_depth(struct reader *r, struct span s);
/* Append `t` as an opening bracket of `kind`. */
void reader_open(struct reader *r, struct token t, int kind);
/* Append `t`, of `kind`, which closes the innermost bracket. */
void reader_close(struct reader *r, struct token t, int kind);
/* The closing bracket of an opening one, for messages. */
const char *reader_closer_text(int opener);
/* Insert the closers that are missing above `depth`, one at least, before the byte at `at`. Syntax
 * errors between these brackets follow from one that was reported. */
void reader_close_quietly(struct reader *r, uint32_t depth, uint32_t at);
/* Insert the closers that are missing above `depth`, as `t` shows, and report the innermost. */
void reader_close_to(struct reader *r, uint32_t depth, const struct token *t);
/* Number of the innermost open bracket of `kind`, from 1; 0 when there is none in this region. */
uint32_t reader_find(const struct reader *r, int kind);
