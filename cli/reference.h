/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tables say, as text: --help TOPIC, docs/reference.md, --list-rows.
 */
#pragma once

/* Print a topic: "builtins", "probes", "reference" (both, in Markdown). 0, or 1 with the mistake
 * said. */
int reference_help(const char *topic);
/* "KIND NAME" a line, for the test that wants a live test for each row. */
void reference_list_rows(void);
