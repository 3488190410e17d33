/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of other languages and tools that people write by habit, and what to write instead.
 */
#pragma once

struct foreign_word {
	const char *word, *hint;
};

/* The hint for `word`, or NULL: the rows of foreign_word.def. */
const char *foreign_hint(const char *word);
