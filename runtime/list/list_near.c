/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l of a pattern that matches nothing: what is near. All names that the pattern could have matched
 * are offered once more and compared part by part ("sched", "sched_switch"); a part that matches
 * stays as it was written.
 */
#define _GNU_SOURCE
#include "parser/base/arena.h"
#include "parser/lang/kernel.h"
#include "parser/base/nearest.h"
#include "parser/lang/probe.h"
#include "runtime/list/list_impl.h"
#include "runtime/base/log.h"
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHOWN_MOST = 3,	     /* names that are offered */
	PARTS_MOST = 4,	     /* of a name */
	EDITS_MOST = 3,	     /* in a part, */
	LETTERS_AN_EDIT = 3, /* which has so many letters for each */
	NAME_MOST = 256,
	LINE_MOST = 1024,
};

struct list_near {
	char *best[SHOWN_MOST];
	uint32_t n;
	unsigned edits;	 /* of each of them */
	bool is_full;	 /* there are more as near */
	bool has_names;	 /* something was compared */
	bool has_module; /* a name had the first part that was asked for */
};

/* What stands between ':', a ':' at the end apart. */
struct parts {
	char text[NAME_MOST];
	char *part[PARTS_MOST];
	uint32_t n;
};

static bool cut(struct parts *p, const char *text, bool is_split)
{
	char *at = p->text;

	if (strlen(text) >= sizeof(p->text))
		return false;
	memcpy(p->text, text, strlen(text) + 1);
	for (p->n = 0; at && p->n < PARTS_MOST; p->n++)
		p->part[p->n] = strsep(&at, is_split ? ":" : "");
	if (p->n > 1 && !*p->part[p->n - 1])
		p->n--;
	return !at;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* Edits to the letters of a pattern's part; UINT_MAX: too many. */
static unsigned part_edits(const char *wanted, const char *name)
{
	char letters[NAME_MOST], *to = letters;
	unsigned edits, most;

	if (fnmatch(wanted, name, 0) == 0)
		return 0;
	for (const char *c = wanted; *c; c++)
		if (*c != '*' && *c != '?')
			*to++ = *c;
	*to = '\0';
	most = (unsigned)(to - letters) / LETTERS_AN_EDIT;
	if (!most)
		return UINT_MAX;
	edits = nearest_edits(letters, name);
	return edits <= most && edits <= EDITS_MOST ? edits : UINT_MAX;
}

/* The nearest stay, in the order in which they came. */
static void keep(struct list_near *near, const char *line, unsigned edits)
{
	if (near->n && edits > near->edits)
		return;
	if (near->n && edits < near->edits) {
		while (near->n)
			free(near->best[--near->n]);
		near->is_full = false;
	}
	near->edits = edits;
	for (uint32_t i = 0; i < near->n; i++)
		if (strcmp(near->best[i], line) == 0)
			return;
	near->is_full = near->n == SHOWN_MOST;
	if (!near->is_full && (near->best[near->n] = strdup(line)))
		near->n++;
}

/* The name, with what matched as it was written, and "*" for what nobody asked for behind it. */
static void put_together(char *line, const char *before, const struct parts *wanted,
			 const struct parts *name, uint32_t at)
{
	size_t len = (size_t)snprintf(line, LINE_MOST, "%s", before);

	for (uint32_t i = 0; i < name->n && i <= at + wanted->n && len < LINE_MOST; i++) {
		const char *part = name->part[i];

		if (i == at + wanted->n)
			part = "*";
		else if (i >= at && fnmatch(wanted->part[i - at], part, 0) == 0)
			part = wanted->part[i - at];
		len += (size_t)snprintf(line + len, LINE_MOST - len, "%s%s", i ? ":" : "", part);
	}
}

void list_near_compare(struct listing *l, const char *before, const char *wanted, const char *name,
		       bool is_split)
{
	char line[LINE_MOST];
	struct parts w, n;

	l->near->has_names = true;
	if (strlen(before) >= LINE_MOST || !cut(&w, wanted, is_split) || !cut(&n, name, is_split))
		return;
	if (w.n > 1 && strcmp(w.part[0], n.part[0]) == 0)
		l->near->has_module = true;
	for (uint32_t at = 0; at + w.n <= n.n; at++) {
		unsigned edits = 0;

		for (uint32_t i = 0; i < w.n && edits != UINT_MAX; i++) {
			unsigned more = part_edits(w.part[i], n.part[at + i]);

			edits = more == UINT_MAX ? more : edits + more;
		}
		if (edits == UINT_MAX)
			continue;
		put_together(line, before, &w, &n, at);
		keep(l->near, line, edits);
	}
}

void list_near_name(struct listing *l, const char *name)
{
	char before[64];

	snprintf(before, sizeof(before), "%s:", l->type);
	list_near_compare(l, before, l->rest ? l->rest : l->word, name, true);
}

/* ---- saying -------------------------------------------------------------------------------- */

/* A word, before ':' or alone, that is no type of probes, but nearly one. */
static bool say_unknown_type(const char *word, enum log_level level)
{
	size_t n = strcspn(word, ":");
	char type[32];
	struct nearest near;

	if (n >= sizeof(type) || memchr(word, '*', n))
		return false;
	memcpy(type, word, n);
	type[n] = '\0';
	nearest_init(&near, type);
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		if (probe_type_is(word, n, (enum probe_id)i))
			return false;
		nearest_offer(&near, probe_rows[i].name);
	}
	if (!near.best)
		return false;
	log_msg(level, "unknown probe type '%s'", type);
	fprintf(stderr, "hint: did you mean %s%s?\n", near.best, word + n);
	return true;
}

