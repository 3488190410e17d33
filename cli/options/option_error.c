/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_error.h.
 */
#include "cli/options/option_error.h"
#include <stdio.h>

int option_hint(void)
{
	return log_hint("'sonde --help' lists the options");
}
