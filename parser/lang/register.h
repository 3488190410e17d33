/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registers that reg() reads: the rows of registers.def.
 */
#pragma once

/* The architecture, as messages name it. */
extern const char register_architecture[];
/* Byte offset of the register in struct pt_regs; -1 if there is none of that name. */
int register_offset(const char *name);
/* Its name; NULL: none is there. */
const char *register_name(int offset);
/* All names, separated by blanks: for messages. */
extern const char register_names[];
