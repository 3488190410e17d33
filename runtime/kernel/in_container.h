/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container in which sonde runs does not give it.
 */
#pragma once
#include <stddef.h>

#define INITIAL_PID_NS 0xeffffffcu /* the kernel's PROC_PID_INIT_INO */

/* If this process is in a container, write to `text` what it lacks for tracing, each with the
 * option of Docker and Podman that gives it, and return the number of these; else 0. */
int in_container_lacks(char *text, size_t size);
/* Warn of them, in one message. */
void in_container_warn(void);
