/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde flamegraph FILE, sonde flamegraph --diff BEFORE AFTER: draw stacks that were saved.
 */
#pragma once
struct options;

/* Check the words and options. 0, or -1 after a message. */
int flamegraph_check(const struct options *o);
/* Draw. The exit status. */
int flamegraph_run(const struct options *o);
