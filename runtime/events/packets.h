/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that skboutput() sends: their buffer and the files they are written to.
 */
#pragma once
#include "runtime/session/session.h"

/* Create the files and the buffer, if the script sends packets. 0, or -errno after a message. */
int packets_open(struct session *s);
/* Becomes readable when the buffer fills up; before that it is read now and then. -1: there is
 * none. */
int packets_fd(const struct session *s);
/* Write the packets that have come. Returns their number. */
uint64_t packets_drain(struct session *s);
/* Write out what is buffered. 0, or -errno after a message about a file. */
int packets_flush(struct session *s);
void packets_close(struct session *s);
