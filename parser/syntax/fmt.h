/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a script in its canonical form: --fmt. Works on the filter's tokens, so that comments stay
 * and the text of every literal and attach point is the author's.
 */
#pragma once
#include <stdio.h>

struct arena;
struct program;
struct source;

/* Print the script `s`, which parse() has accepted without an error. */
void fmt_script(struct arena *a, const struct source *s, FILE *out);
/* The script `s`, whose tree is `p`, in its canonical form: `*len` bytes, to be freed. NULL if that
 * were another script, which would be a defect. The tree is not to be used afterwards. */
char *fmt_checked(struct arena *a, struct program *p, const struct source *s, size_t *len);
