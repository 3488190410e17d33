/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calibration of a session: what was measured for each kind of call that occurs in it. Shared
 * by calibrate.c and calibrate_thread.c.
 */
#pragma once
#include "runtime/calibrate/calibrate_probe.h"
#include <stdbool.h>

enum {
	CALIBRATE_VALUES = 512, /* of which a report is made */
	CALIBRATE_LAST = 3,	/* of which the median is used */
};

/* What a word of struct sonde_cost was. When there are too many values, every other one is dropped,
 * so those kept are each `every`th. */
struct calibrate_series {
	uint32_t n, every;
	uint64_t n_added;
	uint64_t values[CALIBRATE_VALUES];
	uint64_t last[CALIBRATE_LAST];
};

struct calibrate_kind {
	struct calibrate_probe probe;
	bool is_open;
	struct calibrate_series floors, calls; /* of the repetitions */
};

struct calibration {
	struct calibrate_kind kinds[SONDE_COST_METHODS][SONDE_COST_CLASSES];
	struct calibrate_thread *thread; /* NULL: it does not run */
	bool is_impossible;		 /* and that was reported */
};
