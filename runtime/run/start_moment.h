/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The moment at which a run begins.
 */
#pragma once
#include <stdint.h>

struct start_moment {
	enum start_when {
		START_NOW,
		START_AFTER,  /* at `ns` of CLOCK_MONOTONIC */
		START_AT,     /* at `ns` of CLOCK_REALTIME */
		START_PERIOD, /* when CLOCK_REALTIME is next a multiple of `ns` */
	} when;
	uint64_t ns;
};
