/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for code without call frame information, made by decoding its instructions (x86-64, i386).
 * They are guesses (UNWIND_GUESS), since the starts of functions and the targets of indirect jumps
 * are not known for certain.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct pack;
struct unwind_machine;
struct unwind_rules;

/* A part of a file's code. */
struct code_bytes {
	const struct unwind_machine *machine;
	uint64_t address;
	const uint8_t *bytes;
	size_t n;
	const uint64_t *starts; /* addresses of functions, sorted; others may be elsewhere */
	size_t n_starts;
};

/* Pack rows for the code, whose first instruction starts a function. Code that cannot be decoded
 * gets none, and with too many branches in one function none of the code does. Returns 0 or -errno;
 * -ENOSYS: there is no decoder. */
int code_pack_rows(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out);
