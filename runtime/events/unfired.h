/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which probes of a run never fired.
 */
#pragma once

struct events;

/* Report them, and the maps that stayed empty, as a note of one line; nothing if there are none.
 * After the maps were printed. Whoever runs a bundled script does not know its probes and maps, not
 * all of which are for each run: of these the note is printed only if no probe has fired at all. */
void unfired_report(const struct events *e);
