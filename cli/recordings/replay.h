/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde replay: runs a script over recorded events, without root.
 */
#pragma once

struct options;

/* The exit status. */
int replay_script(const struct options *o);
