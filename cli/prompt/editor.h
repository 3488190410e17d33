/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines typed on a terminal: editing, history, completion, with libedit. Without a terminal, lines
 * are read as they are.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* What the word before the cursor may become. */
struct candidates {
	struct arena *arena;
	const char **words; /* each begins with what is typed of it */
	uint32_t n;
	size_t typed;	  /* bytes of the line before the cursor that they replace */
	const char *ends; /* appended to a word that is the only one; NULL: nothing */
};

/* Offer a word if it begins with the `candidates->typed` bytes at `typed`. */
void candidates_offer(struct candidates *c, const char *typed, const char *word);

struct editor_setup {
	const char *history; /* name of its file (state_file.h); NULL: none is kept */
	/* Find the candidates for a text that ends at the cursor; or NULL. */
	void (*complete)(void *ctx, const char *text, struct candidates *out);
	void *ctx;
};

struct editor;

/* NULL with errno set. */
struct editor *editor_open(const struct editor_setup *setup);
void editor_close(struct editor *e);
/* The next line, without its newline, from malloc. NULL at the end of input. After Ctrl-C it is ""
 * and *cancelled is true. `before`: the lines that it continues; completion looks at them, too. */
char *editor_read(struct editor *e, const char *prompt, const char *before, bool *cancelled);
/* Add what was typed to the history. */
void editor_remember(struct editor *e, const char *text);
