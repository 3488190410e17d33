/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that become strings in user space.
 */
#pragma once
#include <stdint.h>

struct session;

/* The strings live until deferred_strings_release(). */
void deferred_strings_open(struct session *s);
void deferred_strings_release(struct session *s);
const char *deferred_strings_time(struct session *s, const char *format, uint64_t wall_ns);
uint64_t deferred_strings_wall_clock(const struct session *s);
