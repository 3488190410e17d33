/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tables of the language: docs/reference.md, --list-rows.
 */
#pragma once
#include <stdbool.h>

struct help_rows;
/* Print all rows in Markdown. */
void reference_markdown(const struct help_rows *rows);
/* Print "KIND NAME" for each row; a test requires a live test for each. In full: the line of
 * rows.h. */
void reference_list_rows(bool in_full);
