/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See option_rows.h.
 */
#include "cli/options/option_rows.h"
#include "parser/base/time_unit.h"
#include <ctype.h>
#include <stdlib.h>

enum { SECOND = 1000000000 };

static uint64_t unit_of(const char *text)
{
	return *text ? time_unit_ns(text, strlen(text)) : SECOND;
}

/* `1h30`, `1m30s`: the sum in its smallest unit; 0: it is none. */
static uint64_t sum_of(const char *text, uint64_t *unit)
{
	uint64_t sum = 0;

	for (*unit = 0; *text;) {
		size_t digits = strspn(text, "0123456789");
		size_t len = strspn(text + digits, "abcdefghijklmnopqrstuvwxyz");

		if (!digits || (!len && (!*unit || text[digits])))
			return 0;
		*unit = len ? time_unit_ns(text + digits, len) : *unit / 60;
		if (!*unit || digits > 4)
			return 0;
		sum += strtoull(text, NULL, 10) * *unit;
		text += digits + len;
	}
	return sum;
}

static int refuse(const char *option, const char *arg)
{
	uint64_t one, sum = sum_of(arg, &one);
	const char *digits = arg + (*arg == '-'), *unit = digits + strspn(digits, "0123456789.");
	int n = (int)(unit - digits);

	if (!isdigit((unsigned char)*digits))
		return log_error("%s: '%s' is no time: write 10s, 500ms or 5m", option, arg);
	if (sum && one >= SECOND)
		return log_error("%s: '%s' has several units: write %llus", option, arg,
				 (unsigned long long)(sum / SECOND));
	if (!unit_of(unit) && time_unit_meant(unit))
		return log_error("%s: '%s' is not a unit of time: write %.*s%s", option, unit, n,
				 digits, time_unit_meant(unit));
	if (!unit_of(unit))
		return log_error("%s: '%s' is not a unit of time: write 10s, 500ms or 5m", option,
				 unit);
	if (*arg == '-' || !arg[strspn(arg, "0.smunhd")])
		return log_error("%s: '%s': the time must be longer than 0: write 10s, 500ms or 5m",
				 option, arg);
	return log_error("%s: '%s' is no time that fits: write 10s, 500ms or 5m", option, arg);
}

/* Other tools count in milliseconds, and in scripts a number alone is nanoseconds. */
static bool lacks_unit(const char *arg, uint64_t ns)
{
	enum { MOST_SECONDS = 100 };

	return !arg[strspn(arg, "0123456789.")] && ns >= MOST_SECONDS * (uint64_t)SECOND;
}

int option_time(const char *option, const char *arg, uint64_t *ns)
{
	if (!time_read(arg, SECOND, ns) || !*ns)
		return refuse(option, arg);
	if (lacks_unit(arg, *ns))
		return log_error("%s: '%s' has no unit: write %sms or %ss", option, arg, arg, arg);
	return 0;
}
