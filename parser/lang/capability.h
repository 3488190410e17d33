/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel or a machine may lack, by the rows of capabilities.def.
 */
#pragma once

enum need_id {
#define NEED(id, ...) NEED_##id,
#include "parser/lang/capabilities.def"
#undef NEED
	NEED_COUNT,
	NEED_NOTHING = NEED_COUNT, /* of what works wherever sonde does */
};

struct need_row {
	const char *id; /* "KPROBE_MULTI": for programs that read --info */
	const char *name, *from, *since, *purpose;
};

extern const struct need_row need_rows[NEED_COUNT];
