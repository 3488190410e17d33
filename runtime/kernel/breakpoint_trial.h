/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A breakpoint on a variable of this process, with a BPF program.
 */
#pragma once

/* Let a thread store to a variable that is watched by the BPF program `prog`, of type PERF_EVENT.
 * How often that one store was seen, if it ended; more than 1 if it is repeated without end, which
 * is then stopped; -ETIME if neither was seen within a second; -errno, where -ENOSPC is no free
 * debug register. */
int breakpoint_trial(int prog);
