/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes of a run never fired.
 */
#pragma once

struct events;

/* Report them, and the maps that stayed empty, as a note of one line; nothing if there are none.
 * After the maps were printed. */
void unfired_report(const struct events *e);
