/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides whether a place may be probed at all, whoever chose it: an entry, an offset, a line, an
 * inlined function, a return, a USDT probe.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfsym;

/* Would a probe on the instruction at `offset` of an x86-64 file overwrite values of the program?
 * It would where this kernel replaces a nop of 5 bytes by a call, except at the entry of a function
 * or behind its endbr64, where nothing is in the red zone yet. *file is NULL at first; the file is
 * opened if that is needed, and the caller ends with uprobe_place_close(). */
bool uprobe_place_is_harmful(struct elfsym **file, const char *path, uint64_t offset,
			     const uint8_t *code, size_t n);
void uprobe_place_close(struct elfsym *file);
/* uprobe_insn_is_cheap() by this kernel, which is asked only if the instruction is a nop. */
bool uprobe_place_is_cheap(const uint8_t *code, size_t n);
