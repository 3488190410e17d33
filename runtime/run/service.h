/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages to systemd.
 */
#pragma once

/* Send "READY=1", "STOPPING=1", … to the socket of NOTIFY_SOCKET; nothing if there is none. */
void service_notify(const char *state);
