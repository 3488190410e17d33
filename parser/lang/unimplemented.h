/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of the language that are not implemented: the UNIMPLEMENTED rows of builtins.def.
 */
#pragma once

enum unimplemented_kind {
	UNIMPLEMENTED_NAME,	/* builtins, which may also be called */
	UNIMPLEMENTED_CALL,	/* functions and aggregations */
	UNIMPLEMENTED_ARGUMENT, /* words in the parentheses of builtins: kstack(perf) */
};

struct unimplemented_word {
	enum unimplemented_kind kind;
	const char *word, *hint; /* hint: NULL for none */
};

/* The row of `word` among those of `kind`, or NULL. */
const struct unimplemented_word *unimplemented_find(const char *word, enum unimplemented_kind kind);
