/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parse hooks of probes.def, and functions that they share. Private to parser/attach and
 * listings.
 */
#pragma once
#include "parser/base/diag.h"
#include "parser/base/pattern.h"
#include "parser/lang/probe.h"
#include <errno.h>

/* See struct probe_row. */
typedef int parse_fn(const struct probe_reader *r, struct attach_point *p, char **parts,
		     uint32_t n);
#define PROBE(id, name, alias, form, context, traits, parse, ...) parse_fn parse;
#include "parser/lang/probes.def"

/* What to write instead of another tool's probe type, which is before `rest` (or NULL); NULL if
 * `name` is not one. */
const char *probe_foreign(const struct probe_reader *r, const char *name, const char *rest);
/* True if the kernel has uprobes. Otherwise reports that it has none. */
bool probe_has_uprobes(const struct probe_reader *r, const struct attach_point *p);
/* Report that no mapped file of the process (or of any process) can be read, because of the error
 * `err`; 0: no file is mapped. Returns -1. */
int probe_no_mapped_file(const struct probe_reader *r, const struct attach_point *p, int err);
/* The number that `text` is, spelled as in scripts: 1000, 1_000, 1e3, 0x3e8. 0 if it is none. */
uint64_t probe_number(struct arena *a, const char *text);
/* Check that what was `requested` did not match too many targets for a probe: functions, locations.
 * 0, or -1 (reported). */
int probe_check_number(const struct probe_reader *r, const struct attach_point *p,
		       const char *requested, const char *what);
/* Read OFF of FUNCTION+OFF, decimal or 0x…, and cut the text at its '+', `plus`. 0, or -1
 * (reported). */
int probe_read_offset(const struct probe_reader *r, const struct attach_point *p,
		      const char *function, char *plus, uint64_t *out);
/* The text without its quotes, and without the backslashes in them that make a letter of what
 * follows. */
char *probe_unquoted(struct arena *a, const char *text);
/* Show the path of the point's targets as it was written, unless that is a pattern, or the bare
 * name of a program or library. */
void probe_show_path(struct arena *a, struct attach_point *p, const char *written);
/* Compares the files and offsets of two targets. */
int probe_by_place(const void *x, const void *y);
/* Sort targets, and keep one of those that do not differ. Both functions are like qsort()'s. */
void probe_each_once(struct attach_target *t, uint32_t *n, int (*order)(const void *, const void *),
		     int (*differ)(const void *, const void *));
/* Report the form of probes of this type. Returns -1. */
int probe_wrong_form(const struct probe_reader *r, const struct attach_point *p);
/* "CATEGORY:EVENT" of the kernel's tracepoint of that event's name; NULL when there is none. */
const char *probe_event_called(const struct probe_reader *r, const char *event);
