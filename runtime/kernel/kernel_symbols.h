/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers of the running kernel about its symbols, cgroups and kernel functions.
 */
#pragma once

struct kernel;

/* Set the hooks of struct kernel that this file answers. */
void kernel_symbols_init(struct kernel *k);
