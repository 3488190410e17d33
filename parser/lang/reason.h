/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of `reason`: the rows of bpf_helpers/reasons.def.
 */
#pragma once
#include "bpf_helpers/shared.h"

/* Without SONDE_REASON_NONE, which is no value. */
enum { REASON_COUNT = SONDE_REASON_COUNT - 1 };

struct reason {
	const char *word;
	const char *doc;
};

/* By enum sonde_reason, less 1. */
extern const struct reason reasons[REASON_COUNT];

/* The row of `word`, or NULL. */
const struct reason *reason_find(const char *word);
