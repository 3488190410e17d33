/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The token filter between the lexer and the grammar; private to this folder. It reads the whole
 * script into an array of tokens, decides what each '/', '<' and '>' is, and gives the grammar
 * brackets that always balance: missing ones are reported and inserted, stray ones are reported
 * and skipped. After a syntax error it decides where the grammar continues.
 */
#pragma once
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include <string.h>

/* ---- the lexer's state (lexer.l) ---- */

enum lexer_state { LEXER_TOP, LEXER_HEAD, LEXER_BODY };

struct lexer {
	struct arena *arena;
	struct diags *diags; /* NULL in a definition of C, whose parser is another */
	uint32_t offset;     /* of the next byte in the text */
	uint32_t base;	     /* what spans add to that */
	bool is_cut;	     /* an unterminated literal or comment hid closing brackets */
	bool is_tag;	     /* the last word was reserved, such as `struct` */
	bool is_mangled;     /* a shell or a web page has changed the text, which was reported */
	bool has_no_quotes;  /* a shell removed them: see source_lost_quotes() */
};

/* Change the state of `scanner` (flex's handle) for the next token. */
void lexer_enter(void *scanner, enum lexer_state state);

/* A token's text, or a number's value. */
struct token_text {
	const char *text;
	uint32_t len;
};

/* ---- tokens ---- */

enum { NO_TOKEN = UINT32_MAX };

struct token {
	int kind; /* TOK_… of parser.y */
	struct span span;
	uint32_t inside; /* the enclosing opening bracket, or NO_TOKEN; of a closing one: its own */
	uint32_t partner; /* brackets: the matching one */
	bool is_quiet;	  /* errors here follow from one that was reported */
	union {
		uint64_t integer;
		struct token_text text;
	};
};

/* True if a token of this kind can be the last of a value. */
bool token_ends_value(int kind);
/* True if a token of this kind, which is no operator and no keyword, can begin a value. */
bool token_begins_value(int kind);
/* True for an operator that an operand follows: all but ++ and --. */
bool token_is_operator(int kind);

struct filter {
	const struct source *source; /* the file that is parsed */
	struct diags *diags;
	struct token *tokens; /* the last is the end of the script */
	uint32_t n_tokens;
	uint32_t next;		 /* the token that filter_next returns */
	uint32_t current;	 /* the token it returned last */
	bool resumes;		 /* return TOK_RESUME first */
	uint32_t last_stop;	 /* where the last recovery ended, to detect missing progress */
	bool is_mangled;	 /* that the text was changed on its way was reported */
	bool has_reported_angle; /* the early close of an angle block was reported */
	const struct value_names *names; /* of filter_open_value(); or NULL */
};

/* The text at a span. */
const char *filter_text(const struct filter *f, struct span s);
/* Read all of `s`. Errors of characters, literals and brackets go to `d`. */
void filter_open(struct filter *f, struct arena *a, const struct source *s, struct diags *d);
/* Read `span` of `s`, which is an expression: TOK_VALUE_ONLY, TOK_PRED_OPEN, it, TOK_PRED_CLOSE. */
void filter_open_value(struct filter *f, struct arena *a, const struct source *s, struct span span,
		       const struct value_names *names, struct diags *d);
/* The second pass of filter_open: classifies each '(', '{', 'if' and '_'. */
void filter_decide(struct filter *f);
/* The index of the next token. */
uint32_t filter_next(struct filter *f, bool *resume);
/* After a syntax error at the current token: the next token is TOK_RESUME, then those after the
 * statement, at the end of the predicate, or at the next probe. */
void filter_recover(struct filter *f);
/* The innermost block or predicate around token `i`, or NO_TOKEN. */
uint32_t filter_region(const struct filter *f, uint32_t i);
/* Report the syntax error at the current token; `expected` are the token kinds that the grammar
 * accepts there. */
void syntax_error(struct filter *f, const int *expected, int n_expected);
/* syntax_error.c: the text at a span, for a message; "…" if it has more than `most` bytes. */
const char *syntax_shown(const struct filter *f, struct span s, uint32_t most);
/* Report a syntax error with a hint. Returns true. */
bool syntax_mistake(const struct filter *f, struct span s, const char *message, const char *hint,
		    ...) __attribute__((format(printf, 4, 5), cold));
