/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages that `sonde explain` shows: the words of --stage.
 */
#pragma once
#include <stdbool.h>

enum explain_stage {
#define STAGE(id, ...) EXPLAIN_##id,
#include "cli/options/explain_stages.def"
#undef STAGE
	EXPLAIN_STAGE_COUNT,
};

/* A row of explain_stages.def. */
struct explain_row {
	const char *word, *what, *how;
	bool is_beside, is_open;
};
extern const struct explain_row explain_rows[];
