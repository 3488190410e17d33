/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of capabilities.
 */
#include "parser/lang/capability.h"

const struct capability_row capability_rows[CAP_COUNT] = {
#define CAPABILITY(id_, name_, from_, since_, purpose_, needs_, probe_) \
	[CAP_##id_] = {                                                 \
		.id = #id_, .name = name_, .from = from_, .since = since_, .purpose = purpose_},
#include "parser/lang/capabilities.def"
};
