/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The function probes of 'sonde record --events': uprobe, uretprobe, usdt, kprobe and kretprobe.
 */
#pragma once
#include "runtime/base/string_set.h"
#include <stdio.h>

struct arena;
struct kernel;

/* A probe of the script that records. */
struct recorded_call {
	struct arena *arena;
	const char *points; /* attach points, separated by commas */
	bool is_return, is_kernel, has_stack_pointer;
	uint32_t n_args;
	bool is_text_result; /* it may be a string's address, too */
	uint32_t unread;     /* a bit for each argument that cannot be read */
	uint32_t texts;	     /* a bit for each argument that may be a string's address */
};

struct recorded_calls {
	struct arena *arena;
	struct kernel *kernel;
	struct recorded_call *calls;
	uint32_t n;
	struct string_set known; /* facts that were written */
	char *facts;
	size_t n_facts;
	FILE *to_facts;
};

/* Are events of this pattern, TYPE:…, those of functions? */
bool record_calls_is(const char *pattern);
/* Select the functions that the pattern matches. 0, or -1 after a message. */
int record_calls_select(struct recorded_calls *c, const char *pattern);
void record_calls_free(struct recorded_calls *c);

/* ---- record_calls_script.c: the script that records calls of functions: what a replay needs
 * of each, in the order of runtime/recording/raw_impl.h. */

/* Write the probes. `before` are statements, `head` is what is recorded of every event. */
void record_calls_put(const struct recorded_calls *c, const char *before, const char *head,
		      FILE *script);
