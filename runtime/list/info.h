/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --info: what this kernel, this machine, this process and this build can do.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct kernel;

/* Known to the build only. */
struct info_build {
	const char *sonde, *llvm; /* versions */
};

/* Print everything, as text or as one JSON object. Loads nothing that outlives the call. */
void info_print(struct kernel *k, const struct info_build *build, bool as_json, FILE *out);
