/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --follow.
 */
#pragma once
#include <stdint.h>

struct session;

/* Mark the descendants of `pid` as traced. Call it when all is attached. */
void session_follow(const struct session *s, uint32_t pid);
