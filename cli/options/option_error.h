/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the command line.
 */
#pragma once
#include "runtime/base/log.h"

/* Report a usage error; -1. */
#define option_error(...) (log_error(__VA_ARGS__), option_hint())
/* The same, of a first word with options of its own. */
#define command_error(word, ...) \
	(log_error(__VA_ARGS__), \
	 log_hint("'sonde %s --help' lists its options, with an example", (word)))
/* Print the hint that names --help; -1. */
int option_hint(void) __attribute__((cold));
