/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The object of a compiled script, which comes from a file.
 */
#pragma once
#include <stddef.h>

struct session;

/* Does the opened object, whose bytes are `elf`, have the maps that the plan describes, and nothing
 * that needs --unsafe unless the plan allows it? 0 or -errno after a message. */
int object_check(const struct session *s, const void *elf, size_t len);
