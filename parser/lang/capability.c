/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of what a kernel or a machine may lack.
 */
#include "parser/lang/capability.h"

const struct need_row need_rows[NEED_COUNT] = {
#define NEED(id_, name_, from_, since_, purpose_)                                                  \
	[NEED_##id_] = {.id = #id_, .name = name_, .from = from_, .since = since_,                 \
			.purpose = purpose_},
#include "parser/lang/capabilities.def"
#undef NEED
};
