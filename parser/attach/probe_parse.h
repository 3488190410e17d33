/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parse hooks of probes.def, and what they share. Private to probe*.c.
 */
#pragma once
#include "parser/lang/probe.h"

/* See struct probe_row. */
typedef int parse_fn(const struct probe_reader *r, struct attach_point *p, char **parts,
		     uint32_t n);
#define PROBE(id, name, alias, form, context, traits, parse, ...) parse_fn parse;
#include "parser/lang/probes.def"
#undef PROBE

struct arena;
struct attach_text;

/* What to write for a probe type of another tool; NULL: `name` is none. */
const char *probe_foreign(const char *name);
/* Has the kernel uprobes? If not it is said, and false. */
bool probe_has_uprobes(const struct probe_reader *r, const struct attach_point *p);
/* No file that the process, or any process, runs can be read: `err`, or 0 when it runs none; -1. */
int probe_no_mapped_file(const struct probe_reader *r, const struct attach_point *p, int err);
/* The text without that character: the letters of a pattern, for what is near to them. */
char *probe_without(struct arena *a, const char *text, char character);
/* Say how probes of this type are written; -1. */
int probe_wrong_form(const struct probe_reader *r, const struct attach_point *p);
/* "CATEGORY:EVENT" of the kernel's tracepoint of that event's name; NULL when there is none. */
const char *probe_event_called(const struct probe_reader *r, const char *event);
