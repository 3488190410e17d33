/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the makers of tables know of a machine: the DWARF numbers of its registers, where calls
 * leave the return address, and how code without call frame information looks (x86-64: System V
 * ABI, figure 3.36; i386: its supplement, table 2.14; arm64: DWARF for the Arm 64-bit
 * architecture, section 4.1).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "bpf_helpers/unwind.h"

struct code_bytes;
struct pack;
struct unwind_rules;

enum { UNWIND_NO_REGISTER = 255 };

/* Machine code. */
struct unwind_code {
	const void *bytes;
	size_t n;
};

struct unwind_machine {
	uint16_t elf;	/* e_machine */
	uint8_t sp, fp; /* the stack pointer and the frame pointer */
	uint8_t ip;	/* the return address */
	uint8_t extra;	/* the extra register (bpf_helpers/unwind.h), or UNWIND_NO_REGISTER */
	uint8_t vfork;	/* the register in which vfork() has its return address, or the same */
	uint8_t n_registers;
	uint8_t word; /* bytes of an address and of a word of the stack */
	/* the numbers that registers have in rules; NULL: the same */
	const uint8_t *rule_numbers;
	/* in a signal frame: where fp and sp are, from the start of the registers; where ip is,
	 * from sp's place */
	uint16_t signal_fp, signal_sp, signal_ip;
	/* calls leave the return address in the extra register; else in the word below the CFA */
	bool has_link;
	uint8_t fp_unit;   /* of unwind_rule.fp_offset, in bytes */
	uint32_t relative; /* type of the relocation of an address */
	/* make rows for code without call frame information */
	int (*pack_code)(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out);
	/* what programs begin with, if they have no call frame information: they set the frame
	 * pointer to 0, as the ABI demands of the outermost frame */
	struct unwind_code starts[3];
};

/* The rule of a signal frame whose registers start `at` bytes above sp. */
struct unwind_rule unwind_machine_signal(const struct unwind_machine *m, int16_t at);
/* NULL: tables are not made for that e_machine. */
const struct unwind_machine *unwind_machine_of(uint16_t elf);
