/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe types as other tools have them ("tick-1s", "syscall::open:entry"), by their first word.
 */
#include "parser/attach/probe_parse.h"
#include "parser/syntax/foreign_syntax.h"
#include <string.h>

static const struct slip slips[] = {
#define PROBE_SLIP(word, hint) {word, hint},
#include "parser/attach/probe_foreign.def"
#undef PROBE_SLIP
};

const char *probe_slip(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz");

	for (size_t i = 0; i < sizeof(slips) / sizeof(*slips); i++)
		if (strlen(slips[i].word) == n && strncmp(slips[i].word, name, n) == 0)
			return slips[i].hint;
	return NULL;
}
