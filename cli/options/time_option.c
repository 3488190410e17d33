/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See time_option.h.
 */
#include "cli/options/time_option.h"
#include "cli/options/option_error.h"
#include "parser/lang/literal.h"
#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {{"s", 1000000000}, {"", 1000000000},   {"ms", 1000000},	  {"us", 1000},
	     {"ns", 1},		{"m", 60000000000}, {"h", 3600000000000}, {"d", 86400000000000}};

/* The digits behind the point, of which those count that are at least a nanosecond. */
static uint64_t read_fraction(const char **at, uint64_t unit)
{
	uint64_t ns = 0;

	for (; isdigit((unsigned char)**at); (*at)++) {
		unit /= 10;
		ns += (uint64_t)(**at - '0') * unit;
	}
	return ns;
}

static uint64_t unit_of(const char *text)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, text) == 0)
			return units[i].ns;
	return 0;
}

static bool read_time(const char *arg, uint64_t *ns)
{
	const char *point = arg + strspn(arg, "0123456789"), *at = point;
	uint64_t unit, n = 0;

	if (!isdigit((unsigned char)*arg))
		return false;
	if (*point == '.' && isdigit((unsigned char)point[1]))
		at += 1 + strspn(point + 1, "0123456789");
	unit = unit_of(at);
	for (at = arg; unit && at < point; at++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			return false;
	if (!unit || __builtin_mul_overflow(n, unit, ns))
		return false;
	if (*point == '.')
		*ns += read_fraction(&(const char *){point + 1}, unit);
	return *ns > 0 && *ns <= UINT64_MAX / 2;
}

static int refuse(const char *option, const char *arg)
{
	const char *digits = arg + (*arg == '-'), *unit = digits + strspn(digits, "0123456789.");
	int n = (int)(unit - digits);

	if (!isdigit((unsigned char)*digits))
		return option_wrong("%s: '%s' is no time: write 10s, 500ms or 5m", option, arg);
	if (!unit_of(unit) && literal_unit_meant(unit))
		return option_wrong("%s: '%s' is not a unit of time: write %.*s%s", option, unit, n,
				    digits, literal_unit_meant(unit));
	if (!unit_of(unit))
		return option_wrong("%s: '%s' is not a unit of time: write 10s, 500ms or 5m",
				    option, unit);
	if (*arg == '-' || !arg[strspn(arg, "0.smunhd")])
		return option_wrong(
			"%s: '%s': the time must be longer than 0: write 10s, 500ms or 5m", option,
			arg);
	return option_wrong("%s: '%s' is no time that fits: write 10s, 500ms or 5m", option, arg);
}

/* Other tools count in milliseconds, and in scripts a number alone is nanoseconds. */
static bool lacks_unit(const char *arg, uint64_t ns)
{
	enum { MOST_SECONDS = 100 };

	return !arg[strspn(arg, "0123456789.")] && ns >= MOST_SECONDS * 1000000000ull;
}

int option_time(const char *option, const char *arg, uint64_t *ns)
{
	if (!read_time(arg, ns))
		return refuse(option, arg);
	if (lacks_unit(arg, *ns))
		return option_wrong("%s: '%s' has no unit: write %sms or %ss", option, arg, arg,
				    arg);
	return 0;
}
