/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By which path a program was run: redis-server, sh and python3 are links to files of other names.
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The path of the file that process `pid` runs, as /proc/PID/maps shows it. */
bool proc_program_path(uint32_t pid, char out[PATH_MAX]);
/* The path by which it was run, if that has another last component than `mapped` and leads to the
 * same file: the one that was passed to execve(), or the first argument (of scripts that is their
 * interpreter). `comm` is the last component of the former, cut to 15 bytes, or "". False if there
 * is none. The process can write both, but only links to its own program count. */
bool proc_program_link(uint32_t pid, const char *mapped, const char *comm, char run[PATH_MAX]);
/* Does `name`, in the folder of the file at `mapped`, lead to that file? Its path is in `run`
 * then. */
bool proc_program_sibling(const char *mapped, const char *name, char run[PATH_MAX]);
