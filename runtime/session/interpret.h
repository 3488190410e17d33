/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session whose programs the interpreter runs.
 */
#pragma once
#include "runtime/interp/interp.h"

struct session;

/* Read the object. 0, or -errno after a message. */
int interpret_open(struct session *s, const void *elf, size_t len);
/* Run a program. 0, or -errno after a message with its place in the script. */
int interpret_run(const struct session *s, uint32_t prog, uint32_t *result);
/* Run it several times; *ns is how long one run took. */
int interpret_repeat(const struct session *s, uint32_t prog, uint32_t times, uint32_t *result,
		     uint64_t *ns);
