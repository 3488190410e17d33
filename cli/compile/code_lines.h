/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instructions of an object beside the lines of the script.
 */
#pragma once
#include <stddef.h>
#include <stdio.h>

struct code_object;
struct script_lines;
struct source;

/* Add the instructions of an object. */
void code_lines_add(struct script_lines *t, const struct source *s, const struct code_object *code);
/* --emit asm: write those of an ELF file. 0 or -errno. */
int code_lines_write(const struct source *s, const void *elf, size_t len, FILE *f);
