/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads folded stacks: see folded_read.h. A line is names from the outermost on, separated by
 * semicolons, a blank, and a number. Names may contain blanks.
 */
#include "runtime/output/folded_read.h"
#include "parser/base/read_text.h"
#include "runtime/base/log.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MOST = 16 << 20, NODES_MOST = 4000000 };

struct folded {
	struct call_tree *tree;
	const char *path;
	bool is_before;
	size_t line;
	uint64_t sum;
};

static int refuse(const struct folded *r, const char *what)
{
	log_error("%s:%zu: %s", r->path, r->line, what);
	return log_hint(
		"a line of folded stacks is 'main;work;read 12': names separated by semicolons, "
		"a blank, a number");
}

/* Endings by which other programs tell what a function belongs to. */
static const struct {
	const char *suffix;
	enum call_kind kind;
} endings[] = {{"_[k]", CALL_KERNEL}, {"_[j]", CALL_GENERATED}, {"_[i]", CALL_FUNCTION}};

/* The kind of a function, whose name loses its ending. */
static enum call_kind take_ending(char *name, size_t *len)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t n = strlen(endings[i].suffix);

		if (*len > n && memcmp(name + *len - n, endings[i].suffix, n) == 0) {
			*len -= n;
			name[*len] = '\0';
			return endings[i].kind;
		}
	}
	return CALL_FUNCTION;
}

static int add_name(struct folded *r, uint32_t *at, char *name, size_t len)
{
	enum call_kind kind = take_ending(name, &len);

	*at = call_tree_child(r->tree, *at, kind, ESCAPE_MESSAGE, name);
	return *at ? 0 : -ENOMEM;
}

/* The names in `names`, which ends in a zero. */
static int add_names(struct folded *r, uint32_t *at, char *names)
{
	for (char *name = names; name;) {
		char *end = strchr(name, ';');
		size_t len = end ? (size_t)(end - name) : strlen(name);

		if (!len)
			return refuse(r, "an empty name");
		if (r->tree->nodes.n == NODES_MOST)
			return refuse(r, "more than 4,000,000 different stacks and callers");
		if (end)
			*end = '\0';
		if (add_name(r, at, name, len))
			return refuse(r, "out of memory");
		name = end ? end + 1 : NULL;
	}
	return 0;
}

static int read_value(struct folded *r, const char *digits, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*digits))
		return refuse(r, "no number at the end of the line");
	errno = 0;
	*value = strtoull(digits, &end, 10);
	if (*end)
		return refuse(r, "the value is not a whole number");
	if (errno || __builtin_add_overflow(r->sum, *value, &r->sum))
		return refuse(r, "the values are too large: their sum exceeds 64 bits");
	return 0;
}

static int read_line(struct folded *r, char *line, size_t len)
{
	uint32_t at = 0;
	uint64_t value = 0;
	char *blank;

	while (len && isspace((unsigned char)line[len - 1]))
		line[--len] = '\0';
	if (!len)
		return 0;
	if (strlen(line) != len)
		return refuse(r, "a zero byte");
	blank = strrchr(line, ' ');
	if (!blank)
		return refuse(r, "no number at the end of the line");
	*blank = '\0';
	if (read_value(r, blank + 1, &value) || add_names(r, &at, line))
		return -1;
	if (r->is_before)
		r->tree->nodes.items[at].self_before += value;
	else
		r->tree->nodes.items[at].self += value;
	return 0;
}

int folded_read_file(struct call_tree *t, FILE *f, const char *path, bool is_before)
{
	struct folded r = {.tree = t, .path = path, .is_before = is_before};
	char *line;
	size_t len;
	int err = 0;

	while (!err && (line = read_text(f, '\n', LINE_MOST, &len))) {
		r.line++;
		err = read_line(&r, line, len);
		free(line);
	}
	if (!err && errno == EFBIG) {
		r.line++;
		err = refuse(&r, "more than 16 MiB without an end of the line");
	} else if (!err && errno) {
		log_error("cannot read '%s': %s", path, strerror(errno));
		err = -1;
	}
	if (!err && !r.sum) {
		log_error("'%s' has no stacks", path);
		err = -1;
	}
	return err;
}

int folded_read(struct call_tree *t, const char *path, bool is_before)
{
	bool is_input = strcmp(path, "-") == 0;
	FILE *f = is_input ? stdin : fopen(path, "re");
	int err;

	if (!f) {
		err = errno;
		log_error("cannot read '%s': %s", path, strerror(err));
		if (err == ENOENT)
			log_hint("'sonde -f folded -o FILE' writes stacks to a file");
		return -1;
	}
	err = folded_read_file(t, f, is_input ? "standard input" : path, is_before);
	if (!is_input)
		fclose(f);
	return err;
}
