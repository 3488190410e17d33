/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The configuration (.rodata). The runtime fills it in before the object is loaded, so the verifier
 * knows the values and removes code that they disable.
 */
#include "bpf_helpers/helpers.h"

const volatile struct sonde_config sonde_config = {};

INLINE uint64_t sonde_config_cpus(void)
{
	return sonde_config.n_cpus;
}

/* CLOCK_TAI - CLOCK_BOOTTIME at the start, in ns. */
INLINE uint64_t sonde_config_tai(void)
{
	return sonde_config.tai_ns;
}

/* The process of -c; 0 if there is none. */
INLINE uint64_t sonde_config_command(void)
{
	return sonde_config.command_tgid;
}

INLINE uint64_t sonde_config_start(void)
{
	return sonde_config.start_ns;
}
