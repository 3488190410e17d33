/* SPDX-License-Identifier: Apache-2.0 */
/* The machines: see machine.h. */
#include "runtime/unwind/machine.h"
#include <elf.h>
#include "runtime/unwind/code_arm64.h"
#include "runtime/unwind/code_rows.h"

#define CODE(text) {text, sizeof(text) - 1}

static const struct unwind_machine machines[] = {
	{.elf = EM_X86_64,
	 .sp = 7,
	 .fp = 6,
	 .ip = 16,
	 .extra = 3,
	 .n_registers = 16,
	 .fp_unit = 1,
	 .relative = R_X86_64_RELATIVE,
	 .pack_code = code_pack_rows,
	 /* xor %ebp, %ebp; xor %rbp, %rbp */
	 .starts = {CODE("\x31\xed"), CODE("\x48\x31\xed")}},
	{.elf = EM_AARCH64,
	 .sp = 31,
	 .fp = 29,
	 .ip = 30,
	 .extra = 30,
	 .n_registers = 31,
	 .has_link = true,
	 .fp_unit = 8,
	 .relative = R_AARCH64_RELATIVE,
	 .pack_code = code_arm64_pack_rows,
	 /* mov x29, #0; mov x30, #0; also after bti c */
	 .starts = {CODE("\x1d\x00\x80\xd2\x1e\x00\x80\xd2"),
		    CODE("\x5f\x24\x03\xd5\x1d\x00\x80\xd2\x1e\x00\x80\xd2")}},
};

const struct unwind_machine *unwind_machine_of(uint16_t elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}
