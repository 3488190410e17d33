/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations of a function's arguments at its entry: the C calling conventions of x86-64 (System V
 * psABI) and arm64 (AAPCS64). The input is the layout of a value, the result is the number of its
 * first word. Words are numbered like arg0, arg1, …: first the integer registers, then the words of
 * the stack, of 8 bytes each.
 */
#pragma once
#include "parser/base/prototype.h"

enum abi_kind { ABI_INT, ABI_FLOAT, ABI_X87, ABI_VECTOR };

/* A number or an address within a value. */
struct abi_leaf {
	uint32_t offset, size; /* bytes */
	enum abi_kind kind;
};

enum { ABI_LEAVES = 16, ABI_NO_WORD = -1 };

struct abi_value {
	uint32_t size, align; /* bytes */
	struct abi_leaf leaves[ABI_LEAVES];
	uint32_t n_leaves;
	bool has_more;	   /* it has more leaves than `leaves` can hold */
	bool is_aggregate; /* a structure, a union, an array */
	bool is_complex;   /* the two leaves are one complex number */
	bool is_reference; /* it is passed by address: some C++ classes */
	bool is_pair;	   /* it is passed as two separate words: Rust's &str */
};

struct abi_args {
	uint16_t machine;      /* e_machine */
	uint32_t ints, floats; /* number of registers in use */
	uint32_t stack;	       /* bytes in use */
};

/* Begin a function. `result` is the type that it returns, NULL: void. Returns false if the calling
 * convention of this machine is not known. */
bool abi_begin(struct abi_args *a, uint16_t machine, const struct abi_value *result);
/* Pass the next argument. Returns the number of its first word, or ABI_NO_WORD if it is in
 * floating-point registers or nowhere. */
int abi_next(struct abi_args *a, const struct abi_value *v);
/* Where a value is: the one that abi_next() has passed as `word`, or a result. */
enum value_place abi_place(uint16_t machine, const struct abi_value *v, int word);
enum value_place abi_result_place(uint16_t machine, const struct abi_value *v);
/* The word that corresponds to a DWARF register number, or ABI_NO_WORD. */
int abi_word_of(uint16_t machine, unsigned dwarf_register);
/* The same for Go's registers. */
int abi_go_word_of(uint16_t machine, unsigned dwarf_register);
