/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What a walk (unwind.bpf.c) reads of the instructions of the traced process.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

#ifdef SONDE_TARGET_x86

enum { CALL_MAX = 8 }; /* bytes of the longest call instruction, and one more */

/* The bytes of a call: e8 and four more, or ff with 2 in the middle of the next byte, in 2, 3, 4, 6
 * or 7 bytes (and with prefixes, which need not be checked). */
GLOBAL uint32_t sonde_unwind_follows_call(uint64_t x)
{
	uint8_t b[CALL_MAX];

	if (bpf_probe_read_user(b, sizeof(b), (void *)(x - sizeof(b))))
		return 0;
	if (b[3] == 0xe8)
		return 1;
#define IS_CALL(i) (b[i] == 0xff && (b[(i) + 1] & 0x38) == 0x10)
	return IS_CALL(6) | IS_CALL(5) | IS_CALL(4) | IS_CALL(2) | IS_CALL(1);
}

GLOBAL uint32_t sonde_unwind_edge(uint64_t ip)
{
	uint8_t b[8];

	if (bpf_probe_read_user(b, sizeof(b), (void *)(ip - 2)))
		return EDGE_NONE;
	if (b[0] == 0x0f && b[1] == 0x05)
		return EDGE_SYSCALL;
	if (b[2] == 0x55 || b[2] == 0xc3 || b[2] == 0xcc) /* push %rbp, ret, a probe */
		return EDGE_FUNCTION;
	if (b[2] == 0xff && b[3] == 0x25) /* jmp *x(%rip): an entry of a PLT */
		return EDGE_FUNCTION;
	if (b[2] == 0xf3 && b[3] == 0x0f && b[4] == 0x1e && b[5] == 0xfa) /* endbr64 */
		return EDGE_FUNCTION;
	if (b[1] == 0x55 && b[2] == 0x48 && b[3] == 0x89 && b[4] == 0xe5) /* mov %rsp,%rbp */
		return EDGE_PUSHED;
	return EDGE_NONE;
}

#endif
