/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain --verifier`: programs that the kernel's verifier refuses, and why.
 */
#pragma once
struct options;

/* List them, or explain the one that is named. The exit status. */
int verifier_run(const struct options *o);
