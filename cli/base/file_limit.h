/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit of open files.
 */
#pragma once

/* Have the kernel make room for 2048 descriptors. Its table doubles when it is full, and if there
 * are several threads, it waits each time for a grace period of RCU, 10 to 20 ms
 * (expand_fdtable()). So call this before there are. Standard input must be open. */
void file_table_reserve(void);

/* Raise the limit of this process to the most that it may have: each map, program, link and counter
 * takes a descriptor. Without effect if that is refused. A command that was forked before keeps its
 * limit. */
void file_limit_raise(void);
