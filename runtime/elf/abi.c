/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calling conventions: see abi.h. x86-64 classifies each eightbyte of a value (psABI, 3.2.3); arm64
 * distinguishes homogeneous floating-point aggregates from everything else (AAPCS64, 6.8.2).
 */
#include "runtime/elf/abi.h"
#include <elf.h>
#include <stddef.h>

enum {
	X86_INTS = 6,
	X86_FLOATS = 8,
	ARM_INTS = 8,
	ARM_FLOATS = 8,
	ARM_GO_INTS = 16,
	WORD = 8,
	IN_REGISTERS_MAX = 16,
	HOMOGENEOUS_MAX = 4,
};

static uint32_t round_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

/* Put a value on the stack. `first` is the number of the first word on the stack. */
static int on_stack(struct abi_args *a, const struct abi_value *v, uint32_t size, uint32_t first)
{
	uint32_t align = v->align <= WORD || v->is_reference ? WORD : v->align, at;

	if (a->machine == EM_AARCH64 && align > WORD)
		align = 2 * WORD;
	at = round_up(a->stack, align);
	a->stack = at + round_up(size, WORD);
	return (int)(first + at / WORD);
}

/* ---- x86-64 -------------------------------------------------------------------------------- */

enum x86_class { X86_NONE, X86_INTEGER, X86_SSE };

/* The registers that a value uses; `in_memory`: it uses none, since it is copied to the stack. */
struct x86_use {
	enum x86_class words[2];
	uint32_t ints, floats;
	bool in_memory;
};

static bool is_one_vector(const struct abi_value *v)
{
	return v->n_leaves == 1 && !v->has_more && v->leaves[0].kind == ABI_VECTOR &&
	       v->leaves[0].size == v->size;
}

static bool fits_x86(const struct abi_value *v)
{
	if (v->size > IN_REGISTERS_MAX)
		return is_one_vector(v);
	for (uint32_t i = 0; i < v->n_leaves; i++) {
		const struct abi_leaf *l = &v->leaves[i];

		if (l->kind == ABI_X87 || l->offset + l->size > v->size ||
		    (l->size && l->offset % l->size))
			return false;
	}
	return true;
}

/* A number of 16 bytes occupies both eightbytes; a floating-point one uses a single register. */
static void classify_leaf(struct x86_use *use, const struct abi_leaf *l)
{
	uint32_t first = l->offset / WORD,
		 last = l->size ? (l->offset + l->size - 1) / WORD : first;

	if (l->kind != ABI_INT)
		last = first;
	for (uint32_t w = first; w <= last && w < 2; w++)
		if (l->kind == ABI_INT)
			use->words[w] = X86_INTEGER;
		else if (use->words[w] == X86_NONE)
			use->words[w] = X86_SSE;
}

static struct x86_use x86_use_of(const struct abi_value *v)
{
	struct x86_use use = {.in_memory = !v->is_reference && !fits_x86(v)};

	if (v->is_reference) {
		use.ints = 1;
		return use;
	}
	for (uint32_t i = 0; i < v->n_leaves && !use.in_memory; i++)
		classify_leaf(&use, &v->leaves[i]);
	for (uint32_t w = 0; w < 2; w++) {
		use.ints += use.words[w] == X86_INTEGER;
		use.floats += use.words[w] == X86_SSE;
	}
	return use;
}

static int x86_next(struct abi_args *a, const struct abi_value *v)
{
	struct x86_use use = x86_use_of(v);
	uint32_t first = a->ints;

	if (!use.in_memory && !use.ints && !use.floats)
		return ABI_NO_WORD;
	if (use.in_memory || a->ints + use.ints > X86_INTS || a->floats + use.floats > X86_FLOATS)
		return on_stack(a, v, v->is_reference ? WORD : v->size, X86_INTS);
	a->ints += use.ints;
	a->floats += use.floats;
	return use.ints ? (int)first : ABI_NO_WORD;
}

/* Is the result returned in memory? The caller passes its address in this case. x87 numbers are
 * returned in registers. */
static bool x86_returns_in_memory(const struct abi_value *r)
{
	if (r->is_reference)
		return true;
	if (r->n_leaves && r->leaves[0].kind == ABI_X87 &&
	    (r->is_complex || (r->n_leaves == 1 && !r->has_more)))
		return false;
	return x86_use_of(r).in_memory;
}

/* ---- arm64 --------------------------------------------------------------------------------- */

/* The number of members, if the value consists of one to four floating-point numbers of the same
 * size, which are passed in a register each; otherwise 0. */
