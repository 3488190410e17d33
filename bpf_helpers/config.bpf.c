/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The configuration (.rodata): the runtime fills it in before the object is loaded, so that the
 * verifier knows its values and removes what they switch off.
 */
#include "bpf_helpers/helpers.h"

const volatile struct sonde_config sonde_config = {};

INLINE uint64_t sonde_config_cpus(void)
{
	return sonde_config.n_cpus;
}

INLINE uint64_t sonde_config_start(void)
{
	return sonde_config.start_ns;
}
