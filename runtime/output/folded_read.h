/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads folded stacks, as -f folded and the stackcollapse programs write them, into a tree of
 * calls.
 */
#pragma once
#include "runtime/view/call_tree.h"

/* Add the stacks of the file at `path` to the tree: as values, or as those of the run before. 0, or
 * -1 after a message. */
int folded_read(struct call_tree *t, const char *path, bool is_before);
/* The same of an open file; `path` is for messages. */
int folded_read_file(struct call_tree *t, FILE *f, const char *path, bool is_before);
