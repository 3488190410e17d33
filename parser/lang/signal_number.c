/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and names of signals, as the C library has them.
 */
#include "parser/lang/signal_number.h"
#include <signal.h>
#include <string.h>
#include <strings.h>

const char *signal_text(int number)
{
	return sigabbrev_np(number);
}

int signal_number(const char *name)
{
	if (strncasecmp(name, "SIG", 3) == 0)
		name += 3;
	for (int i = 1; i <= SIGNAL_LAST; i++)
		if (signal_text(i) && strcasecmp(signal_text(i), name) == 0)
			return i;
	return 0;
}
