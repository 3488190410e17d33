/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --follow.
 */
#pragma once
#include <stdint.h>

struct session;

/* A descriptor of process `pid` of -p, which tells when it ends, to *fd; -1 there without a pid. 0,
 * or -1: there is no such process (reported). */
int follow_process(uint32_t pid, int *fd);

/* Mark the descendants of the process of -p as traced. Call it when all is attached. */
void session_follow(const struct session *s);
