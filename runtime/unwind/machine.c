/* SPDX-License-Identifier: Apache-2.0 */
/* The machines: see machine.h. */
#include "runtime/unwind/machine.h"
#include <elf.h>
#include <ucontext.h>
#include "runtime/unwind/code_arm64.h"
#include "runtime/unwind/code_rows.h"

#define CODE(text) {text, sizeof(text) - 1}

/* Offsets in the kernel's struct ucontext of x86-64, to which rsp points in a signal frame. */
enum { SIGNAL_RBP = 120, SIGNAL_RSP = 160, SIGNAL_IP = 168 };

#ifdef __x86_64__
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RBP]) == SIGNAL_RBP, "a ucontext");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RSP]) == SIGNAL_RSP, "a ucontext");
_Static_assert(offsetof(ucontext_t, uc_mcontext.gregs[REG_RIP]) == SIGNAL_IP, "a ucontext");
#endif

/* The numbers of x86-64: eax, ecx, edx, ebx, esp, ebp, esi, edi. */
static const uint8_t of_i386[] = {0, 2, 1, 3, 7, 6, 4, 5};

static const struct unwind_machine machines[] = {
	{.elf = EM_X86_64,
	 .sp = 7,
	 .fp = 6,
	 .ip = 16,
	 .extra = 3,
	 .vfork = 5, /* rdi */
	 .n_registers = 16,
	 .word = 8,
	 .signal_fp = SIGNAL_RBP,
	 .signal_sp = SIGNAL_RSP,
	 .signal_ip = SIGNAL_IP - SIGNAL_RSP,
	 .fp_unit = 1,
	 .relative = R_X86_64_RELATIVE,
	 .pack_code = code_pack_rows,
	 /* xor %ebp, %ebp; xor %rbp, %rbp */
	 .starts = {CODE("\x31\xed"), CODE("\x48\x31\xed")}},
	{.elf = EM_386,
	 .sp = 4,
	 .fp = 5,
	 .ip = 8,
	 .extra = UNWIND_NO_REGISTER,
	 .vfork = 1, /* ecx */
	 .n_registers = 8,
	 .word = 4,
	 .rule_numbers = of_i386,
	 /* in the kernel's struct sigcontext_32 */
	 .signal_fp = 24,
	 .signal_sp = 28,
	 .signal_ip = 28,
	 .fp_unit = 1,
	 .relative = R_386_RELATIVE,
	 .pack_code = code_pack_rows,
	 /* xor %ebp, %ebp; also after endbr32 */
	 .starts = {CODE("\x31\xed"), CODE("\xf3\x0f\x1e\xfb\x31\xed")}},
	{.elf = EM_AARCH64,
	 .sp = 31,
	 .fp = 29,
	 .ip = 30,
	 .extra = 30,
	 .vfork = UNWIND_NO_REGISTER,
	 .n_registers = 31,
	 .word = 8,
	 /* sp points to a siginfo of 128 bytes, before the ucontext */
	 .signal_fp = 544,
	 .signal_sp = 560,
	 .signal_ip = 8,
	 .has_link = true,
	 .fp_unit = 8,
	 .relative = R_AARCH64_RELATIVE,
	 .pack_code = code_arm64_pack_rows,
	 /* mov x29, #0; mov x30, #0; also after bti c */
	 .starts = {CODE("\x1d\x00\x80\xd2\x1e\x00\x80\xd2"),
		    CODE("\x5f\x24\x03\xd5\x1d\x00\x80\xd2\x1e\x00\x80\xd2")}},
};

struct unwind_rule unwind_machine_signal(const struct unwind_machine *m, int16_t at)
{
	return (struct unwind_rule){.cfa = UNWIND_SIGNAL,
				    .saved = (uint8_t)m->signal_ip,
				    .fp_offset = (int16_t)(at + m->signal_fp),
				    .cfa_offset = at + m->signal_sp};
}

const struct unwind_machine *unwind_machine_of(uint16_t elf)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}
