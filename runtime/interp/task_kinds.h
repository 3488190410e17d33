/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the parts of a thread's memory are, one for each declaration of struct task_struct.
 */
#pragma once
#include <stdint.h>

struct btf;

/* The part of a type's declaration, in bytes from the thread's address. 0 for other structs. */
uint32_t task_kind_offset(const struct btf *btf, uint32_t type);
