/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel or a machine may lack, by the rows of capabilities.def.
 */
#pragma once

enum capability_id {
#define CAPABILITY(id, ...) CAP_##id,
#include "parser/lang/capabilities.def"
#undef CAPABILITY
	CAP_COUNT,
	CAP_NONE = CAP_COUNT, /* of what works wherever sonde does */
};

struct capability_row {
	const char *id; /* "KPROBE_MULTI": for programs that read --info */
	const char *name, *from, *since, *purpose;
};

extern const struct capability_row capability_rows[CAP_COUNT];
