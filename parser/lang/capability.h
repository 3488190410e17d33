/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of capabilities.def, and the three answers to whether a kernel has one.
 */
#pragma once

enum capability_id {
#define CAPABILITY(id, ...) CAP_##id,
#include "parser/lang/capabilities.def"
	CAP_COUNT,
	CAP_NONE = CAP_COUNT, /* no capability required */
};

enum capability_state {
	CAPABILITY_NO,
	CAPABILITY_YES,
	CAPABILITY_UNKNOWN, /* this process lacks the rights to find out */
};

struct capability_row {
	const char *id; /* "KPROBE_MULTI": for programs that read --info */
	const char *name, *from, *since, *purpose;
};

_Static_assert(CAP_COUNT <= 64, "struct kernel has a bit for each");
extern const struct capability_row capability_rows[CAP_COUNT];
