/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ctrl-C while a dialogue prints ends only what it prints: from the signal on, standard output is
 * discarded.
 */
#pragma once

/* What is printed on standard output from here on may be stopped. */
void printing_begin(void);
/* On a terminal, the rest of it goes through a pager: $PAGER, or less if there is one. */
void printing_page(void);
/* Where that ends up: the terminal behind the pager, or standard output. */
int printing_target(void);
/* It is complete, and the pager has ended. What follows is printed. */
void printing_end(void);
