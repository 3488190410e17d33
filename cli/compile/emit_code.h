/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What codegen makes of a script, for --emit, -d and explain.
 */
#pragma once
#include "cli/options/options.h"

/* Compile and write the stage (EMIT_IR to EMIT_ELF) to `f`. 0, or the exit status after a
 * message. */
int emit_code(enum emit_stage stage, const struct program *program, const struct plan *plan,
	      FILE *f);
