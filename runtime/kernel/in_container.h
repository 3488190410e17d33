/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container in which sonde runs does not give it.
 */
#pragma once

#define INITIAL_PID_NS 0xeffffffcu /* the kernel's PROC_PID_INIT_INO */

/* If this process is in a container, warn of what it lacks for tracing, with the options of Docker
 * and Podman that give it, in one message. */
void in_container_warn(void);
