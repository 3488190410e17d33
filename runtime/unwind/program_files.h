/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files a program will have mapped before its first instruction.
 */
#pragma once
#include "runtime/elf/user_path.h"

/* Call fn with the path of the program, and of each library that it needs, among which the C
 * library names the dynamic linker. If the program is a script, these are the files of its
 * interpreter. */
void unwind_program_files(const char *path, user_path_fn *fn, void *ctx);
/* The same for the program that process `tgid` runs, in the root directory of that process. */
void unwind_process_files(uint32_t tgid, user_path_fn *fn, void *ctx);
