/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the files that a program will map before its first instruction: the program, the libraries
 * that it needs, the dynamic linker. If the program is a script, these are the files of its
 * interpreter.
 */
#pragma once
#include <stdint.h>

typedef void program_file_fn(const char *path, void *ctx);
/* Call fn with the path of each file. Files that are not found are left out. */
void program_files_each(const char *path, program_file_fn *fn, void *ctx);
/* The same for the program that process `tgid` runs, in the root directory of that process. */
void program_files_of_process(uint32_t tgid, program_file_fn *fn, void *ctx);
