/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The release of a kernel, as uname prints it.
 */
#pragma once
#include <stdint.h>

/* "6.18.5-1-amd64" as LINUX_VERSION_CODE; 0: it is no release. */
uint32_t release_code(const char *release);
/* The same of the running kernel. */
uint32_t release_running(void);
