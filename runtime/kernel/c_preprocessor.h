/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the C preprocessor of this machine (struct kernel, preprocess_c).
 */
#pragma once
#include <stdbool.h>

struct arena;
struct kernel;

const char *c_preprocessor_run(struct kernel *k, struct arena *a, const char *text, const char *dir,
			       const char **why);
