/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that are known and not built yet: the rows of unimplemented.def.
 */
#pragma once

enum later_kind {
	LATER_NAME,	/* builtins, which may be called too */
	LATER_CALL,	/* functions and aggregations */
	LATER_ARGUMENT, /* words that stand in the parentheses of builtins: kstack(perf) */
};

struct later {
	enum later_kind kind;
	const char *word, *hint; /* hint: NULL for none */
};

/* The row of `word` among those of `kind`, or NULL. */
const struct later *later_find(const char *word, enum later_kind kind);
