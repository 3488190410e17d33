/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct kernel whose answers stand in a text file (--kernel-facts FILE): for tests, and to check
 * a script for another machine. Formats and grammar are told in facts_file.c.
 */
#pragma once
#include "parser/lang/kernel.h"

/* NULL after a message when the file cannot be read or has a bad line. kernel_close() closes it. */
struct kernel *facts_file_open(const char *path);
