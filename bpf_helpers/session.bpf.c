/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Session programs: one program for both ends of a call.
 */
#include "bpf_helpers/helpers.h"

/* A kernel function whose BTF id the runtime fills in at load time. Since 7.0 it takes the
 * context; earlier kernels ignore the argument. It returns a bool: only the low 8 bits
 * are defined. */
INLINE uint32_t sonde_session_is_return(void *ctx)
{
	uint64_t (*is_return)(void *ctx) = (void *)SONDE_KFUNC_SESSION_IS_RETURN;

	return is_return(ctx) & 1;
}
