/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a compiled script depends on, as text that is the same only for the same thing: a build ID,
 * or, where there is none, size and time of modification.
 */
#pragma once
#include <stddef.h>

enum { IDENTITY_BYTES = 128 };

/* Of a file. Its path may also be /proc/self/exe. 0 or -errno. */
int identity_of_file(const char *path, char out[IDENTITY_BYTES]);
/* Of the running kernel: release, machine, build ID. */
int identity_of_kernel(char out[IDENTITY_BYTES]);
/* Of a loaded kernel module. */
int identity_of_module(const char *name, char out[IDENTITY_BYTES]);
/* Of the time since the kernel was started: addresses and ids differ after a new start. */
int identity_of_boot(char out[IDENTITY_BYTES]);
