/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that a program will map before its first instruction and while it is linked: itself,
 * the libraries that it needs, the dynamic linker; of a script, those of its interpreter.
 */
#pragma once
#include <stdint.h>

typedef void program_file_fn(const char *path, void *ctx);
/* Call fn with the path of each. Files that are not found are left out. */
void program_files_each(const char *path, program_file_fn *fn, void *ctx);
/* The same for the program that process `tgid` runs: in its root. */
void program_files_of_process(uint32_t tgid, program_file_fn *fn, void *ctx);
