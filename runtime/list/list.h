/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: listings of attach points.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct attach_point;
struct kernel;
struct listing;

/* Print the attach points that match `patterns` (NULL: all), which commas separate: sorted, one a
 * line; with `fields`, what each is given below it. The exit status: 0; 1 when nothing matches or a
 * pattern is wrong; 2 when the kernel or a file cannot be read. */
int list_probes(struct kernel *k, const char *patterns, bool fields, FILE *out);

/* Call fn for each attach point that matches the pattern, in the order of -l. Reports nothing. */
void list_each(struct kernel *k, const char *pattern, void (*fn)(void *ctx, const char *line),
	       void *ctx);
/* The same for the names of the fields of the first attach point that matches. */
void list_each_field(struct kernel *k, const char *pattern,
		     void (*fn)(void *ctx, const char *name, size_t len), void *ctx);

/* A listing of attach points that are already resolved. Never NULL. */
struct listing *list_open(struct kernel *k);
/* Append the lines of a point, which must live as long as the listing. */
void list_take(struct listing *l, const struct attach_point *p);
/* Print the lines in the order in which they came. */
void list_print(struct listing *l, bool fields, FILE *out);
void list_close(struct listing *l);
