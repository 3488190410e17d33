/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Session programs: one for both ends of a call.
 */
#include "bpf_helpers/helpers.h"

/* A function of the kernel's, whose id the runtime puts in when it loads the program. Since 7.0 it
 * takes the context, which does no harm before. What it gives has 8 bits. */
INLINE uint32_t sonde_session_is_return(void *ctx)
{
	uint64_t (*is_return)(void *ctx) = (void *)SONDE_KFUNC_SESSION_IS_RETURN;

	return is_return(ctx) & 1;
}
