/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes that cannot fire in what the options choose.
 */
#pragma once

struct options;
struct program;

/* Warn, once for each file, of probes in files that the process of -p has not mapped, and of
 * addresses of a process that no option chooses. */
void scope_warn(const struct options *o, const struct program *p);
