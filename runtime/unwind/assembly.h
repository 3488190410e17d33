/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that C libraries write in assembly, and code that linkers make, without call frame
 * information: the entry point, _init and _fini, PLTs, the return from a signal handler.
 */
#pragma once

struct cfi;
struct elf_file;

/* Add what of these is in the file, after the functions of its sections. Returns 0 or -errno. */
int assembly_add(struct cfi *c, struct elf_file *f);
