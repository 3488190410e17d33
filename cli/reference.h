/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tables of the language: --help TOPIC, docs/reference.md, --list-rows.
 */
#pragma once

/* Print a topic: "builtins", "probes", "config", or "reference" (all of them, in Markdown). 0, or 1
 * after a message. */
int reference_help(const char *topic);
/* Print "KIND NAME" for each row; a test requires a live test for each. */
void reference_list_rows(void);
