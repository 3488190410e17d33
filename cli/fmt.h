/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde fmt SCRIPT, --fmt: prints a script in its canonical form.
 */
#pragma once

struct arena;
struct diags;
struct options;

/* Print the script d->source, or write it to -o's file, which may be the script itself. The exit
 * status. */
int fmt_run(struct arena *a, const struct options *o, struct diags *d);
