/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asking this kernel for each row of parser/needs.def.
 */
#pragma once
#include "../parser/kernel.h"
#include "../parser/need.h"

enum need_state {
	NEED_NO,
	NEED_YES,
	NEED_UNKNOWN, /* this process may not ask */
};

/* Asks anew, each time; a trial load at most, which leaves nothing behind. */
enum need_state need_ask(struct kernel *k, enum need_id id);
