/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: what can be probed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kernel;
struct listing;
struct tp_field;

/* Print the attach points that match `pattern` (NULL: all), sorted, one a line; with `fields` those
 * of tracepoints below them. A pattern has * and ?, begins with a probe type or its alias, or is a
 * part of a name. The exit status: 0; 1 when nothing matches; 2 when the kernel does not tell. */
int list_probes(struct kernel *k, const char *pattern, bool fields, FILE *out);
/* What -lv writes below a line, for lines that were not listed here: NULL, out of memory. */
struct listing *list_open(struct kernel *k);
/* `offset`: of a function of a program, where it is in its file. */
void list_below(struct listing *l, const char *line, uint64_t offset, FILE *out);
void list_close(struct listing *l);
/* A field or parameter as -lv shows it: as it is declared, or its type and `name`, "" for none. */
void list_field(const struct tp_field *f, const char *name, FILE *out);
