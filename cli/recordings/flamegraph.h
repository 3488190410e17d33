/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde flamegraph FILE, sonde flamegraph --diff BEFORE AFTER: draw stacks that were saved.
 */
#pragma once
struct options;

/* Draw. The exit status. */
int flamegraph_run(const struct options *o);
