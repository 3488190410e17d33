/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where diagnostics of scripts go: to people, or as lines of JSON to editors (--check -f json).
 */
#pragma once

struct diags;

/* From now on print lines of JSON on standard output, as docs/diagnostics.schema.json describes
 * them. */
void diag_report_as_json(void);
/* Print all, sorted by place. */
void diag_report(const struct diags *d);
