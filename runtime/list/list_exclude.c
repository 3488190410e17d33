/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: exclusions, `!PATTERN` behind a pattern, as in a probe's head (parser/attach/exclude.c): what
 * it matches of the names found just before goes. A line of a listing is matched from its start and
 * from behind each ':', which is by NAME, CATEGORY:EVENT, PROVIDER:NAME, PATH:FUNCTION and so on; a
 * function of a program also by what its symbol demangles to.
 */
#include "parser/base/arena.h"
#include "parser/base/pattern.h"
#include "parser/attach/exclude.h"
#include "parser/attach/probe_user.h"
#include "runtime/list/list_impl.h"
#include "runtime/base/log.h"
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What one `!PATTERN` takes away. */
struct leaving {
	struct probe_reader reader;
	const char *pattern;
	const char *path;			 /* of PATH:FUNCTION, or NULL */
	struct user_matching user, user_in_file; /* of all of it; of what follows its path */
};

static bool matches(const char *pattern, const char *name)
{
	return pattern_matches(pattern, name) || fnmatch(pattern, name, 0) == 0;
}

/* The symbol of a function of a program: list_keep_function() leaves it behind the line. */
static const char *symbol_of(const char *line)
{
	const char *offset = line + strlen(line) + 1;

	return offset + strlen(offset) + 1;
}

static bool excludes_function(const struct leaving *x, const char *line)
{
	const char *symbol = symbol_of(line), *path = strchr(line, ':') + 1;
	const char *end = user_path_end(path);

	if (user_name_matches(&x->user, symbol))
		return true;
	return x->path && end && user_name_matches(&x->user_in_file, symbol) &&
	       matches(x->path, arena_strndup(x->reader.arena, path, (size_t)(end - path)));
}

static bool excludes_line(const struct leaving *x, const char *line)
{
	char *name = probe_without(x->reader.arena, line, '"');
	const char *pattern = x->pattern;
	const struct list_row *row = list_row_of(line);
	size_t n = strcspn(line, ":"), len = strlen(name);

	if (len && name[len - 1] == ':') /* "software:cpu:", to be followed by a number */
		name[len - 1] = '\0';

	for (uint32_t i = 0; i < PROBE_COUNT && line[n]; i++)
		if (probe_type_is(line, n, (enum probe_id)i))
			pattern = exclusion_behind_type(x->pattern, (enum probe_id)i);
	for (const char *c = name; c; c = strpbrk(c, list_is_type(line) ? " " : ":")) {
		c += c != name;
		if (matches(pattern, c))
			return true;
	}
	return row && row->flags & LIST_FUNCTIONS && excludes_function(x, line);
}

static struct user_matching names(const struct leaving *x, const char *function)
{
	struct user_matching m = {.r = &x->reader};

	user_name_query(&m, user_behind_language(function));
	return m;
}

static void read_functions(struct leaving *x)
{
	const char *pattern = exclusion_behind_type(x->pattern, PROBE_UPROBE), *colon;

	pattern = exclusion_behind_type(pattern, PROBE_URETPROBE);
	colon = user_path_end(pattern);
	x->user = names(x, pattern);
	x->user_in_file = names(x, colon ? colon + 1 : pattern);
	x->path = colon ? arena_strndup(x->reader.arena, pattern, (size_t)(colon - pattern)) : NULL;
}

/* Those of l->names[first] and later that stay come first; how many went. */
static size_t leave_out(const struct leaving *x, struct listing *l, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < l->n; i++)
		if (excludes_line(x, l->names[i]))
			free(l->names[i]);
		else
			l->names[kept++] = l->names[i];
	first = l->n - kept;
	l->n = kept;
	return first;
}

void list_exclude(struct listing *l, const char *word, size_t first, bool is_first)
{
	struct arena *a = arena_new();
	struct leaving x = {.reader = {.arena = a, .kernel = l->kernel},
			    .pattern = probe_without(a, word + 1, '"')};

	read_functions(&x);
	if (is_first || !*x.pattern) {
		l->status = 1;
		log_error(is_first ? "'%s' stands first: there is nothing yet to leave it out of"
				   : "'%s' needs what to leave out",
			  word);
		fputs("hint: write it behind a pattern: kprobe:vfs_*,!vfs_write*\n", stderr);
	} else if (l->n > first && !leave_out(&x, l, first)) {
		log_warning("'%s' leaves nothing out: the pattern before it has no such name",
			    word);
	} else if (l->n == first && !l->status) {
		l->status = 1;
		log_error("'%s' leaves nothing of the pattern before it", word);
	}
	arena_free(a);
}
