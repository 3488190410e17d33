/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions that calibration probes, one for each class of first instructions.
 */
#pragma once
#include "bpf_helpers/shared.h"

struct calibrate_function {
	const char *name; /* of the class, in messages */
	void (*code)(void);
	void (*exit)(void); /* its return instruction */
};

extern const struct calibrate_function calibrate_functions[SONDE_COST_CLASSES];

/* The offset of this program's code in its file; 0 if it is not found. */
uint64_t calibrate_offset(void (*code)(void));
