/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that calibration probes, one for each class of first instructions and
 * each method.
 */
#pragma once
#include "bpf_helpers/shared.h"

struct calibrate_function {
	void (*code)(void);
	void (*exit)(void); /* its return instruction */
};

struct calibrate_class {
	const char *name; /* in messages */
	struct calibrate_function functions[SONDE_COST_METHODS];
};

extern const struct calibrate_class calibrate_classes[SONDE_COST_CLASSES];
