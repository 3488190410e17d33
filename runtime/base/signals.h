/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What sonde expects of signals, whatever its parent left behind. Dispositions that are ignored and
 * the mask of blocked signals survive execve(2), so a parent that ignores SIGCHLD would keep us
 * from waiting for the command of -c.
 */
#pragma once

/* Call once, before any thread or child. SIGCHLD gets its default; SIGPIPE and SIGXFSZ are ignored,
 * so that a write fails with EPIPE or EFBIG, and SIGUSR1, which is for scripts; no signal
 * that sonde handles stays blocked. */
void signals_prepare(void);

/* In a child, before it runs another program: dispositions and mask as sonde found them. */
void signals_restore(void);
