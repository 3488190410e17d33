/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for code of arm64 without call frame information, as code_rows.h makes them for x86-64.
 */
#pragma once

struct code_bytes;
struct pack;
struct unwind_rules;

/* Pack rows for the code, whose first instruction starts a function. Code that is not reached from
 * the start of a function gets none. Returns 0 or -errno. */
int code_arm64_pack_rows(const struct code_bytes *c, struct unwind_rules *rules, struct pack *out);
