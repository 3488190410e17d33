/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiled script depends on: lines of text at the beginning of its file.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct kernel;
struct options;
struct plan;

/* Write a line for each thing that the plan depends on, "# WORD REST". 0, or -1 after a message:
 * the script cannot be compiled to a file. */
int compiled_facts_write(const struct options *o, const struct plan *p, struct kernel *k, FILE *f);
/* Is the line (without "# " and newline) true now? False after a message. */
bool compiled_fact_holds(const struct options *o, struct kernel *k, char *line);
