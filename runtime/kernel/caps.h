/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that this process may trace, before anything is compiled.
 */
#pragma once

/* 0, or -EPERM after a message that names the missing capability. */
int caps_check(void);
