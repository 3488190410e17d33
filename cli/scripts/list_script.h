/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l of a script: its attach points.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct kernel;
struct script_args;
struct program;

/* True when -l is about a script: there is -e, or a file of that name. */
bool list_names_script(const struct script_args *o);
/* The attach points of a checked script, in its order, patterns expanded; with their fields. The
 * exit status. */
int list_script(struct kernel *k, const struct program *p, bool fields, FILE *out);
