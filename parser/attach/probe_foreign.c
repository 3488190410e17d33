/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe types of other tools ("tick-1s", "syscall::open:entry"), and words that people try
 * ("every:1s"), by their first word.
 */
#include "parser/attach/probe_parse.h"
#include <ctype.h>
#include <strings.h>

static const struct {
	const char *word, *instead, *hint;
} foreign_words[] = {
#define FOREIGN_PROBE(word, instead, hint) {word, instead, hint},
#include "parser/attach/probe_foreign.def"
};

/* What to write for `every:1s`, where `instead` is "interval:"; NULL if that is not known. */
static const char *replaced(const struct probe_reader *r, const char *instead, const char *rest)
{
	const char *unit;

	if (!instead || !rest || !*rest)
		return NULL;
	if (instead[strlen(instead) - 1] != ':') /* the name of an event, which is looked up */
		return probe_event_called(r, arena_printf(r->arena, "%s%s",
							  strrchr(instead, ':') + 1, rest))
			       ? arena_printf(r->arena, "write %s%s", instead, rest)
			       : NULL;
	unit = rest + strspn(rest, "0123456789");
	if (unit == rest || unit[strspn(unit, "msunhd")])
		return NULL;
	return arena_printf(r->arena, "write %s%s%s", instead, rest,
			    *unit || strchr(instead, ':')[1] ? "" : "s");
}

const char *probe_foreign(const struct probe_reader *r, const char *name, const char *rest)
{
	size_t n = 0;

	while (isalpha((unsigned char)name[n]))
		n++;
	for (size_t i = 0; name[n] != '_' && i < sizeof(foreign_words) / sizeof(*foreign_words);
	     i++) {
		const char *text;

		if (strlen(foreign_words[i].word) != n ||
		    strncasecmp(foreign_words[i].word, name, n) != 0)
			continue;
		text = name[n] ? NULL : replaced(r, foreign_words[i].instead, rest);
		return text ? text : foreign_words[i].hint;
	}
	return NULL;
}
