/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a function's arguments are when it is entered: the calling conventions of C on x86-64
 * (System V) and arm64 (AAPCS64). Pure: what a value is made of goes in, the number of its word
 * comes out. Words are numbered as arg0, arg1, … are: first the registers for integers, behind
 * them the stack, 8 bytes each.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum abi_kind { ABI_INT, ABI_FLOAT, ABI_X87, ABI_VECTOR };

/* A number or an address in a value. */
struct abi_leaf {
	uint32_t offset, size; /* bytes */
	enum abi_kind kind;
};

enum { ABI_LEAVES = 16, ABI_NO_WORD = -1 };

struct abi_value {
	uint32_t size, align; /* bytes */
	struct abi_leaf leaves[ABI_LEAVES];
	uint32_t n_leaves;
	bool has_more;	   /* leaves than there is room for */
	bool is_aggregate; /* a structure, a union, an array */
	bool is_complex;   /* two leaves of one number */
	bool is_reference; /* handed over as its address: some classes of C++ */
	bool is_pair;	   /* two words, each for itself: Rust's &str */
};

struct abi_args {
	uint16_t machine;      /* e_machine */
	uint32_t ints, floats; /* registers in use */
	uint32_t stack;	       /* bytes in use */
};

/* Before the first argument; `result` is what the function returns, NULL: nothing. False: the
 * conventions of this machine are not known. */
bool abi_begin(struct abi_args *a, uint16_t machine, const struct abi_value *result);
/* Pass the next argument. The number of its first word; ABI_NO_WORD when it is in none, but in
 * registers for floating-point numbers or nowhere. */
int abi_next(struct abi_args *a, const struct abi_value *v);
/* The word that is the register of that DWARF number; ABI_NO_WORD. */
int abi_word_of(uint16_t machine, unsigned dwarf_register);
