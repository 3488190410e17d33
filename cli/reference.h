/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tables of the language: --help TOPIC, docs/reference.md, --list-rows.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Print a topic: "builtins", "probes", "config", "reference" (all of them, in Markdown), or "rows"
 * (rows.h). 0, or 1 after a message. */
int reference_help(const char *topic);
/* The i-th topic; NULL after the last. */
const char *reference_topic(uint32_t i);
/* Print "KIND NAME" for each row; a test requires a live test for each. In full: the line of
 * rows.h. */
void reference_list_rows(bool in_full);
