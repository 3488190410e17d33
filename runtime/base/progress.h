/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a run: how long each takes, and a line on the terminal that says what is being done
 * when that takes more than half a second. The line is on standard error, is rewritten in place,
 * and is removed when the work ends or a message is printed.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum stage {
	STAGE_NONE, /* nothing is shown, for as long as it lasts */
#define STAGE(id, ...) STAGE_##id,
#include "runtime/base/stages.def"
#undef STAGE
	STAGE_COUNT,
};

/* Show the line where standard error is a terminal, with this process in its foreground. Call it
 * before the first stage. */
void progress_enable(void);
/* A run begins: no stage has taken any time yet. */
void progress_begin(void);
/* A stage begins, and the one before it ends. */
void progress_stage(enum stage stage);
/* The current stage has `total` items, of which none is done. */
void progress_items(uint64_t total);
void progress_done(uint64_t done);
/* Remove the line, because something else is printed; it comes back if the stage lasts. */
void progress_clear(void);
/* The same in a child that shares the terminal, and does not know what is on it. */
void progress_clear_inherited(void);

/* A stage took that long in another process. */
void progress_elsewhere(enum stage stage, uint64_t ns);
/* Nanoseconds that a stage has taken so far, and its name in reports; NULL: it is not in them. */
uint64_t progress_ns(enum stage stage);
const char *progress_name(enum stage stage);
