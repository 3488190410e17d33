/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking this kernel for each row of parser/lang/capabilities.def.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "parser/lang/capability.h"

enum capability_state {
	CAPABILITY_NO,
	CAPABILITY_YES,
	CAPABILITY_UNKNOWN, /* this process may not ask */
};

/* Asks anew, each time; a trial load at most, which leaves nothing behind. */
enum capability_state capability_probe(struct kernel *k, enum capability_id id);
