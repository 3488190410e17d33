/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that this process may trace, before anything is compiled.
 */
#pragma once

/* The capability that this process lacks, or NULL. */
const char *caps_missing(void);
/* 0, or -EPERM after a message that names the missing capability. */
int caps_check(void);
