/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the command line.
 */
#pragma once
#include "runtime/base/log.h"

/* Report a usage error; -1. */
#define option_error(...) (log_error(__VA_ARGS__), option_hint())
/* The same, of a message that says all itself. */
#define option_wrong(...) (log_error(__VA_ARGS__), -1)
/* Print the hint that names --help; -1. */
int option_hint(void) __attribute__((cold));
