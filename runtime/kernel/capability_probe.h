/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking this kernel for each row of parser/lang/capabilities.def.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "parser/lang/capability.h"

enum need_state {
	NEED_NO,
	NEED_YES,
	NEED_UNKNOWN, /* this process may not ask */
};

/* Asks anew, each time; a trial load at most, which leaves nothing behind. */
enum need_state need_ask(struct kernel *k, enum need_id id);
