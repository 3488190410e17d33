/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe types of other tools ("tick-1s", "syscall::open:entry"), by their first word.
 */
#include "parser/attach/probe_parse.h"
#include "parser/lang/foreign_word.h"
#include <string.h>

static const struct foreign_word foreign_words[] = {
#define FOREIGN_PROBE(word, hint) {word, hint},
#include "parser/attach/probe_foreign.def"
#undef FOREIGN_PROBE
};

const char *probe_foreign(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < sizeof(foreign_words) / sizeof(*foreign_words); i++)
		if (strlen(foreign_words[i].word) == n &&
		    strncmp(foreign_words[i].word, name, n) == 0)
			return foreign_words[i].hint;
	return NULL;
}
