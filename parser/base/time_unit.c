/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See time_unit.h.
 */
#include "parser/base/time_unit.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include <ctype.h>
#include <strings.h>

/* `names`: in names of variables, between blanks; `meant`: the other words that people write. */
static const struct {
	const char *unit;
	uint64_t ns;
	const char *names, *meant;
} units[] = {
	{"ns", 1, " ns ", " nsec nsecs nano nanos nanosec nanosecs nanosecond nanoseconds "},
	{"us", 1000, " us usec usecs ",
	 " µs μs micro micros microsec microsecs microsecond microseconds "},
	{"ms", 1000000, " ms msec msecs ",
	 " milli millis millisec millisecs millisecond milliseconds "},
	{"s", 1000000000, " s sec secs second seconds ", ""},
	{"m", 60000000000, "", " m min mins minute minutes "},
	{"h", 3600000000000, "", " h hr hrs hour hours "},
	{"d", 86400000000000, "", " d day days "},
};
enum { N_UNITS = sizeof(units) / sizeof(*units), SECONDS = 3 };

uint64_t time_unit_ns(const char *text, size_t len)
{
	__auto_type row = TEXT_ROW(units, unit, text, len);

	return row ? row->ns : 0;
}

static bool is_one_of(const char *words, const char *word,
		      int (*compare)(const char *, const char *, size_t))
{
	size_t len = strlen(word);

	for (const char *at = strchr(words, ' '); at; at = strchr(at + 1, ' '))
		if (compare(at + 1, word, len) == 0 && at[1 + len] == ' ')
			return true;
	return false;
}

uint64_t time_unit_of_name(const char *name)
{
	for (int i = 0; i < N_UNITS; i++)
		if (is_one_of(units[i].names, name, strncmp))
			return units[i].ns;
	return 0;
}

const char *time_unit_meant(const char *word)
{
	for (int i = 0; i < N_UNITS; i++)
		if (is_one_of(units[i].names, word, strncasecmp) ||
		    is_one_of(units[i].meant, word, strncasecmp))
			return units[i].unit;
	return NULL;
}

const char *time_meant(struct arena *a, const char *text)
{
	size_t n = strspn(text, "0123456789."), blank = strspn(text + n, " ");
	const char *unit = n && text[n] ? time_unit_meant(text + n + blank) : NULL;
	const char *meant = unit ? arena_printf(a, "%.*s%s", (int)n, text, unit) : text;

	return strcmp(meant, text) != 0 && time_read(meant, 0, &(uint64_t){0}) ? meant : NULL;
}

/* The digits after the point, of which those count that are at least a nanosecond. */
static uint64_t read_fraction(const char *at, uint64_t unit)
{
	uint64_t ns = 0;

	for (; isdigit((unsigned char)*at); at++) {
		unit /= 10;
		ns += (uint64_t)(*at - '0') * unit;
	}
	return ns;
}

bool time_read(const char *text, uint64_t alone, uint64_t *ns)
{
	size_t n = strspn(text, "0123456789");
	const char *point = text + n, *unit = point;
	uint64_t scale, value = 0;

	if (*point == '.' && isdigit((unsigned char)point[1]))
		unit += 1 + strspn(point + 1, "0123456789");
	scale = *unit ? time_unit_ns(unit, strlen(unit)) : alone;
	if (!n || !scale)
		return false;
	for (; text < point; text++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	if (__builtin_mul_overflow(value, scale, ns))
		return false;
	if (unit != point)
		*ns += read_fraction(point + 1, scale);
	return *ns <= INT64_MAX;
}

const char *time_text(struct arena *a, uint64_t ns)
{
	int i = SECONDS;

	if (!ns)
		return "0";
	while (ns % units[i].ns)
		i--;
	return arena_printf(a, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].unit);
}
