/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about USDT probes. Private to kernel*.c.
 */
#pragma once
#include "parser/lang/kernel.h"

int usdt_each_note(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx);
int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx);
