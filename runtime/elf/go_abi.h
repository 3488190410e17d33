/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Go programs: the version of the compiler, and how functions get their arguments.
 */
#pragma once
#include "parser/base/prototype.h"
#include <stddef.h>

struct elfsym;

/* The minor version from which on arguments are in registers on all machines that sonde knows. */
enum { GO_REGISTERS = 18 };

/* Facts about a Go file. */
struct go_file {
	/* convention of the compiler's functions; USER_ABI_C: the file has none of Go */
	enum user_abi abi;
	uint64_t start, end; /* the addresses of Go's code; both 0: not known */
};

/* Read the facts about a file. */
void go_file_read(struct elfsym *e, struct go_file *out);
/* The minor version in the text of a version ("go1.19.8", "devel go1.21-0b1c"), or -1. */
int go_minor_version(const char *text);
/* The version in the first n bytes of the section .go.buildinfo from Go 1.18 on. 0; or -1: it is
 * elsewhere, and *pointer is the address of its string header (0: none). */
int go_buildinfo(const uint8_t *section, size_t n, char *out, size_t size, uint64_t *pointer);
/* How functions compiled by Go 1.`minor` (-1: unknown) get their arguments on `machine`, an
 * e_machine. */
enum user_abi go_version_abi(int minor, uint16_t machine);
/* How a function of a Go file gets its arguments, by its symbol ("": none). */
enum user_abi go_symbol_abi(enum user_abi of_file, const char *symbol);
/* In go_entry.c: the offset at which a Go function has to be probed so that the probe fires once
 * for each call; 0: at its start. `code` is its first n bytes. */
uint64_t go_entry(uint16_t machine, const uint8_t *code, size_t n);
