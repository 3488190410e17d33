/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a recording, in SQL.
 */
#pragma once
#include "runtime/recording/recording.h"

/* Print the rows that the statements select, as a table, or (is_json) as an object a line. 0, or
 * -1 after a message. */
int recording_ask(struct recording *r, const char *sql, bool is_json, FILE *out);
/* Print which small functions made most of the calls, and the options that leave them out. 0 or -1,
 * likewise. */
int recording_suggest(struct recording *r, FILE *out);
