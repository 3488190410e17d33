/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warns before thousands of functions of many processes are probed. Private to attach_user.c.
 */
#pragma once
#include <stdint.h>

struct session;

/* `n` functions of the file at `path` are about to be probed by `prog`. */
void attach_warn_wide(const struct session *s, uint32_t prog, const char *path, uint32_t n);
