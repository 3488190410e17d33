/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PROBED: a function that is called as it is written, whatever the compiler knows of it.
 */
#pragma once

#ifdef __clang__
#define PROBED __attribute__((noinline, optnone))
#else
#define PROBED __attribute__((noipa))
#endif
