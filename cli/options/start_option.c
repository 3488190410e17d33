/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the argument of --start: see option_rows.h.
 */
#include "cli/options/option_rows.h"
#include "runtime/base/clock.h"
#include <ctype.h>

enum { PERIOD_LEAST_NS = 1000000 };

/* "14:30" or "14:30:15": digits in pairs. */
static bool read_clock(const char *text, struct tm *tm)
{
	int part[3] = {0}, n = 0;

	for (; n < 3; n++) {
		if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)text[1]))
			return false;
		part[n] = (text[0] - '0') * 10 + text[1] - '0';
		text += 2;
		if (*text != ':')
			break;
		text++;
	}
	if (*text || n < 1 || n == 3 || part[0] > 23 || part[1] > 59 || part[2] > 59)
		return false;
	tm->tm_hour = part[0];
	tm->tm_min = part[1];
	tm->tm_sec = part[2];
	return true;
}

/* The next time that local clocks show it: today or tomorrow. */
static int read_time_of_day(const char *text, struct start_moment *out)
{
	time_t now = time(NULL), at;
	struct tm tm;

	if (!localtime_r(&now, &tm) || !read_clock(text, &tm))
		return -1;
	tm.tm_isdst = -1;
	at = mktime(&tm);
	if (at <= now) {
		tm.tm_mday++;
		tm.tm_isdst = -1;
		at = mktime(&tm);
	}
	if (at <= now)
		return -1;
	*out = (struct start_moment){START_AT, (uint64_t)at * 1000000000};
	return 0;
}

int set_start(struct options *o, const struct option_row *row, const char *arg)
{
	uint64_t ns;

	if (*arg == '@' && read_time_of_day(arg + 1, &o->start) == 0)
		return 0;
	if (*arg != '+' && *arg != '/')
		return log_error("--start: '%s' is no moment: write +30s, @14:30 or /10s", arg);
	if (option_time("--start", arg + 1, &ns))
		return -1;
	if (*arg == '/' && ns < PERIOD_LEAST_NS)
		return option_error("--start: a period of %s is too short: the minimum is 1ms",
				    arg + 1);
	if (*arg == '+')
		o->start = (struct start_moment){START_AFTER, monotonic_ns() + ns};
	else
		o->start = (struct start_moment){START_PERIOD, ns};
	return 0;
}
