/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions to be probed: see calibrate_code.h. Each has nothing but the instruction of its class
 * and what that demands, so a call of it takes about a nanosecond.
 */
#include "runtime/calibrate/calibrate_code.h"

#define FUNCTION(class, code)                                                                      \
	extern void calibrate_at_##class(void);                                                    \
	extern void calibrate_exit_##class(void);                                                  \
	__asm__(".pushsection .text\n"                                                             \
		".p2align 6\n"                                                                     \
		".hidden calibrate_at_" #class "\n"                                                \
					       ".globl calibrate_at_" #class                       \
		"\n"                                                                               \
		".type calibrate_at_" #class ", %function\n"                                       \
					     "calibrate_at_" #class                                \
		":\n" code ".hidden calibrate_exit_" #class "\n"                                   \
							    ".globl calibrate_exit_" #class        \
		"\n"                                                                               \
		"calibrate_exit_" #class ":\n"                                                     \
					 "	ret\n"                                                  \
					 ".size calibrate_at_" #class ", . - calibrate_at_" #class \
		"\n"                                                                               \
		".popsection\n");

/* One for each method: what is probed in one way must not be probed in another, too. */
#define FUNCTIONS(class, code)          \
	FUNCTION(session_##class, code) \
	FUNCTION(pair_##class, code)    \
	FUNCTION(exits_##class, code)   \
	FUNCTION(plain_##class, code)   \
	FUNCTION(return_##class, code)

#define ROW(id, class, name)                                                                  \
	[SONDE_COST_##id] = {name,                                                            \
			     {                                                                \
				     [SONDE_COST_SESSION] = {calibrate_at_session_##class,    \
							     calibrate_exit_session_##class}, \
				     [SONDE_COST_PAIR] = {calibrate_at_pair_##class,          \
							  calibrate_exit_pair_##class},       \
				     [SONDE_COST_EXITS] = {calibrate_at_exits_##class,        \
							   calibrate_exit_exits_##class},     \
				     [SONDE_COST_PLAIN] = {calibrate_at_plain_##class,        \
							   calibrate_exit_plain_##class},     \
				     [SONDE_COST_RETURN] = {calibrate_at_return_##class,      \
							    calibrate_exit_return_##class},   \
			     }}

#ifdef __x86_64__
FUNCTIONS(step, "	mov %rsp, %rax\n")
FUNCTIONS(push, "	push %rbp\n	pop %rbp\n")
FUNCTIONS(nop, "	nop\n")
FUNCTIONS(nop5, "	.byte 0x0f, 0x1f, 0x44, 0, 0\n")
FUNCTIONS(jump, "	jmp 1f\n1:\n")
FUNCTIONS(ret, "")

const struct calibrate_class calibrate_classes[SONDE_COST_CLASSES] = {
	ROW(STEP, step, "an instruction that the kernel single-steps"),
	ROW(PUSH, push, "a push"),
	ROW(NOP, nop, "a nop"),
	ROW(NOP5, nop5, "a nop of 5 bytes"),
	ROW(JUMP, jump, "a jump or call"),
	ROW(RET, ret, "a return"),
};
#else
FUNCTIONS(step, "	mov x0, sp\n")
FUNCTIONS(jump, "	b 1f\n1:\n")
FUNCTIONS(ret, "")

const struct calibrate_class calibrate_classes[SONDE_COST_CLASSES] = {
	ROW(STEP, step, "an instruction that the kernel single-steps"),
	ROW(JUMP, jump, "a branch, adr or adrp"),
	ROW(RET, ret, "a return"),
};
#endif