static uint32_t homogeneous(const struct abi_value *v)
{
	uint32_t size = v->n_leaves ? v->leaves[0].size : 0;

	if (!size || v->size > HOMOGENEOUS_MAX * size || v->has_more)
		return 0;
	for (uint32_t i = 0; i < v->n_leaves; i++)
		if (v->leaves[i].kind == ABI_INT || v->leaves[i].size != size)
			return 0;
	return v->size / size;
}

static int arm_next(struct abi_args *a, const struct abi_value *v)
{
	struct abi_value address = {.align = WORD, .is_reference = true};
	uint32_t n = v->is_reference ? 0 : homogeneous(v), size = v->size, first;

	if (n && a->floats + n <= ARM_FLOATS) {
		a->floats += n;
		return ABI_NO_WORD;
	}
	if (n) {
		a->floats = ARM_FLOATS;
		return on_stack(a, v, size, ARM_INTS);
	}
	if (!size)
		return ABI_NO_WORD;
	if (v->is_reference || size > IN_REGISTERS_MAX) {
		address.size = size = WORD;
		v = &address;
	} else if (v->align > WORD) {
		a->ints = round_up(a->ints, 2);
	}
	first = a->ints;
	n = round_up(size, WORD) / WORD;
	if (first + n <= ARM_INTS) {
		a->ints += n;
		return (int)first;
	}
	a->ints = ARM_INTS;
	return on_stack(a, v, size, ARM_INTS);
}

/* ---- both ---------------------------------------------------------------------------------- */

bool abi_begin(struct abi_args *a, uint16_t machine, const struct abi_value *result)
{
	*a = (struct abi_args){.machine = machine};
	if (machine == EM_X86_64 && result)
		/* on arm64 the address has a register of its own */
		a->ints = x86_returns_in_memory(result);
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

static int next_one(struct abi_args *a, const struct abi_value *v)
{
	return a->machine == EM_X86_64 ? x86_next(a, v) : arm_next(a, v);
}

int abi_next(struct abi_args *a, const struct abi_value *v)
{
	static const struct abi_value word = {.size = WORD,
					      .align = WORD,
					      .leaves = {{0, WORD, ABI_INT}},
					      .n_leaves = 1};
	int first;

	if (!v->is_pair)
		return next_one(a, v);
	first = next_one(a, &word);
	next_one(a, &word);
	return first;
}

enum value_place abi_place(uint16_t machine, const struct abi_value *v, int word)
{
	bool is_x86 = machine == EM_X86_64;

	if (v->is_reference)
		return PLACE_ADDRESS;
	if (word >= (is_x86 ? X86_INTS : ARM_INTS))
		return is_x86 || v->size <= IN_REGISTERS_MAX || homogeneous(v) ? PLACE_WORDS
									       : PLACE_ADDRESS;
	if (is_x86)
		return x86_use_of(v).floats ? PLACE_FLOATS : PLACE_WORDS;
	return homogeneous(v)		    ? PLACE_FLOATS
	       : v->size > IN_REGISTERS_MAX ? PLACE_ADDRESS
					    : PLACE_WORDS;
}

enum value_place abi_result_place(uint16_t machine, const struct abi_value *v)
{
	if (machine == EM_X86_64)
		return x86_returns_in_memory(v)				 ? PLACE_ADDRESS
		       : x86_use_of(v).floats || x86_use_of(v).in_memory ? PLACE_FLOATS
									 : PLACE_WORDS;
	if (homogeneous(v))
		return PLACE_FLOATS;
	return v->is_reference || v->size > IN_REGISTERS_MAX ? PLACE_LOST : PLACE_WORDS;
}

int abi_word_of(uint16_t machine, unsigned dwarf_register)
{
	/* ax dx cx bx si di bp sp r8 r9 */
	static const int8_t x86[] = {-1, 2, 3, -1, 1, 0, -1, -1, 4, 5};

	if (machine == EM_X86_64)
		return dwarf_register < sizeof(x86) ? x86[dwarf_register] : ABI_NO_WORD;
	return dwarf_register < ARM_INTS ? (int)dwarf_register : ABI_NO_WORD;
}

int abi_go_word_of(uint16_t machine, unsigned dwarf_register)
{
	/* ax dx cx bx si di bp sp r8 r9 r10 r11 */
	static const int8_t x86[] = {0, -1, 2, 1, 4, 3, -1, -1, 5, 6, 7, 8};

	if (machine == EM_X86_64)
		return dwarf_register < sizeof(x86) ? x86[dwarf_register] : ABI_NO_WORD;
	return dwarf_register < ARM_GO_INTS ? (int)dwarf_register : ABI_NO_WORD;
}
