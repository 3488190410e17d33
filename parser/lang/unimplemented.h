/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words that are known and not built yet: the rows of unimplemented.def.
 */
#pragma once

enum later_kind {
	UNIMPLEMENTED_NAME,	/* builtins, which may be called too */
	UNIMPLEMENTED_CALL,	/* functions and aggregations */
	UNIMPLEMENTED_ARGUMENT, /* words that stand in the parentheses of builtins: kstack(perf) */
};

struct later {
	enum later_kind kind;
	const char *word, *hint; /* hint: NULL for none */
};

/* The row of `word` among those of `kind`, or NULL. */
const struct later *unimplemented_find(const char *word, enum later_kind kind);
