/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the script that the command line names: the text of -e, a file or a bundled script.
 */
#pragma once

struct arena;
struct script_args;

/* NULL after a message. */
struct source *read_source(struct arena *a, const struct script_args *o);
