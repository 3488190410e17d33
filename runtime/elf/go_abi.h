/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of Go: the version of the compiler, and how a function is passed its arguments.
 */
#pragma once
#include "parser/lang/kernel.h"
#include <stddef.h>
#include <stdint.h>

struct elfsym;

/* The minor version from which on arguments are in registers on all machines that sonde knows. */
enum { GO_REGISTERS = 18 };

/* What a file says about itself. */
struct go_file {
	enum user_abi abi;   /* of the compiler's functions; USER_ABI_C: it has none of Go */
	uint64_t start, end; /* the addresses of Go's code; both 0: not known */
};

/* In go_file.c. */
void go_file_read(struct elfsym *e, struct go_file *out);
/* The minor version in the text of a version ("go1.19.8", "devel go1.21-0b1c"), or -1. */
int go_minor_version(const char *text);
/* The version in the first n bytes of the section .go.buildinfo from Go 1.18 on. 0; or -1: it is
 * elsewhere, and *pointer is the address of its string header (0: none). */
int go_buildinfo(const uint8_t *section, size_t n, char *out, size_t size, uint64_t *pointer);
/* How the compiler of Go 1.`minor` (-1: unknown) passes arguments on `machine`, e_machine. */
enum user_abi go_version_abi(int minor, uint16_t machine);
/* How a function of a file of Go is passed its arguments, by its symbol ("": none). */
enum user_abi go_symbol_abi(enum user_abi of_file, const char *symbol);
/* In go_entry.c: the offset at which a function of Go, of which n bytes of code are given, is to be
 * probed to fire once for each call; 0: its start. */
uint64_t go_entry(uint16_t machine, const uint8_t *code, size_t n);
