/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `sonde explain --verifier`: programs that the kernel's verifier refuses, with the reasons.
 */
#pragma once
struct options;

/* List them, or explain the one that the command line names. Returns the exit status. */
int verifier_run(const struct options *o);
