/* SPDX-License-Identifier: Apache-2.0 */
/*
 * May this process trace? Asked before anything is compiled.
 */
#pragma once

/* 0, or -EPERM with the missing capability said in one line. */
int caps_check(void);
