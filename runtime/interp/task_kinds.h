/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The places of the parts of a thread's memory: one part for each declaration of struct
 * task_struct.
 */
#pragma once
#include <stdint.h>

struct btf;

/* The offset, in bytes from the thread's address, of the part for a type; 0 for structs other than
 * task_struct. */
uint32_t task_kind_offset(const struct btf *btf, uint32_t type);
