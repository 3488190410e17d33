/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --info: what this kernel, this machine, this process and this build can do.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct kernel;

/* What only the build knows. */
struct info_build {
	const char *sonde, *llvm; /* versions */
};

/* Ask and write all of it: as text, or as one JSON object. Trial loads at most; nothing stays. */
void info_print(struct kernel *k, const struct info_build *build, bool as_json, FILE *out);
