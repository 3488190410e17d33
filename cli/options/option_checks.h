/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which options go together: option_checks.c.
 */
#pragma once
#include "cli/options/options.h"

/* 0, or -1 after a message. */
int options_check(const struct options *o);
