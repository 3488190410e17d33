/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument of -p.
 */
#pragma once
#include <stdint.h>

/* Read a process ID; *pid is 0 if there was none before. 0, or -1 after a message. */
int pid_option_read(const char *arg, uint32_t *pid);
/* After an error about several processes: print what traces them. -1. */
int pid_option_hint_several(void) __attribute__((cold));