void list_lacking(struct listing *l, const char *type)
{
	const struct capability_row *capability = &capability_rows[l->row->capability];
	const char *last = strrchr(l->rest, ':'), *near = NULL;
	struct arena *arena = l->near ? NULL : arena_new();
	const struct probe_reader r = {.arena = arena, .kernel = l->kernel};

	list_refuse(l, "this kernel has no %s (%s), so there are no %s probes", capability->name,
		    capability->from, type);
	last = last ? last + 1 : l->rest;
	if (arena && *last && l->row->flags & LIST_MODULES)
		near = probe_near_tracepoints(&r, last);
	if (near)
		fprintf(stderr, "hint: tracepoints that are near: %s\n", near);
	else if (arena && l->row->flags & LIST_MODULES)
		fputs("hint: 'sonde -l tracepoint' lists the kernel's tracepoints\n", stderr);
	if (arena)
		arena_free(arena);
}

/* "type:MODULE:…" of which no module has names: it is not loaded. */
static bool say_no_module(const struct listing *l, const char *word, enum log_level level)
{
	const char *module = word + strcspn(word, ":"), *end;
	int len;

	module += *module == ':';
	end = strchr(module, ':');
	if (!end || !l->row || !(l->row->flags & LIST_MODULES) || l->near->has_module)
		return false;
	len = (int)(end - module);
	if (strncmp(module, "bpf:", 4) == 0) {
		log_msg(level, "no loaded BPF program matches '%s'", word);
		fputs("hint: `bpftool prog` lists the programs that are loaded\n", stderr);
		return true;
	}
	if (memchr(module, '*', (size_t)len))
		return false;
	log_msg(level, "the module '%.*s' is not loaded, or has nothing to probe", len, module);
	fprintf(stderr, "hint: modprobe %.*s loads it; /proc/modules lists those that are\n", len,
		module);
	return true;
}

/* Nothing is near: where to look. */
static void say_where(const struct listing *l, const char *word)
{
	const char *end = strrchr(word, ':');
	const struct probe_row *row = NULL;

	for (uint32_t i = 0; i < PROBE_COUNT && l->row; i++)
		if (strcmp(probe_rows[i].name, l->row->type) == 0)
			row = &probe_rows[i];
	if (!end || !row ||
	    !probe_type_is(word, strcspn(word, ":"), (enum probe_id)(row - probe_rows)))
		return;
	if (l->row->flags & LIST_FORM)
		fprintf(stderr, "hint: %s probes are written %s\n", row->name, row->form);
	else if (!l->near->has_names)
		fprintf(stderr, "hint: there are no %s probes in it at all\n", row->name);
	else
		fprintf(stderr, "hint: 'sonde -l %.*s' lists what there is\n", (int)(end - word),
			word);
}

static void say_near(const struct list_near *near)
{
	fputs("hint: did you mean ", stderr);
	for (uint32_t i = 0; i < near->n; i++)
		fprintf(stderr, "%s%s", i ? i + 1 < near->n || near->is_full ? ", " : " or " : "",
			near->best[i]);
	fputs(near->is_full ? ", …?\n" : "?\n", stderr);
}

/* Said after all names were compared: "sched" may be a category as well as nearly a type. */
static void say_missing(const struct listing *l, const char *word, enum log_level level)
{
	const struct list_near *near = l->near;

	if (!near->n && (say_no_module(l, word, level) || say_unknown_type(word, level)))
		return;
	log_msg(level, "no probe matches '%s'", word);
	if (near->n)
		say_near(near);
	else
		say_where(l, word);
}

void list_say_none(struct listing *l, const char *word, bool is_error, list_again_fn *again)
{
	struct list_near near = {.n = 0};

	l->near = &near;
	l->row = NULL;
	again(l, word);
	say_missing(l, word, is_error ? LOG_ERROR : LOG_WARNING);
	while (near.n)
		free(near.best[--near.n]);
	l->near = NULL;
}
