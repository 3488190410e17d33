/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct kernel that answers from a text file (--kernel-facts FILE): for tests, and to check a
 * script for another machine. facts_read.c describes the file.
 */
#pragma once
#include "parser/lang/kernel.h"

/* NULL after a message if the file cannot be read or has a bad line. kernel_close() closes it. */
struct kernel *facts_file_open(const char *path);
/* The same of a text from malloc, which the kernel owns from now on; `name` is for messages. */
struct kernel *facts_text_open(char *text, const char *name);
