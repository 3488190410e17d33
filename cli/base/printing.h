/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C while a dialogue prints ends only what it prints: from the signal on, standard output is
 * discarded.
 */
#pragma once

/* What is printed on standard output from here on may be stopped. */
void printing_begin(void);
/* It is complete. What follows is printed. */
void printing_end(void);
