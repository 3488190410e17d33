/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Conditional jumps out of user functions: such a jump, if it is taken, ends the call.
 */
#include "bpf_helpers/helpers.h"

/* Is a jump taken with these flags? `condition` is 0 for an unconditional jump, else the condition
 * code of x86 plus 1 (Intel SDM, volume 1, appendix B). Codes come in pairs, of which the second is
 * the negation of the first. */
INLINE uint32_t sonde_jump_is_taken(uint64_t flags, uint64_t condition)
{
	uint32_t carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
	uint32_t sign = flags >> 7 & 1, overflow = flags >> 11 & 1, less = sign ^ overflow;
	uint32_t holds = overflow | carry << 1 | zero << 2 | (carry | zero) << 3 | sign << 4 |
			 parity << 5 | less << 6 | (zero | less) << 7;
	uint32_t code = (condition - 1) & 15;

	if (!condition)
		return 1;
	return (holds >> (code >> 1) ^ code) & 1;
}
