/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The limit of open files.
 */
#pragma once

/* Raise the limit of this process to the most that it may have: each map, program, link and counter
 * takes a descriptor. Without effect if that is refused. A command that was forked before keeps its
 * limit. */
void file_limit_raise(void);
